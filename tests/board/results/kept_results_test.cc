// Ids, attempts and capacity of boards of every engine, in random histories with restarts, against
// plain maps.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "board/every_engine.h"
#include "board/results/attempts.h"
#include "folder.h"
#include "long_form.h"

namespace laurel {

namespace {

class KeptHistory {
 public:
  KeptHistory(std::uint64_t seed, const Fields& fields, bool is_durable)
      : random_(seed), is_durable_(is_durable) {
    open();
    std::ignore = registry_->open("b", spec(fields));
    can_be_full_ =
        board().spec().engine != EngineKind::capped && board().spec().engine != EngineKind::rolling;
    is_rolling_ = board().spec().engine == EngineKind::rolling;
  }

  void step() {
    *now_ += static_cast<Time>(random_() % 3000) * kSecond;
    const std::string player = fmt::format("p{}", random_() % 8);
    switch (random_() % 24) {
      case 0: ban(player); break;
      case 1: std::ignore = board().remove(player); break;
      case 2: grant(player); break;
      case 3: change(); break;
      case 4: forget(player); break;
      case 5: reset(); break;
      case 6:
        if (random_() % 3 == 0) restart();
        break;
      default: submit(player); break;
    }
    compare(player);
  }

 private:
  struct Count {
    std::uint64_t taken = 0;
    std::int64_t granted = 0;
  };

  Board& board() { return *registry_->get(*registry_->find("b")); }

  void open() {
    RegistryOptions options{.clock = std::make_unique<SharedClock>(now_),
                            .log = Log([](Level, std::string_view) {}),
                            .secret = HashSecret::fixed(1)};
    if (is_durable_) options.path = folder_.path();
    registry_ = std::move(*Registry::open(std::move(options)));
  }

  void restart() {
    if (!is_durable_) return;
    if (random_() % 2 == 0) registry_->tick();
    REQUIRE(registry_->close());
    registry_.reset();
    open();
  }

  bool is_repeated(const std::string& id) const {
    const auto found = ids_.find(id);
    return found != ids_.end() && *now_ < found->second + kDay;
  }
  std::int64_t left(const std::string& player) const {
    const auto found = counts_.find(player);
    const Count count = found == counts_.end() ? Count{} : found->second;
    return std::max<std::int64_t>(static_cast<std::int64_t>(attempts_) + count.granted -
                                      static_cast<std::int64_t>(count.taken),
                                  0);
  }

  // What a valid result is answered.
  std::string expected(const std::string& player, bool is_set) {
    if (is_set && is_rolling_) return "unsupported";
    if (banned_.contains(player)) return "banned";
    if (is_set) return "ok";
    if (attempts_ != 0 && left(player) == 0) return "exhausted";
    const bool is_on = board().score(player).has_value();
    if (capacity_ != 0 && !is_on && board().size() >= capacity_) return "full";
    return "ok";
  }

  void submit(const std::string& player) {
    const std::string id = fmt::format("m{}", random_() % 40);
    Submission submission{.player = player, .score = static_cast<double>(1 + random_() % 9)};
    if (random_() % 2 == 0) submission.id = id;
    const bool repeats = submission.id && is_repeated(id);
    const bool is_set = random_() % 6 == 0;
    const std::string verdict_expected = repeats ? "ok" : expected(player, is_set);
    const std::string before = table(board());
    const std::optional<double> held = board().score(player);
    if (!is_set && random_() % 3 == 0) {
      std::string answer = "ok";
      board().submit_all({&submission, 1}, [&](std::size_t, const Refusal& refusal) {
        answer = word(refusal.code());
      });
      REQUIRE(answer == verdict_expected);
    } else if (!is_set && random_() % 3 == 0) {
      const Result<Change> change = board().submit_report(submission);
      REQUIRE(verdict(change) == verdict_expected);
      if (repeats) {
        REQUIRE(change->passed == 0);
        REQUIRE(change->score == held);
        REQUIRE(change->previous == held);
      }
    } else {
      const Result<Outcome> outcome =
          board().submit(is_set ? WriteMode::set : WriteMode::submit, submission);
      REQUIRE(verdict(outcome) == verdict_expected);
      if (repeats) {
        REQUIRE(outcome->score == held);
        REQUIRE(!outcome->changed);
      }
    }
    if (repeats || verdict_expected != "ok") REQUIRE(table(board()) == before);
    if (repeats || verdict_expected != "ok") return;
    if (submission.id) ids_[id] = *now_;
    if (attempts_ != 0 && !is_set) ++counts_[player].taken;
  }

  void ban(const std::string& player) {
    if (banned_.erase(player) > 0) {
      REQUIRE(*board().unban(player));
    } else {
      banned_[player];
      REQUIRE(*board().ban(player));
    }
  }

  void grant(const std::string& player) {
    const std::int64_t more = static_cast<std::int64_t>(random_() % 7) - 3;
    const Result<std::uint64_t> granted = board().grant(player, more);
    REQUIRE(verdict(granted) == (attempts_ == 0 ? "unsupported" : "ok"));
    if (attempts_ == 0) return;
    counts_[player].granted += more;
    REQUIRE(static_cast<std::int64_t>(*granted) == left(player));
  }

  void change() {
    attempts_ = random_() % 3 == 0 ? 0 : random_() % 4;
    if (attempts_ == 0) counts_.clear();
    Fields fields = {{"attempts", FieldValue(false)}};
    if (attempts_ != 0) fields[0].second = static_cast<double>(attempts_);
    if (can_be_full_) {
      capacity_ = random_() % 3 == 0 ? 0 : random_() % 6;
      fields.push_back({"capacity", FieldValue(false)});
      if (capacity_ != 0) fields[1].second = static_cast<double>(capacity_);
    }
    REQUIRE(registry_->open("b", spec(fields)));
  }

  void forget(const std::string& player) {
    REQUIRE(registry_->forget(player));
    counts_.erase(player);
    banned_.erase(player);
  }

  void reset() {
    if (random_() % 2 == 0) {
      REQUIRE(board().clear());
    } else {
      REQUIRE(board().reset());
      counts_.clear();
    }
  }

  void compare(const std::string& player) {
    const std::optional<AttemptsOf> counted = board().attempts(player);
    REQUIRE(counted.has_value() == (attempts_ != 0));
    if (!counted) return;
    REQUIRE(counted->taken == counts_[player].taken);
    REQUIRE(static_cast<std::int64_t>(counted->left) == left(player));
  }

  std::mt19937_64 random_;
  bool is_durable_;
  test::Folder folder_;
  std::shared_ptr<Time> now_ = std::make_shared<Time>(1'000'000 * kSecond);
  std::unique_ptr<Registry> registry_;
  bool can_be_full_ = false;
  bool is_rolling_ = false;
  std::uint64_t attempts_ = 0;
  std::uint64_t capacity_ = 0;
  std::map<std::string, Time> ids_;
  std::map<std::string, Count> counts_;
  std::map<std::string, bool> banned_;
};

}  // namespace

TEST_CASE("ids, attempts and capacity agree with plain maps over random histories") {
  const int histories = short_or_long(6, 200);
  for (const auto& [name, fields] : every_engine()) {
    for (int seed = 0; seed < histories; ++seed) {
      CAPTURE(name);
      CAPTURE(seed);
      KeptHistory history(static_cast<std::uint64_t>(seed), fields, seed % 3 == 0);
      for (int i = 0; i < 250; ++i) {
        CAPTURE(i);
        history.step();
      }
    }
  }
}

// From 20,000 players on a board fetches what is kept of a result before it looks at it, with what
// it computes of the id then.
TEST_CASE(
    "large boards and batches tell repeated ids from new ones, in memory that is used again") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "latest"}, {"attempts", 1e15}});
  for (std::size_t i = 0; i < 21'000; ++i) {
    REQUIRE(board.submit(WriteMode::submit, result(fmt::format("p{}", i), 1)));
  }
  REQUIRE(*board.ban("p7"));
  std::mt19937_64 random(1);
  std::map<std::string, bool> accepted;
  std::map<std::string, std::uint64_t> taken;
  double score = 1;  // a new one each time, so that each result which is taken changes its entry
  std::vector<std::string> players(150);
  std::vector<std::string> ids(players.size());
  std::vector<Submission> batch;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    if (round == 200) REQUIRE(board.clear());  // a small board fetches nothing
    batch.clear();
    const std::size_t size = 1 + random() % players.size();
    std::size_t changes = 0;
    for (std::size_t i = 0; i < size; ++i) {
      players[i] = fmt::format("p{}", random() % 10);
      ids[i] = fmt::format("match {}", random() % 20'000);
      Submission submission{.player = players[i], .score = ++score};
      if (random() % 4 != 0) submission.id = ids[i];
      batch.push_back(submission);
      if (players[i] == "p7" || (submission.id && accepted[ids[i]])) continue;
      if (submission.id) accepted[ids[i]] = true;
      ++taken[players[i]];
      ++changes;
    }
    std::size_t changed = 0;
    if (round % 2 == 0) {
      changed = board.submit_all(batch, [](std::size_t, const Refusal&) {});
    } else {
      for (const Submission& each : batch) {
        const Result<Outcome> outcome = board.submit(WriteMode::submit, each);
        changed += outcome && outcome->changed ? 1 : 0;
      }
    }
    REQUIRE(changed == changes);
  }
  for (const auto& [player, count] : taken) {
    const std::uint64_t before = player == "p7" ? 0 : 1;  // the one that made the board large
    CHECK(board.attempts(player)->taken == count + before);
  }
}

TEST_CASE("a reset of a board with many counts frees their players in steps") {
  Fixture game;
  Board& board = game.board("b", {{"attempts", 2.0}});
  constexpr std::size_t kPlayers = 100'000;
  for (std::size_t i = 0; i < kPlayers; ++i) {
    REQUIRE(board.submit(WriteMode::submit, result(fmt::format("p{}", i), 1)));
  }
  REQUIRE(board.reset());
  REQUIRE(game.registry->stats().players > kPlayers / 2);
  game.board("b", {{"archive", 0.0}});
  for (int i = 0; i < 10'000 && game.registry->stats().reclaiming > 0; ++i) game.registry->tick();
  CHECK(game.registry->stats().players == 0);
  CHECK(board.attempts("p1")->left == 2);
}

TEST_CASE("a dropped board leaves no rows of ids and attempts") {
  test::Folder folder;
  const auto open = [&folder] {
    return std::move(
        *Registry::open({.path = folder.path(), .log = Log([](Level, std::string_view) {})}));
  };
  std::unique_ptr<Registry> registry = open();
  Board& board = *registry->get(*registry->open("b", spec({{"attempts", 5.0}})));
  for (int i = 0; i < 300; ++i) {
    const std::string id = std::to_string(i);
    Submission submission{.player = id, .score = 1, .id = id};
    REQUIRE(board.submit(WriteMode::submit, submission));
  }
  REQUIRE(registry->flush());
  REQUIRE(registry->stats().store_entries > 600);
  REQUIRE(*registry->drop("b"));
  for (int i = 0; i < 10; ++i) {
    registry->tick();
    REQUIRE(registry->flush());
  }
  REQUIRE(registry->close());
  registry = open();
  registry->tick();
  REQUIRE(registry->flush());
  CHECK(registry->stats().store_entries < 10);
}

}  // namespace laurel
