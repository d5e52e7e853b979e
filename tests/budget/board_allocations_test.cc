// What the hot calls of boards allocate: nothing, once their reusable buffers exist.
#include <doctest/doctest.h>

#include "allocations.h"
#include "base/limits.h"
#include "board/fixture.h"
#include "crowd.h"

namespace laurel {

namespace {

using test::allocations_of;
using test::Crowd;

constexpr int kCalls = 5'000;

// A board that has every player of the crowd, played until its reusable buffers exist.
struct Played {
  Played(std::size_t members, Fields fields, std::size_t id_bytes = 12)
      : crowd(members, id_bytes), board(game.board("b", fields)) {
    for (const std::string& id : crowd.ids()) submit({.player = id, .score = crowd.score()});
    for (std::size_t i = 0; i < members * 5; ++i) submit(crowd.any_result());
  }

  void submit(const Submission& submission) {
    if (!board.submit(WriteMode::submit, submission)) FAIL("refused");
  }
  template <typename Call>
  std::size_t allocations(const Call& call) {
    call();  // the buffers are in use
    return allocations_of([&] {
      for (int i = 0; i < kCalls; ++i) call();
    });
  }

  // The leaves of a tree split and merge as scores change: one call in a thousand may need a new
  // chunk of leaves. Small boards have no tree.
  std::size_t nodes() const { return board.size() > kPackedRowsMax ? kCalls / 1000 : 0; }

  Fixture game;
  Crowd crowd;
  Board& board;
};

// Boards in memory, small ones and trees.
template <typename Run>
void on_boards(const std::vector<Fields>& specs, const Run& run) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const std::size_t members : {100U, 10'000U}) {
      for (const std::size_t id_bytes : {12U, 100U}) {
        CAPTURE(i);
        CAPTURE(members);
        CAPTURE(id_bytes);
        Played played(members, specs[i], id_bytes);
        run(played);
      }
    }
  }
}

const std::vector<Fields> kRanked = {{{"keep", "latest"}},
                                     {{"keep", "latest"}, {"ties", "player"}, {"order", "asc"}},
                                     {{"keep", "best"}, {"ranking", "dense"}},
                                     {{"keep", "sum"}, {"decimals", 2.0}}};
const std::vector<Fields> kSharded = {{{"keep", "latest"}, {"engine", "sharded"}, {"shards", 4.0}}};

}  // namespace

TEST_CASE("a submit of a known player allocates at most tree nodes, in one call of a thousand") {
  const auto submits = [](Played& on) {
    CHECK(on.allocations([&] { on.submit(on.crowd.any_result()); }) <= on.nodes());
  };
  on_boards(kRanked, submits);
  on_boards(kSharded, submits);
}

TEST_CASE("add and set allocate rarely, when the board's nodes split") {
  on_boards(kRanked, [](Played& on) {
    CHECK(on.allocations([&] { (void)on.board.submit(WriteMode::add, on.crowd.any_result()); }) <
          kCalls / 100);
    CHECK(on.allocations([&] { (void)on.board.set(on.crowd.any_result()); }) < kCalls / 100);
  });
}

TEST_CASE("score, rank, position and percentile of a player allocate nothing") {
  on_boards(kRanked, [](Played& on) {
    CHECK(on.allocations([&] { (void)on.board.score(on.crowd.any()); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.get(on.crowd.any()); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.rank(on.crowd.any(), {}); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.position(on.crowd.any()); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.percentile(on.crowd.any()); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.score("nobody"); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.rank(on.crowd.any(), Ranking::fractional); }) == 0);
  });
}

TEST_CASE("the score at a position or at a percentile allocates nothing") {
  on_boards(kRanked, [](Played& on) {
    CHECK(on.allocations([&] { (void)on.board.score_at(on.board.size() / 2); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.score_at_percentile(37.5); }) == 0);
  });
}

TEST_CASE("counting scores and the rank of a score allocate nothing") {
  on_boards(kRanked, [](Played& on) {
    CHECK(on.allocations([&] { (void)on.board.count({on.crowd.score(), {}}); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.rank_of(on.crowd.score()); }) == 0);
  });
}

TEST_CASE("reading into a used list allocates nothing") {
  on_boards(kRanked, [](Played& on) {
    Entries list;
    const auto read = [&](auto fill) {
      return on.allocations([&] {
        list.clear();
        fill();
      });
    };
    CHECK(read([&] { on.board.read(0, 100, list); }) == 0);
    CHECK(read([&] { on.board.read(on.board.size() / 2, 10, list); }) == 0);
    CHECK(read([&] { on.board.bottom(10, list); }) == 0);
    CHECK(read([&] { on.board.around(on.crowd.any(), 5, list); }) == 0);
    CHECK(read([&] { on.board.between({1'000.0, 900'000.0}, 10, list); }) == 0);
  });
}

TEST_CASE("score, rank and count on a sharded board allocate nothing") {
  on_boards(kSharded, [](Played& on) {
    CHECK(on.allocations([&] { (void)on.board.score(on.crowd.any()); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.rank(on.crowd.any(), {}); }) == 0);
    CHECK(on.allocations([&] { (void)on.board.count({on.crowd.score(), {}}); }) == 0);
  });
}

TEST_CASE(
    "a batch of known players allocates nothing, on a sharded board a few times at any length") {
  const auto batches = [](Played& on) {
    std::vector<Submission> batch;
    for (int i = 0; i < kCalls; ++i) batch.push_back(on.crowd.any_result());
    const auto submit = [&](std::size_t results) {
      return allocations_of([&] {
        on.board.submit_all(std::span(batch).first(results), [](std::size_t, const Refusal&) {});
      });
    };
    submit(batch.size());
    const std::size_t most = (on.board.is_concurrent() ? 8 : 0) + on.nodes();
    CHECK(submit(10) <= most);
    CHECK(submit(batch.size()) <= most);
  };
  on_boards(kRanked, batches);
  on_boards(kSharded, batches);
}

TEST_CASE("a tick allocates nothing, whether or not boards have changed") {
  on_boards(kRanked, [](Played& on) {
    on.game.registry->tick();
    CHECK(on.allocations([&] { on.game.registry->tick(); }) == 0);
    CHECK(on.allocations([&] {
      on.submit(on.crowd.any_result());
      on.game.registry->tick();
    }) <= on.nodes());
  });
}

TEST_CASE("on a capped board neither a submit that enters nor one that fails allocates") {
  Fixture game;
  Board& board = game.board("b", {{"engine", "capped"}, {"cap", 100.0}});
  Crowd crowd(1'000);
  for (int i = 0; i < kCalls; ++i) (void)board.submit(WriteMode::submit, crowd.any_result());
  double best = 1e9;
  const auto of_all = [&](auto score_of) {
    return allocations_of([&] {
      for (const std::string& id : crowd.ids()) {
        (void)board.submit(WriteMode::submit, {.player = id, .score = score_of()});
      }
    });
  };
  CHECK(of_all([] { return -1.0; }) == 0);
  CHECK(of_all([&] { return ++best; }) == 0);
}

TEST_CASE("a submit to a rolling board allocates at most two lists, and reads allocate nothing") {
  Fixture game;
  Board& board = game.board("b", {{"engine", "rolling"}, {"days", 7.0}});
  Crowd crowd(1'000);
  const auto play = [&] { (void)board.submit(WriteMode::submit, crowd.any_result()); };
  for (const std::string& id : crowd.ids()) (void)board.submit(WriteMode::submit, result(id, 1));
  for (int i = 0; i < kCalls; ++i) play();
  const auto of_calls = [](auto call) {
    return allocations_of([&] {
      for (int i = 0; i < kCalls; ++i) call();
    });
  };
  CHECK(of_calls(play) <= 2 * kCalls);
  CHECK(of_calls([&] { (void)board.score(crowd.any()); }) == 0);
  CHECK(of_calls([&] { (void)board.rank(crowd.any(), {}); }) == 0);
}

TEST_CASE("a refused submission allocates nothing") {
  Fixture game;
  Board& board = game.board("b", {{"join", "required"}});
  CHECK(allocations_of([&] {
          CHECK(verdict(board.submit(WriteMode::submit, result("anna", 1))) == "not_joined");
          CHECK(verdict(board.submit(WriteMode::submit, result("", 1))) == "bad_player");
          CHECK(verdict(board.submit(WriteMode::submit, result("anna", 1.0 / 0.0))) ==
                "not_finite");
        }) == 0);
}

TEST_CASE("the allocation counter sees every way to allocate") {
  void* volatile block = nullptr;  // the compiler cannot omit it
  CHECK(allocations_of([&] { block = ::operator new(10); }) == 1);
  ::operator delete(block);
  CHECK(allocations_of([&] { block = std::malloc(10); }) == 1);
  CHECK(allocations_of([&] { block = std::realloc(block, 100'000); }) == 1);
  std::free(block);
  CHECK(allocations_of([&] { block = std::calloc(10, 10); }) == 1);
  std::free(block);
  CHECK(allocations_of([&] { block = std::aligned_alloc(64, 128); }) == 1);
  std::free(block);
}

}  // namespace laurel
