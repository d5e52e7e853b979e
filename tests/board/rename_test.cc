// Renaming a player: random histories on boards of every engine and on oracles, with restarts.
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "board/every_engine.h"
#include "fixture.h"
#include "folder.h"
#include "oracle.h"

namespace laurel {

namespace {

// A registry with a board of each engine, a naive list for each board, and what else players have.
class Renames {
 public:
  explicit Renames(std::uint64_t seed)
      : random_(seed), now_(std::make_shared<Time>(Fixture::kStart)) {
    open();
    const std::vector<std::string_view> ties = {"earliest", "latest", "player", "player_desc"};
    for (const auto& [name, fields] : every_engine()) {
      Fields all = fields;
      all.emplace_back("ties", ties[random_() % ties.size()]);
      if (name != "rolling") all.emplace_back("keep", "latest");
      const Result<BoardHandle> opened = registry_->open(name, spec(all));
      REQUIRE(opened);
      oracles_.try_emplace(std::string(name), registry_->get(*opened)->spec());
    }
  }

  void step() {
    *now_ += kSecond;
    switch (random_() % 12) {
      case 0: ban(player()); break;
      case 1: unban(player()); break;
      case 2: save_profile(player()); break;
      case 3: record_session(player()); break;
      case 4: reset(); break;
      case 5: restart(); break;
      case 6:
      case 7:
      case 8: rename(player(), player()); break;
      default: submit(player()); break;
    }
  }

  void compare() const {
    for (const auto& [name, oracle] : oracles_) {
      CAPTURE(name);
      const Board& board = *registry_->get(*registry_->find(name));
      compare(board, oracle);
      if (past_.contains(name)) compare(*board.archived(board.season().number - 1), past_.at(name));
    }
    CHECK(registry_->banned() == std::vector<std::string>(banned_.begin(), banned_.end()));
    std::map<std::string, std::string> profiles;
    registry_->profiles().each(
        [&](const Profile& each) { profiles.emplace(each.id, each.email.value_or("")); });
    REQUIRE(profiles == profiles_);
    for (const auto& [id, email] : profiles_) {
      if (!email.empty()) REQUIRE(registry_->profiles().by_email(email)->id == id);
    }
    for (int i = 0; i < kPlayers; ++i) {
      const std::string id = name_of(i);
      const auto held = sessions_.find(id);
      REQUIRE(registry_->sessions().of_player(id, SIZE_MAX).size() ==
              (held == sessions_.end() ? 0 : held->second));
    }
  }

 private:
  static constexpr int kPlayers = 14;

  static std::string name_of(int i) {
    return i % 5 == 0 ? std::string(30, 'a' + static_cast<char>(i)) : fmt::format("p{}", i);
  }
  std::string player() { return name_of(static_cast<int>(random_() % kPlayers)); }

  void open() {
    Result<std::unique_ptr<Registry>> opened =
        Registry::open({.path = folder_ / "store",
                        .clock = std::make_unique<SharedClock>(now_),
                        .log = Log([](Level, std::string_view) {})});
    REQUIRE(opened);
    registry_ = std::move(*opened);
  }
  void restart() {
    REQUIRE(registry_->close());
    open();
  }

  void submit(const std::string& player) {
    for (auto& [name, oracle] : oracles_) {
      const double score = static_cast<double>(1 + random_() % 4);
      const std::string data = fmt::format("d{}", random_() % 9);
      Board& board = *registry_->get(*registry_->find(name));
      const Result<Outcome> outcome = board.submit(
          WriteMode::submit,
          {.player = player, .score = score, .data = data, .at = seconds_from_time(*now_)});
      REQUIRE(static_cast<bool>(outcome) == !banned_.contains(player));
      if (!outcome) continue;
      if (name == "rolling") {
        const Oracle::Line* const held = oracle.find(player);
        const double sum = (held ? held->score : 0) + score;
        oracle.erase(player);
        oracle.hold(player, sum, *now_, data);
      } else {
        oracle.submit(player, score, *now_, data, false);
      }
    }
  }

  void ban(const std::string& player) {
    REQUIRE(*registry_->ban(player) == banned_.insert(player).second);
    for (auto& [name, oracle] : oracles_) {
      if (const Oracle::Line* const line = oracle.find(player)) hidden_[name].push_back(*line);
      oracle.erase(player);
    }
  }
  void unban(const std::string& player) {
    REQUIRE(*registry_->unban(player) == (banned_.erase(player) > 0));
    for (auto& [name, oracle] : oracles_) {
      std::erase_if(hidden_[name], [&](const Oracle::Line& line) {
        if (line.player != player) return false;
        oracle.hold(line.player, line.score, line.at, line.data);
        return true;
      });
    }
  }

  void save_profile(const std::string& player) {
    const std::string email = fmt::format("{}@{}", profiles_.size(), ++mails_);
    REQUIRE(registry_->profiles().save({.id = player, .name = "n", .email = email}, *now_));
    profiles_[player] = email;
  }
  void record_session(const std::string& player) {
    REQUIRE(registry_->sessions().record({.player = player, .game = "g", .score = 1}, *now_));
    profiles_.try_emplace(player);
    ++sessions_[player];
  }

  void reset() {
    for (auto& [name, oracle] : oracles_) {
      if (name == "rolling") continue;
      REQUIRE(registry_->get(*registry_->find(name))->reset());
      past_.erase(name);
      past_.emplace(name, oracle);
      oracle = Oracle(registry_->get(*registry_->find(name))->spec());
      hidden_.erase(name);
    }
  }

  bool has_anything(const std::string& player) {
    const auto has = [&](const auto& lists) {
      return std::any_of(lists.begin(), lists.end(),
                         [&](const auto& each) { return each.second.find(player) != nullptr; });
    };
    for (const auto& [name, lines] : hidden_) {
      for (const Oracle::Line& line : lines) {
        if (line.player == player) return true;
      }
    }
    return has(oracles_) || has(past_) || banned_.contains(player) || profiles_.contains(player);
  }

  void rename(const std::string& from, const std::string& to) {
    const Result<bool> renamed = registry_->rename(from, to);
    if (!has_anything(from)) {
      REQUIRE(renamed);
      REQUIRE_FALSE(*renamed);
      return;
    }
    if (has_anything(to)) {
      REQUIRE(verdict(renamed) == "taken");
      return;
    }
    REQUIRE(*renamed);
    const auto move_in = [&](auto& lists) {
      for (auto& [name, oracle] : lists) {
        const Oracle::Line* const line = oracle.find(from);
        if (line == nullptr) continue;
        Oracle::Line moved = *line;
        oracle.erase(from);
        oracle.hold(to, moved.score, moved.at, moved.data);
      }
    };
    move_in(oracles_);
    move_in(past_);
    for (auto& [name, lines] : hidden_) {
      for (Oracle::Line& line : lines) {
        if (line.player == from) line.player = to;
      }
    }
    if (banned_.erase(from) > 0) banned_.insert(to);
    if (auto node = profiles_.extract(from); !node.empty()) {
      node.key() = to;
      profiles_.insert(std::move(node));
    }
    if (auto node = sessions_.extract(from); !node.empty()) {
      node.key() = to;
      sessions_.insert(std::move(node));
    }
  }

  static void compare(const Standings& board, const Oracle& oracle) {
    const std::vector<Oracle::Line> lines = oracle.sorted();
    Entries entries;
    board.read(0, SIZE_MAX, entries);
    REQUIRE(entries.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(i);
      REQUIRE(entries[i].player == lines[i].player);
      REQUIRE(entries[i].score == lines[i].score);
      REQUIRE(entries[i].at == lines[i].at);
      REQUIRE(entries[i].data == lines[i].data);
      REQUIRE(*board.position(lines[i].player) == i);
    }
  }

  std::mt19937_64 random_;
  test::Folder folder_;
  std::shared_ptr<Time> now_;
  std::unique_ptr<Registry> registry_;
  std::map<std::string, Oracle> oracles_;
  std::map<std::string, Oracle> past_;  // the last past season
  std::map<std::string, std::vector<Oracle::Line>> hidden_;
  std::set<std::string> banned_;
  std::map<std::string, std::string> profiles_;  // emails
  std::map<std::string, std::size_t> sessions_;
  int mails_ = 0;
};

}  // namespace

TEST_CASE("renames, and what is found of them after a restart, agree with a naive list") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Renames history(seed);
    for (int i = 0; i < 120; ++i) {
      CAPTURE(i);
      history.step();
      if (i % 3 == 2) history.compare();
    }
  }
}

TEST_CASE("a player out of sight of a capped board is renamed, too") {
  Fixture game;
  Board& board = game.board("b", {{"engine", "capped"}, {"cap", 1.0}, {"reserve", 2.0}});
  play(game, board, {{"a", 9}, {"b", 8}, {"c", 7}});
  CHECK(*game.registry->rename("b", "d"));
  CHECK(table(board) == "1 a 9");
  CHECK(*board.remove("a"));
  CHECK(table(board) == "1 d 8");
  CHECK(*game.registry->rename("c", "e"));
  CHECK(*board.remove("d"));
  CHECK(table(board) == "1 e 7");
}

TEST_CASE("a rename leaves no player behind in memory") {
  Fixture game;
  Board& board = game.board("b", {{"join", "required"}});
  CHECK(*board.join(result("p", 5), true));
  CHECK(*board.ban("p"));
  CHECK(*game.registry->ban("p"));
  CHECK(*game.registry->rename("p", "q"));
  CHECK(game.registry->stats().players == 1);
  CHECK(board.banned() == std::vector<std::string>{"q"});
  CHECK(*game.registry->unban("q"));
  CHECK(table(board) == "1 q 5");
  CHECK(*game.registry->forget("q") == 1);
  CHECK(game.registry->stats().players == 0);
}

}  // namespace laurel
