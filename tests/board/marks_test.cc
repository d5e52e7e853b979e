// Marks compared with a list: what a board lists when a mark is set, with ranks by definition.
// Random histories on each engine that has marks, in memory and on a disk.
#include <array>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "fixture.h"
#include "folder.h"
#include "long_form.h"
#include "naive_order.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

struct MarkedLine {
  std::string player;
  double score;
  Time at;
};

// The order at the last mark.
class NaiveMark {
 public:
  void set(const Board& board) {
    is_set_ = true;
    lines_.clear();
    Entries entries;
    board.read(0, SIZE_MAX, entries);
    for (const Entry& entry : entries) {
      lines_.push_back({std::string(entry.player), entry.score, entry.at});
    }
  }
  void set_empty() {
    is_set_ = true;
    lines_.clear();
  }
  bool is_set() const { return is_set_; }
  void forget(const std::string& player) {
    std::erase_if(lines_, [&](const MarkedLine& line) { return line.player == player; });
  }
  void rename(const std::string& from, const std::string& to, const Spec& spec) {
    for (MarkedLine& line : lines_) {
      if (line.player == from) line.player = to;
    }
    naive_sort(lines_, spec);
  }
  bool has(const std::string& player) const { return find(player) < lines_.size(); }

  // "3 of 120", or "-".
  std::string rank_of(const std::string& player, Ranking ranking) const {
    const std::size_t i = find(player);
    if (i == lines_.size()) return "-";
    return fmt::format("{} with {}", naive_rank(lines_, i, ranking), lines_[i].score);
  }

 private:
  std::size_t find(const std::string& player) const {
    std::size_t i = 0;
    while (i < lines_.size() && lines_[i].player != player) ++i;
    return i;
  }

  std::vector<MarkedLine> lines_;
  bool is_set_ = false;
};

class MarkedGame {
 public:
  MarkedGame(std::uint64_t seed, const Fields& fields, bool durable)
      : random_(seed), now_(std::make_shared<Time>(Fixture::kStart)), folder_(durable) {
    start();
    const auto opened = registry_->open("b", spec(fields));
    if (!opened) FAIL(opened.refusal().text());
    spec_ = board().spec();
    if (spec_.marks) mark_.set_empty();
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      *now_ += static_cast<Time>(random_() % 3) * kSecond;
      step();
      if (random_() % 16 == 0) compare();
    }
    compare();
  }

 private:
  struct OwnFolder {
    explicit OwnFolder(bool durable) {
      if (durable) folder = std::make_unique<test::Folder>();
    }
    std::unique_ptr<test::Folder> folder;
  };

  void start() {
    registry_.reset();
    RegistryOptions options{.clock = std::make_unique<SharedClock>(now_),
                            .log = Log([](Level, std::string_view) {}),
                            .rules = nullptr,
                            .secret = HashSecret::fixed(1)};
    if (!folder_.folder) {
      registry_ = std::make_unique<Registry>(std::move(options));
      return;
    }
    options.path = folder_.folder->path();
    options.durability = Durability::none;
    auto opened = Registry::open(std::move(options));
    if (!opened) FAIL(opened.refusal().text());
    registry_ = std::move(*opened);
  }

  Board& board() { return *registry_->get(*registry_->find("b")); }
  std::string player() { return fmt::format("p{}", random_() % 40); }
  double score() { return static_cast<double>(random_() % 12); }
  // A moment of the past or the future, or that of the mark. Some are equal.
  double any_moment() {
    const Time around = random_() % 2 == 0 ? board().marked_at().value_or(*now_) : *now_;
    return seconds_from_time(around) + static_cast<double>(random_() % 9) * 2 - 8;
  }

  void update(const Fields& fields) {
    const auto opened = registry_->open("b", spec(fields));
    if (!opened) FAIL(opened.refusal().text());
  }

  void step() {
    const std::string id = player();
    switch (random_() % 60) {
      case 0:
      case 1:
        REQUIRE(board().mark());
        mark_.set(board());
        break;
      case 2:
        (void)registry_->forget(id);
        mark_.forget(id);
        break;
      case 3: REQUIRE(board().ban(id)); break;
      case 4: REQUIRE(board().unban(id)); break;
      case 5:
        if (random_() % 3 == 0) REQUIRE(board().clear());
        break;
      case 6:
        if (random_() % 3 == 0) {
          REQUIRE(board().reset());
          if (mark_.is_set()) mark_.set_empty();
        }
        break;
      case 7:
        if (folder_.folder) start();
        break;
      case 8: update({{"ranking", word(kEveryRanking[random_() % kEveryRanking.size()])}}); break;
      case 9:
        if (spec_.engine == EngineKind::capped) {
          update({{"cap", static_cast<double>(3 + random_() % 20)},
                  {"reserve", static_cast<double>(random_() % 10)}});
        }
        break;
      case 10: rename(id); break;
      case 11: (void)board().submit(WriteMode::add, {.player = id, .score = 1}); break;
      case 12: (void)board().set({.player = id, .score = score()}); break;
      case 22:
      case 23:
      case 24:
        (void)board().submit(WriteMode::submit,
                             {.player = id, .score = score(), .at = any_moment()});
        break;
      case 13: (void)board().set_data(id, "data"); break;
      case 21:
        if (!folder_.folder) move_to_another_registry();
        break;
      case 14: registry_->tick(); break;
      case 15:
      case 16:
      case 17:
      case 18:
      case 19:
      case 20: REQUIRE(board().remove(id)); break;
      default: (void)board().submit(WriteMode::submit, {.player = id, .score = score()});
    }
  }

  void rename(const std::string& from) {
    const std::string to = fmt::format("q{}", random_() % 40);
    const Result<bool> renamed = registry_->rename(from, to);
    if (!renamed || !*renamed) return;
    mark_.rename(from, to, spec_);
    // Back again, so that there are not ever more players.
    const Result<bool> back = registry_->rename(to, from);
    REQUIRE((back && *back));
    mark_.rename(to, from, spec_);
  }

  void move_to_another_registry() {
    const test::Folder folder;
    REQUIRE(export_registry(*registry_, folder / "export"));
    start();
    const Status imported = import_registry(*registry_, folder / "export");
    if (!imported) FAIL(imported.refusal().text());
    REQUIRE(export_registry(*registry_, folder / "again"));
    const auto lines_of = [&](const char* file) {
      std::ifstream in(folder / file);
      std::multiset<std::string> lines;  // sets of players have no order
      for (std::string line; std::getline(in, line);) lines.insert(line);
      return lines;
    };
    REQUIRE((lines_of("export") == lines_of("again")));
  }

  // The changes of a list are those of its entries: of the top, which is kept and grows, of parts
  // that may begin there, and of the last entries, which may be the reversed top. Other entries may
  // be before them, or have been.
  void compare_lists(const Board& now) {
    Entries entries;
    if (random_() % 3 == 0) {
      now.read(random_() % 3, 1 + random_() % 5, entries);
      if (random_() % 2 == 0) entries.clear();
    }
    const std::size_t n = 1 + random_() % 30;
    if (random_() % 4 == 0) {
      now.bottom(n, entries);
    } else {
      now.read(random_() % 3 == 0 ? random_() % 10 : 0, n, entries);
    }
    std::vector<std::optional<double>> room;
    const auto changes = now.rank_changes(entries, room);
    REQUIRE(changes.size() == (now.marks_version() == 0 ? 0 : entries.size()));
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const std::string id(entries[i].player);
      CAPTURE(id);
      const std::string was = mark_.rank_of(id, now.spec().ranking);
      const std::optional<double> climbed = changes[i];
      const double rank = static_cast<double>(entries[i].rank);
      REQUIRE((climbed ? fmt::format("{}", rank + *climbed) : "-") == was.substr(0, was.find(' ')));
      REQUIRE(now.rank_change(id, i) == climbed);
      REQUIRE(now.rank_change(id, random_() % 40) == climbed);
    }
  }

  void compare() {
    Board& now = board();
    compare_lists(now);
    const Ranking ranking = now.spec().ranking;
    Entries entries;
    now.read(0, SIZE_MAX, entries);
    for (const Entry& entry : entries) {
      const std::string id(entry.player);
      CAPTURE(id);
      const std::optional<Rank> rank = now.rank_at_mark(entry);
      const auto since = now.since(id);
      REQUIRE(since);
      REQUIRE(*since);
      const std::string told =
          (*since)->previous_rank
              ? fmt::format("{} with {}", *(*since)->previous_rank, *(*since)->previous)
              : "-";
      REQUIRE(told == mark_.rank_of(id, ranking));
      REQUIRE(rank == (*since)->previous_rank);
      REQUIRE((*since)->mark.has_value() == mark_.is_set());
    }
  }

  std::mt19937_64 random_;
  std::shared_ptr<Time> now_;
  OwnFolder folder_;
  std::unique_ptr<Registry> registry_;
  Spec spec_;
  NaiveMark mark_;
};

std::vector<std::pair<std::string_view, Fields>> marked_engines() {
  return {{"ranked", {}},
          {"capped", {{"engine", "capped"}, {"cap", 10.0}, {"reserve", 4.0}}},
          {"sharded", {{"engine", "sharded"}, {"shards", 3.0}}}};
}

}  // namespace

TEST_CASE("ranks at a mark are those of the list that the board had then") {
  std::uint64_t seed = 0;
  for (const bool durable : {false, true}) {
    for (const auto& kind : marked_engines()) {
      for (const std::string_view ties : {"earliest", "latest", "player", "player_desc"}) {
        for (const Ranking ranking : kEveryRanking) {
          ++seed;
          INFO("seed ", seed, ", ", kind.first, ", ties ", ties, ", ranking ", word(ranking));
          CAPTURE(durable);
          Fields all = kind.second;
          all.emplace_back("ties", ties);
          all.emplace_back("ranking", word(ranking));
          all.emplace_back("keep", "latest");
          if (seed % 2 == 0) all.emplace_back("marks", "0 0 1 1 *");
          MarkedGame(seed, all, durable).run(short_or_long(durable ? 150 : 400, 10'000));
        }
      }
    }
  }
}

TEST_CASE("a batch comes after the mark that is due when it is submitted") {
  Fixture game;
  const BoardHandle handle = game.open("b", {{"keep", "latest"}, {"marks", "0 * * * *"}});
  play(game, *game.registry->get(handle), {{"ada", 10}});
  *game.now += 3600 * kSecond;
  const std::array batch = {result("ada", 20)};
  Board& board = *game.registry->peek(handle);  // as hosts find it for a batch
  CHECK(board.submit_all(batch, [](std::size_t, const Refusal&) {}) == 1);
  const auto since = board.since("ada");
  REQUIRE((since && *since));
  CHECK((*since)->previous == 10);
}

TEST_CASE("a mark tells when a board changes without a write") {
  Fixture game;
  Board& board = game.board("b", {{"marks", "0 * * * *"}});
  const Time due = board.next_change_at();
  CHECK(due > *game.now);
  CHECK(due <= *game.now + 3600 * kSecond);
  game.board("b", {{"marks", false}});
  CHECK(board.next_change_at() == std::numeric_limits<Time>::max());
}

}  // namespace laurel
