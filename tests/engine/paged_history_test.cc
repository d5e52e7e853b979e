// Random histories, played on a paged and on a ranked engine, which must always agree.
#include <random>

#include "paged_twins.h"

namespace laurel {

namespace {

struct Story {
  std::uint64_t ids = 100;
  std::uint64_t scores = 50;
  std::uint64_t moments = 3;
  std::size_t data_bytes = 8;  // at most
  int steps = 600;
};

void play(Twins& twins, const Story& story, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int step = 0; step < story.steps; ++step) {
    CAPTURE(step);
    const std::string id = tricky_id(random() % story.ids);
    const bool shrinks = (step / 150) % 3 == 2;
    if (random() % 8 < (shrinks ? 6U : 1U)) {
      twins.erase(id);
    } else {
      const ScoreKey score = random() % 60 == 0 ? (random() % 2 == 0 ? 0 : UINT64_MAX)
                                                : 1000 + random() % story.scores;
      std::optional<std::string> data;
      if (random() % 3 == 0) data = std::string(random() % (story.data_bytes + 1), 'd');
      twins.put(id, score, static_cast<Time>(random() % story.moments) - 1, data);
    }
    twins.board.engine->check();
    if (random() % 40 == 0) twins.board.engine->write_back();
    if (step % 10 == 0) {
      twins.compare_page(random() % (twins.ranked.size() + 3), random() % 40);
      twins.compare_counts(1000 + random() % story.scores);
    }
    if (step % 150 == 149) twins.compare_all();
  }
  twins.compare_all();
  while (twins.ranked.size() > 0) {
    const std::vector<KeptRow> rows = rows_of(twins.ranked, random() % twins.ranked.size(), 1);
    twins.erase(rows[0].player);
    twins.board.engine->check();
    if (twins.ranked.size() % 40 == 0) twins.compare_all();
  }
  const PagedLayout layout = twins.board.engine->layout();
  CHECK(layout.layers == 0);
  CHECK(layout.manifests == 0);
  CHECK(layout.entry_sets == 0);
  twins.board.engine->write_back();
  CHECK(twins.board.stored_nodes().empty());
}

}  // namespace

TEST_CASE("S4-10: a paged board matches a ranked one over random histories with many ties") {
  for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc}) {
    CAPTURE(static_cast<int>(ties));
    for (std::uint64_t seed = 1; seed <= short_or_long(3U, 30U); ++seed) {
      CAPTURE(seed);
      const std::uint64_t scores = seed % 3 == 0 ? 2 : seed % 3 == 1 ? 12 : 5000;
      Twins twins(small_sizes(4 + seed % 5), ties);
      play(twins, {.ids = 60 * seed, .scores = scores, .moments = 1 + seed * seed * seed}, seed);
    }
  }
}

TEST_CASE("S4-16: a paged board matches a ranked one if bytes, not rows, fill its objects") {
  for (std::uint64_t seed = 1; seed <= short_or_long(2U, 20U); ++seed) {
    CAPTURE(seed);
    Twins twins({.entry_set_rows = 500,
                 .manifest_rows = 300,
                 .object_bytes = PagedSizes::kObjectBytesMin,
                 .cache_bytes = std::size_t{1} << 20},
                Ties::earliest);
    play(twins, {.ids = 400, .scores = 40, .data_bytes = kDataBytesMax}, seed);
  }
}

TEST_CASE("a paged board matches a ranked one with a tiny cache") {
  for (std::uint64_t seed = 1; seed <= short_or_long(2U, 20U); ++seed) {
    CAPTURE(seed);
    PagedSizes sizes = small_sizes(8);
    sizes.cache_bytes = 8000;
    Twins twins(sizes, Ties::earliest);
    play(twins, {.ids = 200, .scores = 30}, seed);
    CHECK(twins.board.reads.loads > 1000);
    CHECK(twins.board.engine->bytes() < 3 * sizes.cache_bytes);
  }
}

TEST_CASE("rows may arrive in any order of scores") {
  enum class Arrival { rising, falling, equal, inward, sawtooth };
  constexpr std::uint64_t kRows = 400;
  for (const Arrival arrival :
       {Arrival::rising, Arrival::falling, Arrival::equal, Arrival::inward, Arrival::sawtooth}) {
    CAPTURE(static_cast<int>(arrival));
    for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player}) {
      Twins twins(small_sizes(5), ties);
      for (std::uint64_t i = 0; i < kRows; ++i) {
        ScoreKey score = 7;
        if (arrival == Arrival::rising) score = i;
        if (arrival == Arrival::falling) score = kRows - i;
        if (arrival == Arrival::inward) score = i % 2 == 0 ? i : 2 * kRows - i;
        if (arrival == Arrival::sawtooth) score = i % 10;
        twins.put(fmt::format("p{}", i), score, static_cast<Time>(i), {});
        if (i % 10 == 0) twins.board.engine->check();
      }
      twins.compare_all();
    }
  }
}

TEST_CASE("a row from held() can be put back with a new score") {
  PagedBoard board(small_sizes());
  for (int i = 0; i < 60; ++i) board.put(fmt::format("p{}", i), static_cast<ScoreKey>(i), i, "old");
  for (int i = 0; i < 60; ++i) {
    Arena arena;
    const std::string id = fmt::format("p{}", i);
    EngineRow row = *board.engine->held({id}, arena);
    row.score = 1000 - row.score;
    board.engine->put({row.player}, row);
    board.engine->check();
    CHECK(board.engine->find({id}, arena)->data == "old");
  }
}

TEST_CASE("unpack restores a packed row of a paged board") {
  PagedBoard board(small_sizes());
  for (int i = 0; i < 30; ++i) board.put(fmt::format("p{}", i), 5, i, "data");
  const std::vector<KeptRow> before = rows_of(*board.engine);
  const std::optional<std::string> packed = board.engine->pack({"p7"});
  REQUIRE(packed);
  CHECK(board.engine->erase({"p7"}));
  CHECK(!board.engine->erase({"p7"}));
  CHECK(!board.engine->pack({"p7"}));
  board.engine->unpack({"p7"}, *packed);
  CHECK(rows_of(*board.engine) == before);
}

}  // namespace laurel
