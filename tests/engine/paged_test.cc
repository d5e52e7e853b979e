// The requirements of the design of massive sorted sets, one by one.
#include <algorithm>
#include <numeric>
#include <random>

#include "engine/paged/paged_engine.h"
#include "naive_order.h"
#include "paged_fixture.h"
#include "rank/score/score.h"

namespace laurel {

namespace {

std::vector<std::uint32_t> shuffled(std::uint32_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::mt19937_64 random(seed);
  std::shuffle(numbers.begin(), numbers.end(), random);
  return numbers;
}

std::string id_of(std::uint64_t number) { return fmt::format("p{:09}", number); }

// The number of objects that the call accesses.
template <typename Call>
std::uint64_t objects_of(const PagedBoard& board, Call call) {
  const std::uint64_t before = board.reads.objects;
  call();
  return board.reads.objects - before;
}

std::vector<PagedNode> stored(const PagedBoard& board, bool manifests) {
  std::vector<PagedNode> nodes;
  for (const auto& [key, node] : board.stored_nodes()) {
    if (node.is_manifest() == manifests) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

TEST_CASE("S4-8: an entry set of more than 1,000 rows is replaced by two new ones") {
  PagedBoard board;
  for (ScoreKey i = 0; i < 1000; ++i) board.put(id_of(i), 10 * i);
  board.engine->write_back();
  const std::map<std::string, PagedNode> before = board.stored_nodes();
  REQUIRE(before.size() == 1);
  CHECK(board.engine->layout().layers == 1);

  board.put("middle", 4995);
  board.engine->write_back();
  CHECK(!board.stored_nodes().contains(before.begin()->first));
  const std::vector<PagedNode> sets = stored(board, false);
  const std::vector<PagedNode> manifests = stored(board, true);
  REQUIRE(sets.size() == 2);
  REQUIRE(manifests.size() == 1);
  const PagedNode& manifest = manifests[0];
  REQUIRE(manifest.size() == 2);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const std::uint64_t rows = manifest.child(slot).rows;
    CHECK((rows == 500 || rows == 501));
    CHECK(std::any_of(sets.begin(), sets.end(), [&](const PagedNode& set) {
      return set.size() == rows && set.rows().score(set.size() - 1) == manifest.rows().score(slot);
    }));
  }
  CHECK(manifest.rows().score(1) == 9990);
  board.engine->check();
}

TEST_CASE("S4-9: the rows of a stored manifest may be in any order") {
  PagedBoard board(small_sizes(8));
  for (const std::uint32_t i : shuffled(300, 3)) board.put(id_of(i), i / 3);
  board.engine->write_back();
  const std::vector<KeptRow> rows = rows_of(*board.engine);

  std::mt19937_64 random(9);
  Batch batch;
  for (const auto& [key, node] : board.stored_nodes()) {
    if (!node.is_manifest()) continue;
    std::vector<std::size_t> slots(node.size());
    std::iota(slots.begin(), slots.end(), 0U);
    std::shuffle(slots.begin(), slots.end(), random);
    PagedNode other(PagedNode::Kind::manifest, board.sizes);
    for (const std::size_t slot : slots) {
      other.insert(other.size(), NodeSummary{node.child(slot), node.rows()[slot]});
    }
    board.engine->space().put(batch, key, other.encode());
  }
  REQUIRE(batch.size() > 2);
  board.store.write(batch);

  const std::unique_ptr<PagedEngine> reopened = board.reopened();
  CHECK(rows_of(*reopened) == rows);
  for (const KeptRow& row : rows) {
    CHECK(reopened->rank({row.player}, Ranking::dense) == row.score + 1);
    CHECK(reopened->rank({row.player}, Ranking::competition) == 3 * row.score + 1);
  }
}

TEST_CASE("S4-10: a score that equals an entry set's lowest has one place") {
  PagedBoard board(small_sizes());
  for (ScoreKey i = 0; i < 40; ++i) board.put(id_of(i), i / 2, static_cast<Time>(i));
  std::vector<ScoreKey> edges;
  board.engine->write_back();
  for (const PagedNode& set : stored(board, false)) {
    edges.push_back(set.rows().score(set.size() - 1));
  }
  for (const ScoreKey edge : edges) {
    CAPTURE(edge);
    const std::string id = fmt::format("edge{}", edge);
    const std::size_t not_worse = board.engine->count_not_worse(edge);
    board.put(id, edge, 1000);
    board.engine->check();
    CHECK(board.engine->position({id}) == not_worse);
    board.put(id, edge, 1001);
    board.engine->check();
    CHECK(board.engine->position({id}) == not_worse);
    CHECK(board.engine->erase({id}));
  }
}

TEST_CASE("S4-11: a row below every lowest goes into the last entry set while it has room") {
  PagedBoard board(small_sizes(100));
  for (ScoreKey i = 0; i < 1000; ++i) {
    board.put(id_of(i), i);
    CHECK(board.engine->layout().entry_sets == i / 100 + 1);
    CHECK(board.engine->layout().lowest == i);
  }
}

TEST_CASE("S4-12: every level has correct counts after any operation") {
  PagedBoard board(small_sizes());
  std::mt19937_64 random(4);
  for (int step = 0; step < 1500; ++step) {
    const std::string id = id_of(random() % 120);
    if (random() % 3 == 0) {
      board.engine->erase({id});
    } else {
      board.put(id, random() % 50);
    }
    board.engine->check();  // also checks that each manifest's counts match its children
  }
}

TEST_CASE("S4-13: a page of rows may span entry sets") {
  PagedBoard board;
  for (const std::uint32_t i : shuffled(1500, 5)) board.put(id_of(i), i);
  REQUIRE(board.engine->layout().entry_sets == 2);
  std::size_t edge = 0;
  board.engine->write_back();
  for (const PagedNode& manifest : stored(board, true)) edge = manifest.child(0).rows;
  for (const std::size_t first : {edge - 5, std::size_t{995}, std::size_t{1490}}) {
    CAPTURE(first);
    const std::vector<KeptRow> page = rows_of(*board.engine, first, 20);
    REQUIRE(page.size() == std::min<std::size_t>(20, 1500 - first));
    for (std::size_t i = 0; i < page.size(); ++i) CHECK(page[i].player == id_of(first + i));
  }
}

TEST_CASE("S4-14: the tree grows and shrinks automatically") {
  const std::uint32_t fan_out = short_or_long(60, 1000);
  const std::uint32_t n = fan_out * fan_out + 1;
  PagedSizes sizes;
  sizes.entry_set_rows = fan_out;
  sizes.manifest_rows = fan_out;
  const auto rank_is_right = [&](const PagedBoard& board, std::uint32_t i, std::uint32_t rank) {
    return board.engine->rank({id_of(i)}, Ranking::competition) == rank;
  };
  for (const bool rising : {true, false}) {
    CAPTURE(rising);
    PagedBoard board(sizes);
    for (std::uint32_t i = 0; i < n; ++i) board.put(id_of(i), rising ? n - i : i);
    const PagedLayout layout = board.engine->layout();
    CHECK(layout.layers == 3);
    CHECK(layout.entry_sets == fan_out + 1);  // full ones, and the one that grows
    int wrong = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      wrong += rank_is_right(board, i, rising ? n - i : i + 1) ? 0 : 1;
    }
    CHECK(wrong == 0);
    board.engine->check();
    for (std::uint32_t i = 0; i + 1 < n; ++i) board.engine->erase({id_of(i)});
    CHECK(board.engine->layout().layers == 1);
    board.engine->check();
  }
}

TEST_CASE("S4-15: a rank accesses one object a layer and the player's row") {
  PagedBoard board(small_sizes(6));
  for (const std::uint32_t i : shuffled(1000, 6)) board.put(id_of(i), i / 4);
  const std::size_t layers = board.engine->layout().layers;
  REQUIRE(layers >= 4);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (const Ranking ranking : kEveryRanking) {
      const std::size_t objects =
          objects_of(board, [&] { board.engine->rank({id_of(i)}, ranking); });
      if (ranking == Ranking::fractional) {  // where the equals begin, and where they end
        REQUIRE(objects <= 2 * layers + 1);
      } else {
        REQUIRE(objects == layers + 1);
      }
    }
    REQUIRE(objects_of(board, [&] { board.engine->position({id_of(i)}); }) == layers + 1);
    REQUIRE(objects_of(board, [&] { rows_of(*board.engine, i, 2); }) <= layers + 1);
  }
  board.engine->write_back();
  const std::unique_ptr<PagedEngine> cold = board.reopened();
  const std::uint64_t loads = board.reads.loads;
  cold->rank({id_of(500)}, Ranking::competition);
  CHECK(board.reads.loads - loads == layers + 1);
}

TEST_CASE("S4-16: no object is larger than 100 KB") {
  PagedBoard board;
  for (const std::uint32_t i : shuffled(3000, 7)) {
    board.put(fmt::format("{:064}", i), i);  // ids of 64 bytes: the number of rows is the limit
  }
  board.engine->check();
  std::size_t most = 0;
  board.engine->write_back();
  for (const PagedNode& set : stored(board, false)) most = std::max(most, set.size());
  CHECK(most > 500);

  for (const std::uint32_t i : shuffled(3000, 8)) {  // data of 1,024 bytes: the bytes are the limit
    board.put(fmt::format("{:064}", i), i, 0, std::string(kDataBytesMax, 'x'));
  }
  board.engine->check();
  board.engine->write_back();
  const std::unique_ptr<Cursor> at = board.engine->space().cursor();
  for (bool on = at->seek("o"); on && at->key()[0] == 'o'; on = at->next()) {
    CHECK(at->value().size() <= 102'400);
  }
  CHECK(board.engine->layout().entry_sets > 30);
}

TEST_CASE("S4-16: a thousand rows with ids of 64 bytes fit into one object") {
  PagedBoard board;
  for (std::uint32_t i = 0; i < 1000; ++i) board.put(fmt::format("{:064}", i), i);
  CHECK(board.engine->layout().entry_sets == 1);
}

TEST_CASE("S4-19: entry sets merge when most rows are erased") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    constexpr std::uint32_t kRows = 5000;
    PagedBoard board(small_sizes(100));
    for (const std::uint32_t i : shuffled(kRows, seed)) board.put(id_of(i), i);
    const PagedLayout full = board.engine->layout();
    std::vector<std::uint32_t> leaving = shuffled(kRows, seed + 10);
    leaving.resize(kRows / 10 * 9);
    for (const std::uint32_t i : leaving) REQUIRE(board.engine->erase({id_of(i)}));
    board.engine->check();
    CHECK(board.engine->layout().entry_sets * 5 < full.entry_sets);

    board.engine->write_back();
    std::size_t small = 0;
    for (const PagedNode& set : stored(board, false)) small += set.size() * 3 < 100 ? 1 : 0;
    CHECK(small <= 1);
  }
}

TEST_CASE("S4-20: the ranks of 100,000 primes are correct") {
  std::vector<std::uint32_t> primes;
  std::vector<bool> composite(1'299'828);
  for (std::uint32_t i = 2; i < composite.size(); ++i) {
    if (composite[i]) continue;
    if (i >= 23) primes.push_back(i);
    for (std::uint64_t j = std::uint64_t{i} * i; j < composite.size(); j += i) composite[j] = true;
  }
  REQUIRE(primes.size() == 100'000);
  REQUIRE(primes.back() == 1'299'827);

  const ScoreForm form(Order::desc, 0);
  PagedBoard board;
  for (const std::uint32_t i : shuffled(100'000, 20)) {
    board.put(fmt::format("{}", primes[i]), *form.key(primes[i]));
  }
  int wrong = 0;
  for (std::uint32_t i = 0; i < primes.size(); ++i) {
    const std::string id = fmt::format("{}", primes[i]);
    wrong += board.engine->rank({id}, Ranking::competition) == primes.size() - i ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(board.engine->layout().layers == 2);
  for (const std::size_t first : {0, 1, 999, 1000, 50'000, 99'990}) {
    const std::vector<KeptRow> page = rows_of(*board.engine, first, 10);
    REQUIRE(page.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(form.score(page[i].score) == primes[primes.size() - 1 - first - i]);
    }
  }
}

TEST_CASE("a submission alone does not write an object") {
  PagedBoard board;
  for (std::uint32_t i = 0; i < 3000; ++i) board.put(id_of(i), i * 7919 % 3000);
  CHECK(board.store.batches == 0);
  board.engine->write_back();
  CHECK(board.store.batches == 1);
  CHECK(board.reads.written < 10);
  board.engine->write_back();
  CHECK(board.store.batches == 1);
}

TEST_CASE("a paged board's memory does not grow with the board") {
  PagedSizes sizes = small_sizes(50);
  sizes.cache_bytes = 200'000;
  PagedBoard board(sizes);
  for (const std::uint32_t i : shuffled(20'000, 2)) {
    board.put(id_of(i), i);
    REQUIRE(board.engine->bytes() < 300'000);
  }
  int wrong = 0;
  for (const std::uint32_t i : shuffled(20'000, 3)) {
    wrong += board.engine->rank({id_of(i)}, Ranking::ordinal) == i + 1 ? 0 : 1;
    REQUIRE(board.engine->bytes() < 300'000);
  }
  CHECK(wrong == 0);
}

TEST_CASE("a paged board is dismantled in steps and leaves no rows") {
  PagedBoard board(small_sizes());
  PagedEngine other(board.spec, board.context(), board.sizes);
  other.put({"somebody"}, {.score = 1});
  other.write_back();
  const std::size_t others = board.store.size();
  for (std::uint32_t i = 0; i < 100; ++i) board.put(id_of(i), i);
  board.engine->write_back();
  for (std::uint32_t i = 0; i < 50; ++i) board.put(id_of(i), 2 * i);
  int steps = 1;
  while (board.engine->dismantle(20)) ++steps;
  CHECK(steps > 5);
  CHECK(board.store.size() == others);
  CHECK(other.size() == 1);
}

TEST_CASE("reads of an empty paged board work") {
  PagedBoard board;
  Arena arena;
  CHECK(board.engine->size() == 0);
  CHECK(!board.engine->find({"nobody"}, arena));
  CHECK(!board.engine->position({"nobody"}));
  CHECK(!board.engine->rank({"nobody"}, Ranking::dense));
  CHECK(!board.engine->erase({"nobody"}));
  CHECK(board.engine->count_better(5) == 0);
  CHECK(board.engine->count_not_worse(5) == 0);
  CHECK(board.engine->distinct_better(5) == 0);
  CHECK(board.engine->rank_of_newcomer(5, Ranking::modified) == 1);
  CHECK(rows_of(*board.engine).empty());
  CHECK(!board.engine->layout().lowest);
  board.engine->write_back();
  CHECK(board.store.batches == 0);
}

}  // namespace laurel
