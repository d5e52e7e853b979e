// The log of kept results while it is cleaned, read again and given other sizes, compared with a
// list of each player's results; and histories and ids in the form that they had before.
#include <deque>
#include <map>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "board/fixture.h"
#include "board/results/accepted_ids.h"
#include "board/results/result_history.h"
#include "board/results/result_rows.h"
#include "folder.h"
#include "long_form.h"
#include "store/durable/durable_store.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

std::string shown(const std::vector<KeptResult>& results) {
  std::string text;
  for (const KeptResult& each : results) {
    text += fmt::format("{} {} {}; ", each.score, each.data.value_or("-"),
                        each.before ? each.before->score : 0);
  }
  return text;
}

std::unique_ptr<DurableStore> open_store(const std::string& path) {
  auto opened = DurableStore::open({.path = path, .durability = Durability::none},
                                   Log([](Level, std::string_view) {}));
  REQUIRE(opened);
  return std::move(*opened);
}

// Players' results in a list, and in a history whose store is in memory or on a disk.
class HistoryTwins {
 public:
  HistoryTwins(std::uint64_t seed, bool durable)
      : random_(seed), durable_(durable), most_(pick_size()) {
    start();
  }

  void step() {
    const std::string player = fmt::format("player{}", pick_player());
    switch (random_() % 400) {
      case 0:
        history_->end(player);
        naive_.erase(player);
        break;
      case 1: replace(player); break;
      case 2:
        if (random_() % 8 == 0) resize();
        break;
      case 3: store_->begin_commit(); break;
      case 4: REQUIRE(store_->flush()); break;
      case 5:
        if (durable_ && random_() % 4 == 0) start();
        break;
      default: add(player);
    }
  }

  void compare() {
    std::size_t all = 0;
    for (auto& [player, results] : naive_) {
      CAPTURE(player);
      REQUIRE(shown(history_->of(player)) == shown(last(results)));
      all += results.empty() ? 0 : 1;
    }
    history_->each([&](std::string_view player, const std::vector<KeptResult>& results) {
      REQUIRE(shown(results) == shown(last(naive_[std::string(player)])));
      --all;
    });
    REQUIRE(all == 0);
  }

  // The chunks that the store has when all that waits is written.
  std::size_t chunks() {
    REQUIRE(store_->flush());
    std::size_t rows = 0;
    const std::unique_ptr<Cursor> at = Space(*store_, *history_->space()).cursor();
    for (bool on = at->seek({}); on; on = at->next()) ++rows;
    return rows;
  }
  std::size_t kept() const {
    std::size_t kept = 0;
    for (const auto& [player, results] : naive_) kept += results.size();
    return kept;
  }

 private:
  using Results = std::deque<KeptResult>;

  std::size_t pick_size() { return std::array{1, 3, 10, 30}[random_() % 4]; }
  // Some are there all the time, some seldom, and some never again.
  std::uint64_t pick_player() {
    if (random_() % 2 == 0) return random_() % 10;
    if (random_() % 16 == 0) return 100 + random_() % 2000;
    return 10 + random_() % 90;
  }
  std::vector<KeptResult> last(const Results& results) const {
    const std::size_t shown = std::min(results.size(), most_);
    return {results.end() - static_cast<std::ptrdiff_t>(shown), results.end()};
  }

  KeptResult make(const Results& results) {
    KeptResult result{.score = ++last_score_, .at = 0};
    if (random_() % 8 == 0) result.data = std::string(random_() % 50, 'd');
    if (!results.empty()) result.before = HeldState{.score = results.back().score};
    return result;
  }
  void add(const std::string& player) {
    Results& results = naive_[player];
    const KeptResult result = make(results);
    history_->prepare(player, row_of(result));
    history_->keep();
    results.push_back(result);
    while (results.size() > most_) results.pop_front();
  }
  void replace(const std::string& player) {
    Results& results = naive_[player];
    std::vector<KeptResult> others;
    const std::size_t count = random_() % (most_ + 2);
    results.clear();
    for (std::size_t i = 0; i < count; ++i) {
      results.push_back(make(results));
      others.push_back(results.back());
    }
    history_->replace(player, others);
    while (results.size() > most_) results.pop_front();
  }
  void resize() {
    most_ = pick_size();
    history_->resize(most_);
  }
  void start() {
    if (store_) REQUIRE(store_->flush());
    history_.reset();
    if (durable_) {
      store_.reset();
      store_ = open_store(folder_ / "store");
    } else {
      store_ = make_memory_store();
    }
    players_ = std::make_unique<Players>(HashSecret::random());
    history_.emplace(EngineContext{*players_, *store_, last_space_, reads_}, Space(*store_, 3),
                     most_);
    REQUIRE(history_->load([](std::size_t) {}));
  }

  std::mt19937_64 random_;
  bool durable_;
  std::size_t most_;
  test::Folder folder_{"history"};
  std::unique_ptr<Store> store_;
  std::unique_ptr<Players> players_;
  SpaceNumber last_space_ = 10;
  EngineReads reads_;
  std::optional<ResultHistory> history_;
  std::map<std::string, Results> naive_;
  ScoreKey last_score_ = 0;
};

}  // namespace

TEST_CASE("histories stay as they are while their log is cleaned and read again") {
  const std::uint64_t seeds = short_or_long(6U, 60U);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    HistoryTwins twins(seed, seed % 2 == 0);
    for (int i = 1; i <= 40'000; ++i) {
      CAPTURE(i);
      twins.step();
      if (i % 4'000 == 0) twins.compare();
    }
    CAPTURE(twins.kept());
    // A record takes at most 110 bytes here; what a smaller size leaves counts until it goes.
    CHECK(twins.chunks() <= (3 * twins.kept() + 2 * kHistoryPastResults) / 37 + 4);
  }
}

// ---- the form before

namespace {

// The board's space, of a registry with one board.
SpaceNumber only_board(const Store& store) {
  const std::unique_ptr<Cursor> at = store.cursor();
  const std::string prefix = fmt::format("s{}b", sortable(2));
  REQUIRE(at->seek(prefix));
  REQUIRE(at->key().starts_with(prefix));
  return number_of_sortable(at->key().substr(prefix.size()));
}

Result<std::unique_ptr<Registry>> open_registry(const std::string& path) {
  return Registry::open({.path = path,
                         .durability = Durability::none,
                         .log = Log([](Level, std::string_view) {}),
                         .secret = HashSecret::fixed(1)});
}

constexpr SpaceNumber kOldSpace = 1000;

// Changes the store of a registry that is not open.
template <typename Write>
void change_store(const std::string& path, Write write) {
  const std::unique_ptr<DurableStore> store = open_store(path);
  Batch batch;
  write(batch, Space(*store, only_board(*store)), Space(*store, kOldSpace));
  store->write(batch);
  REQUIRE(store->flush());
}

}  // namespace

TEST_CASE("a history of slots becomes a log when its registry is opened") {
  const test::Folder folder("history");
  const std::string path = folder / "boards";
  {
    auto registry = open_registry(path);
    REQUIRE(registry);
    Board& board =
        *(*registry)->get(*(*registry)->open("b", spec({{"history", 3.0}, {"keep", "latest"}})));
    REQUIRE(board.submit(WriteMode::submit, result("ada", 5)));
    REQUIRE(board.submit(WriteMode::submit, result("bob", 7)));
  }
  const ScoreForm form(Order::desc, std::nullopt);
  const auto in_slot = [&](std::string_view player, std::uint32_t number, int slot, double score) {
    ResultRow row{.number = number, .score = *form.key(score), .at = number * kSecond};
    if (number > 0) row.before = EngineRow{{}, *form.key(score - 1), row.at - 1, {}};
    std::string value;
    append_result(row, value);
    return std::pair(std::string(player) + '\0' + static_cast<char>(slot), value);
  };
  change_store(path, [&](Batch& batch, const Space& board, const Space& old) {
    board.put(batch, {&kHistoryLetter, 1}, sortable(kOldSpace));
    // Results 4 to 6 in three slots, and one left by a larger size.
    for (const auto& [key, value] :
         {in_slot("ada", 4, 1, 3), in_slot("ada", 5, 2, 4), in_slot("ada", 6, 0, 5),
          in_slot("ada", 2, 7, 1), in_slot("bob", 0, 0, 7)}) {
      old.put(batch, key, value);
    }
  });
  for (int openings = 0; openings < 3; ++openings) {
    auto registry = open_registry(path);
    REQUIRE(registry);
    Board& board = *(*registry)->get(*(*registry)->find("b"));
    const std::vector<PastResult> ada = board.history("ada", 9);
    REQUIRE(ada.size() == 3);
    CHECK(ada[0].score == 5);
    CHECK(ada[2].score == 3);
    CHECK(board.history("bob", 9).size() == 1);
    REQUIRE((*registry)->flush());
  }
  const std::unique_ptr<DurableStore> store = open_store(path);
  CHECK(!Space(*store, kOldSpace).cursor()->seek({}));
}

TEST_CASE("ids that were rows become a log when their registry is opened") {
  const test::Folder folder("ids");
  const std::string path = folder / "boards";
  const Time now = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  { REQUIRE((*open_registry(path))->open("b", spec({}))); }
  const AcceptedIds::Seed seed{std::byte{7}};
  change_store(path, [&](Batch& batch, const Space& board, const Space& old) {
    std::string head = sortable(kOldSpace);
    head.append(reinterpret_cast<const char*>(seed.data()), seed.size());
    board.put(batch, {&kIdsLetter, 1}, head);
    for (std::uint64_t row = 100; row < 400; ++row) {
      const Hash128 hash = HashSecret::from(seed).wide(fmt::format("match {}", row));
      std::string value;
      ByteWriter writer(value, 20);
      writer.u64(hash.low);
      writer.u32(static_cast<std::uint32_t>(hash.high));
      writer.u64(static_cast<std::uint64_t>(now));
      old.put(batch, sortable(row), value);
    }
  });
  for (int openings = 0; openings < 3; ++openings) {
    auto registry = open_registry(path);
    REQUIRE(registry);
    Board& board = *(*registry)->get(*(*registry)->find("b"));
    for (int match = 100; match < 400; ++match) {
      Submission submission = result("ada", 1000);
      const std::string id = fmt::format("match {}", match);
      submission.id = id;
      const Result<Outcome> outcome = board.submit(WriteMode::submit, submission);
      REQUIRE(outcome);
      REQUIRE(!outcome->changed);
    }
    CHECK(board.size() == 0);
    REQUIRE((*registry)->flush());
  }
  const std::unique_ptr<DurableStore> store = open_store(path);
  CHECK(!Space(*store, kOldSpace).cursor()->seek({}));
}

}  // namespace laurel
