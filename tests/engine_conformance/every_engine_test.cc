// What boards of every engine have in common: reads see every write, watches report the same
// changes, and operations of another engine are "unsupported".
#include "board/every_engine.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include <doctest/doctest.h>

#include "board/board_window.h"
#include "board/fixture.h"

namespace laurel {

namespace {

// An event of a watch as text.
std::string story(const WatchEvent& event) {
  std::string text;
  for (const WindowEntry& entry : event.top->entries) {
    text += fmt::format("{} {} {} ", entry.rank, entry.player, entry.score);
  }
  for (const WindowEntry& entry : event.entered) text += fmt::format("+{} ", entry.player);
  for (const WindowEntry& entry : event.left) text += fmt::format("-{} ", entry.player);
  for (const Moved& moved : event.moved) text += fmt::format("~{} ", moved.entry.player);
  return text;
}

// Takes the window of one board at each tick, as the live channel does.
struct Listener final : RegistryObserver {
  explicit Listener(BoardHandle of) : board(of) {}
  void on_tick(Registry& registry, TickSlice&) override {
    const WindowPtr window = top_window(*registry.get(board), {}, 2, {});
    if (!windows.empty() && windows.back()->version == window->version) return;
    windows.push_back(window);
  }

  BoardHandle board;
  std::vector<WindowPtr> windows;
};

}  // namespace

TEST_CASE("S0-11, X4: a read sees every earlier write, exactly, on every engine") {
  for (const EngineFields& kind : every_engine()) {
    CAPTURE(kind.name);
    Fixture game;
    Board& board = game.board("b", kind.fields);
    std::map<std::string, double> scores;
    std::mt19937_64 random(7);
    for (int i = 0; i < 400; ++i) {
      CAPTURE(i);
      const std::string player = fmt::format("p{}", random() % 40);
      if (random() % 8 == 0) {
        CHECK(*board.remove(player) == (scores.erase(player) > 0));
        CHECK_FALSE(board.rank(player, {}));
      } else {
        // Increasing scores, so that `best` accepts each; a rolling board adds them.
        const double score = i + 1 + static_cast<double>(random() % 3);
        const Result<Outcome> outcome = board.submit(WriteMode::submit, result(player, score));
        REQUIRE(outcome);
        double& held = scores[player];
        held = board.spec().engine == EngineKind::rolling ? held + score : std::max(held, score);
        REQUIRE(outcome->score == held);
        const auto better = std::count_if(scores.begin(), scores.end(),
                                          [&](const auto& other) { return other.second > held; });
        REQUIRE(board.score(player) == held);
        REQUIRE(board.rank(player, {})->rank == static_cast<std::uint64_t>(better) + 1);
      }
      REQUIRE(board.size() == scores.size());
    }
  }
}

TEST_CASE("around with 0 gives the player alone, on every engine and in its past season") {
  for (const EngineFields& kind : every_engine()) {
    CAPTURE(kind.name);
    Fixture game;
    Board& board = game.board("b", kind.fields);
    play(game, board, {{"a", 5}, {"b", 3}, {"c", 3}, {"d", 1}});
    const auto alone = [](const Standings& standings, std::string_view player) {
      Entries out;
      standings.around(player, 0, out);
      return table(out);
    };
    const auto are_alone = [&](const Standings& standings) {
      CHECK(alone(standings, "a") == "1 a 5");
      CHECK(alone(standings, "c") == "2 c 3");
      CHECK(alone(standings, "d") == "4 d 1");
      CHECK(alone(standings, "nobody").empty());
    };
    are_alone(board);
    if (board.spec().engine == EngineKind::rolling) continue;  // it has no seasons
    REQUIRE(board.reset());
    are_alone(*board.archived(1));
    CHECK(alone(board, "a").empty());
  }
}

TEST_CASE("X3: operations of another engine are refused as unsupported") {
  using Request = std::function<std::string(Board&)>;
  Entries out;
  const std::map<std::string_view, std::vector<Request>> asked_of = {
      {"capped",
       {[](Board& board) { return verdict(board.lowest()); },
        [](Board& board) { return verdict(board.merge({})); }}},
      {"padded", {[](Board& board) { return verdict(board.key("p")); }}},
      {"paged", {[](Board& board) { return verdict(board.layout()); }}},
      {"sharded",
       {[](Board& board) { return verdict(board.fetch_size(10, 0.9)); },
        [&out](Board& board) { return verdict(board.top_once(10, 0.9, out)); }}},
      {"rolling", {[](Board& board) { return verdict(board.at(Fixture::kStart / kSecond)); }}}};
  for (const EngineFields& kind : every_engine()) {
    CAPTURE(kind.name);
    Fixture game;
    Board& board = game.board("b", kind.fields);
    REQUIRE(board.submit(WriteMode::submit, result("p", 1)));
    for (const auto& [engine, asks] : asked_of) {
      CAPTURE(engine);
      const bool its_own = kind.name.starts_with(engine);
      for (const Request& ask : asks) CHECK(ask(board) == (its_own ? "ok" : "unsupported"));
    }
    CHECK(verdict(board.submit(WriteMode::add, result("p", 1))) ==
          (kind.name == "capped" ? "unsupported" : "ok"));
    CHECK(verdict(board.set(result("p", 1))) == (kind.name == "rolling" ? "unsupported" : "ok"));
  }
}

TEST_CASE("X5: watches and observers of every engine report the same changes at the same ticks") {
  for (const EngineFields& kind : every_engine()) {
    CAPTURE(kind.name);
    Fixture game;
    const BoardHandle handle = game.open("b", kind.fields);
    Board& board = *game.registry->get(handle);
    std::vector<std::string> told;
    const auto listener = std::make_shared<Listener>(handle);
    game.registry->attach(listener);
    REQUIRE(game.registry->watch(
        handle, 2, [&told](const WatchEvent& event) { told.push_back(story(event)); }));

    play(game, board, {{"a", 5}, {"b", 3}});
    CHECK(told.empty());
    game.registry->tick();
    play(game, board, {{"c", 9}});
    game.registry->tick();
    game.registry->tick();
    CHECK(*board.remove("c"));
    game.registry->tick();
    play(game, board, {{"d", 1}});
    game.registry->tick();

    CHECK(told == std::vector<std::string>{"1 a 5 2 b 3 +a +b ", "1 c 9 2 a 5 +c -b ~a ",
                                           "1 a 5 2 b 3 +b -c ~a "});
    std::vector<std::uint64_t> sizes;
    for (const WindowPtr& window : listener->windows) sizes.push_back(window->size);
    CHECK(sizes == std::vector<std::uint64_t>{2, 3, 2, 3});
    CHECK(listener->windows.back()->entries.front().player == "a");
  }
}

}  // namespace laurel
