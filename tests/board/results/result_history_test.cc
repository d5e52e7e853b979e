// The history of a board and what taking results back does, compared with a naive model that has
// all results and replays them.
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "folder.h"
#include "long_form.h"
#include "pick.h"

namespace laurel {

namespace {

using test::pick;

// What a player holds, in the model.
struct Holding {
  double score = 0;
  Time at = 0;
  std::optional<std::string> data;
  friend bool operator==(const Holding&, const Holding&) = default;
};

struct Played {
  ResultBy by = ResultBy::submit;
  double score = 0;
  Time at = 0;
  std::optional<std::string> data;
  std::optional<Holding> before;
};

// All results of the season, of which the last `most` of each player count as kept.
class Model {
 public:
  Model(const Spec& spec, std::size_t most) : spec_(spec), most_(most) {}

  struct Of {
    std::optional<Holding> held;
    std::vector<Played> results;
  };

  Of& of(const std::string& player) { return players_[player]; }
  std::map<std::string, Of>& players() { return players_; }
  // Older results are dropped when the player has the next one.
  void resize(std::size_t most) { most_ = most; }

  // Nothing if the board refuses it.
  std::optional<Holding> decide(const std::optional<Holding>& held, const Played& result) const {
    if (!held || result.by == ResultBy::set) return take(held, result.score, result);
    double score = result.score;
    if (result.by == ResultBy::add || spec_.keep == Keep::sum) {
      score = held->score + result.score;
    } else {
      const bool worse = spec_.order == Order::desc ? score < held->score : score > held->score;
      if (spec_.keep == Keep::first || (spec_.keep == Keep::best && worse)) return held;
    }
    return take(held, score, result);
  }

  void play(const std::string& player, Played result) {
    Of& of = players_[player];
    result.before = of.held;
    of.held = decide(of.held, result);
    of.results.push_back(std::move(result));
    drop_old(of);
  }

  // Whether there was such a result.
  bool take_back(const std::string& player, Time at) {
    Of of = players_[player];
    drop_old(of);
    if (std::ranges::none_of(of.results, [&](const Played& each) { return each.at == at; })) {
      return false;
    }
    std::optional<Holding> held = of.results.front().before;
    std::vector<Played> left;
    for (Played& result : of.results) {
      if (result.at == at) continue;
      const std::optional<Holding> next = decide(held, result);
      if (!next) continue;
      result.before = std::exchange(held, next);
      left.push_back(result);
    }
    players_[player] = {held, left};
    return true;
  }

  // As Board::history shows it.
  std::string history(const std::string& player) {
    Of& of = players_[player];
    std::string text;
    std::optional<Holding> held = of.held;
    for (std::size_t i = of.results.size(); i > 0 && of.results.size() - i < most_; --i) {
      const Played& result = of.results[i - 1];
      text += fmt::format("{} {} {} {} {}; ", static_cast<int>(result.by), result.score,
                          held->score, result.at, result.data.value_or("-"));
      held = result.before;
    }
    return text;
  }

 private:
  std::optional<Holding> take(const std::optional<Holding>& held, double score,
                              const Played& result) const {
    if (spec_.engine == EngineKind::padded && score < 0) return std::nullopt;
    if (!held || held->score != score) return Holding{score, result.at, result.data};
    Holding same = *held;
    if (result.data) same.data = result.data;
    return same;
  }
  void drop_old(Of& of) const {
    if (of.results.size() <= most_) return;
    of.results.erase(of.results.begin(), of.results.end() - static_cast<std::ptrdiff_t>(most_));
  }

  Spec spec_;
  std::size_t most_;
  std::map<std::string, Of> players_;
};

std::string shown(const std::vector<PastResult>& results) {
  std::string text;
  for (const PastResult& result : results) {
    text += fmt::format("{} {} {} {} {}; ", static_cast<int>(result.by), result.score, result.held,
                        result.at, result.data.value_or("-"));
  }
  return text;
}

// A registry that may be on a disk, and restarted.
class Host {
 public:
  explicit Host(bool durable) : durable_(durable) { start(); }

  void start() {
    registry.reset();
    Result<std::unique_ptr<Registry>> opened =
        Registry::open({.path = durable_ ? folder_ / "boards" : std::string(),
                        .durability = Durability::none,
                        .clock = std::make_unique<SharedClock>(now),
                        .log = Log([](Level, std::string_view) {}),
                        .secret = HashSecret::fixed(1)});
    REQUIRE(opened);
    registry = std::move(*opened);
  }

  std::shared_ptr<Time> now = std::make_shared<Time>(1'000'000 * kSecond);
  std::unique_ptr<Registry> registry;

 private:
  test::Folder folder_{"history"};
  bool durable_;
};

class Game {
 public:
  explicit Game(std::uint64_t seed)
      : random_(seed),
        durable_(seed % 3 == 0),
        host_(durable_),
        most_(pick<std::size_t>(random_, {1, 2, 3, 5, 100})),
        handle_(*host_.registry->open("b", spec(fields()))),
        model_(board().spec(), most_) {}

  void step() {
    *host_.now += static_cast<Time>(random_() % 3) * kSecond;
    const std::string player = fmt::format("p{}", random_() % 6);
    switch (random_() % 40) {
      case 0: remove(player); break;
      case 1: ban(player); break;
      case 2: unban(player); break;
      case 3:
      case 4:
      case 5:
      case 6: take_back(player); break;
      case 7: reset(); break;
      case 8: resize(); break;
      case 9: host_.registry->tick(); break;
      case 10: restart(); break;
      case 11: clear(); break;
      default: play(player); break;
    }
  }

  void compare() {
    for (auto& [player, of] : model_.players()) {
      CAPTURE(player);
      REQUIRE(shown(board().history(player, SIZE_MAX)) == model_.history(player));
      if (banned_.contains(player)) continue;
      const std::optional<Entry> entry = board().get(player);
      REQUIRE(entry.has_value() == of.held.has_value());
      if (!entry) continue;
      REQUIRE(entry->score == of.held->score);
      REQUIRE(entry->at == of.held->at);
      REQUIRE(entry->data == of.held->data);
    }
  }

 private:
  Fields fields() {
    Fields fields = {{"order", pick<std::string_view>(random_, {"desc", "asc"})},
                     {"keep", pick<std::string_view>(random_, {"best", "latest", "sum", "first"})},
                     {"ties", pick<std::string_view>(random_, {"earliest", "latest", "player"})},
                     {"archive", 2.0},
                     {"history", static_cast<double>(most_)}};
    const auto engine = pick<std::string_view>(random_, {"ranked", "padded", "paged", "sharded"});
    fields.push_back({"engine", engine});
    if (engine == "sharded") {
      fields.push_back({"shards", 3.0});
      fields.push_back({"of", pick<std::string_view>(random_, {"ranked", "paged"})});
    }
    if (engine == "padded") {
      fields.push_back({"decimals", 1.0});
    } else if (random_() % 2 == 0) {
      fields.push_back({"decimals", pick(random_, {0.0, 1.0})});
    }
    return fields;
  }

  Board& board() { return *host_.registry->get(handle_); }

  void play(const std::string& player) {
    Played result;
    result.by = pick(random_, {ResultBy::submit, ResultBy::submit, ResultBy::submit, ResultBy::add,
                               ResultBy::set});
    result.score = static_cast<double>(random_() % 7);
    if (board().spec().engine != EngineKind::padded || result.by == ResultBy::add) {
      result.score -= 3;
    }
    if (random_() % 4 == 0) result.data = fmt::format("d{}", random_() % 3);
    Submission submission{.player = player, .score = result.score};
    if (result.data) submission.data = *result.data;
    if (random_() % 3 == 0) submission.at = static_cast<double>(random_() % 4);
    if (!submission.at) last_ = std::max(*host_.now, last_ + 1);
    result.at = submission.at ? static_cast<Time>(*submission.at) * kSecond : last_;
    const Result<Outcome> outcome = board().submit(mode_of(result.by), submission);
    if (banned_.contains(player)) {
      REQUIRE(verdict(outcome) == "banned");
    } else if (!model_.decide(model_.of(player).held, result)) {
      REQUIRE(verdict(outcome) == "out_of_range");
    } else {
      REQUIRE(verdict(outcome) == "ok");
      model_.play(player, result);
      REQUIRE(*outcome->score == model_.of(player).held->score);
    }
  }

  void take_back(const std::string& player) {
    const std::vector<PastResult> kept = board().history(player, SIZE_MAX);
    Time at = static_cast<Time>(random_() % 4) * kSecond;
    if (!kept.empty() && random_() % 2 == 0) at = kept[random_() % kept.size()].at;
    const std::optional<Holding> was = model_.of(player).held;
    const Result<Outcome> outcome = board().take_back(player, seconds_from_time(at));
    if (!model_.take_back(player, at)) {
      REQUIRE(verdict(outcome) == "unknown");
      return;
    }
    REQUIRE(verdict(outcome) == "ok");
    const std::optional<Holding>& held = model_.of(player).held;
    REQUIRE(outcome->score.has_value() == held.has_value());
    if (held) REQUIRE(*outcome->score == held->score);
    REQUIRE(outcome->changed == (held != was));
  }

  void remove(const std::string& player) {
    REQUIRE(*board().remove(player) == model_.of(player).held.has_value());
    model_.of(player) = {};
  }

  void ban(const std::string& player) {
    (void)board().ban(player);
    banned_.insert(player);
  }

  void unban(const std::string& player) {
    (void)board().unban(player);
    banned_.erase(player);
  }

  void clear() {
    REQUIRE(board().clear());
    model_.players().clear();
  }

  void reset() {
    REQUIRE(board().reset());
    model_.players().clear();
  }

  void resize() {
    most_ = pick<std::size_t>(random_, {1, 2, 4, 7});
    REQUIRE(host_.registry->open("b", spec({{"history", static_cast<double>(most_)}})));
    model_.resize(most_);
  }

  void restart() {
    if (!durable_) return;
    host_.start();
    handle_ = *host_.registry->find("b");
  }

  std::mt19937_64 random_;
  bool durable_;
  Host host_;
  std::size_t most_;
  BoardHandle handle_;
  Model model_;
  std::set<std::string> banned_;
  Time last_ = INT64_MIN;
};

}  // namespace

TEST_CASE("history and taking back agree with a model that replays all results") {
  const std::uint64_t seeds = short_or_long(120U, 3000U);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Game game(seed);
    for (int i = 0; i < 150; ++i) {
      CAPTURE(i);
      game.step();
      if (i % 4 == 3) game.compare();
    }
  }
}

TEST_CASE("the oldest kept result knows what was held before it") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "sum"}, {"history", 2.0}});
  play(game, board, {{"ada", 1}, {"ada", 10}, {"ada", 100}});
  const Result<Outcome> outcome =
      board.take_back("ada", seconds_from_time(board.history("ada", 9).back().at));
  REQUIRE(outcome);
  CHECK(outcome->score == 101);
  CHECK(outcome->changed);
  CHECK(board.history("ada", 9).size() == 1);
}

TEST_CASE("memory does not grow with the results of a durable board") {
  const test::Folder folder("history");
  Result<std::unique_ptr<Registry>> registry =
      Registry::open({.path = folder / "boards",
                      .durability = Durability::none,
                      .log = Log([](Level, std::string_view) {})});
  REQUIRE(registry);
  Board& board = *(*registry)->get(*(*registry)->open("b", spec({{"history", 100.0}})));
  const auto play_all = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < 100; ++i) {
        const std::string player = fmt::format("p{}", i);
        REQUIRE(board.submit(WriteMode::submit, result(player, round)));
      }
    }
    REQUIRE((*registry)->flush());
  };
  play_all(3);
  const std::size_t before = board.bytes();
  play_all(200);
  CHECK(board.bytes() < before + 1000);  // of 20,000 results; the engine may have another leaf
  CHECK(board.history("p7", SIZE_MAX).size() == 100);
}

TEST_CASE("a history is dropped with its season, and its rows are freed in steps") {
  Fixture game;
  Board& board = game.board("b", {{"engine", "padded"}, {"history", 10.0}});
  for (int i = 0; i < 3000; ++i) {
    const std::string player = fmt::format("p{}", i);
    REQUIRE(board.submit(WriteMode::submit, result(player, 1)));
    REQUIRE(board.submit(WriteMode::submit, result(player, 2)));
  }
  const std::uint64_t rows = game.registry->stats().store_entries;
  REQUIRE(board.reset());
  CHECK(board.history("p1", 9).empty());
  CHECK(game.registry->stats().reclaiming > 0);
  for (int i = 0; i < 20; ++i) game.registry->tick();
  CHECK(game.registry->stats().reclaiming == 0);
  // At most 120 results of that size are in a row of the store.
  CHECK(game.registry->stats().store_entries <= rows - 6000 / 120);
}

}  // namespace laurel
