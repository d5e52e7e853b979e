// Compares random histories of a capped engine with a list that is sorted and cut after each step,
// and merged sets with the union of all rows.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/capped/capped_engine.h"
#include "engine/ranked/ranked_engine.h"
#include "engine_fixture.h"

namespace laurel {

namespace {

constexpr Ties kTies[] = {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc};

struct Line {
  std::string player;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string> data;

  friend bool operator==(const Line&, const Line&) = default;

  EngineRow row() const {
    EngineRow row{.player = player, .score = score, .at = at};
    if (data) row.data = *data;
    return row;
  }
};

Line line_of(const EngineRow& row) {
  Line line{std::string(row.player), row.score, row.at, std::nullopt};
  if (row.data) line.data = std::string(*row.data);
  return line;
}

class NaiveSet {
 public:
  NaiveSet(Ties ties, std::size_t most) : ties_(ties), most_(most) {}

  void put(const Line& line) {
    erase(line.player);
    lines.push_back(line);
    cut();
  }
  bool erase(const std::string& player) {
    return std::erase_if(lines, [&](const Line& line) { return line.player == player; }) > 0;
  }
  // Keeps the better of both rows, as the contract defines it.
  void merge(const Line& line) {
    const auto held = std::find_if(lines.begin(), lines.end(),
                                   [&](const Line& other) { return other.player == line.player; });
    if (held == lines.end()) return put(line);
    if (line.score > held->score) return;
    if (line.score == held->score) {
      const bool preferred = ties_ == Ties::latest ? line.at > held->at : line.at < held->at;
      if (line.at != held->at && !preferred) return;
      if (line.at == held->at && !(line.data > held->data)) return;
    }
    put(line);
  }
  void configure(std::size_t most) {
    most_ = most;
    cut();
  }

  std::vector<Line> lines;  // best first

 private:
  bool before(const Line& a, const Line& b) const {
    if (a.score != b.score) return a.score < b.score;
    if (ties_ == Ties::earliest && a.at != b.at) return a.at < b.at;
    if (ties_ == Ties::latest && a.at != b.at) return a.at > b.at;
    return ties_ == Ties::player_desc ? b.player < a.player : a.player < b.player;
  }
  void cut() {
    std::sort(lines.begin(), lines.end(),
              [this](const Line& a, const Line& b) { return before(a, b); });
    if (lines.size() > most_) lines.resize(most_);
  }

  Ties ties_;
  std::size_t most_;
};

EngineSpec spec_of(Ties ties, std::size_t cap, std::size_t reserve) {
  return {.engine = EngineKind::capped, .ties = ties, .cap = cap, .reserve = reserve};
}

Line any_line(std::mt19937_64& random, std::uint64_t players, std::uint64_t scores) {
  Line line{fmt::format("p{}", random() % players), 10 + random() % scores,
            static_cast<Time>(random() % 3), std::nullopt};
  if (random() % 3 == 0) line.data = fmt::format("d{}", random() % 3);
  return line;
}

class History {
 public:
  History(Ties ties, std::uint64_t seed)
      : random_(seed),
        ties_(ties),
        keeps_best_(seed % 2 == 0),
        engine_(spec_of(ties, cap_, reserve_), ground_.context(), 1),
        naive_(ties, cap_ + reserve_) {}

  void step() {
    const Line line = any_line(random_, 30, 12);
    const Player player = ground_.player(line.player);
    switch (random_() % 12) {
      case 0: configure(); break;
      case 1:
      case 2: REQUIRE(engine_.erase(player) == naive_.erase(line.player)); break;
      case 3:
      case 4: merge(player, line); break;
      default: put(player, line); break;
    }
  }

  void compare() {
    engine_.check();
    REQUIRE(ground_.players.size() == naive_.lines.size());
    Arena arena;
    for (const Line& line : naive_.lines) {
      REQUIRE(line_of(engine_.held(ground_.player(line.player), arena).value()) == line);
    }
    std::size_t n = std::min(cap_, naive_.lines.size());
    for (std::size_t i = n; i < naive_.lines.size(); ++i) {
      REQUIRE(!engine_.find(ground_.player(naive_.lines[i].player), arena));
    }
    RankedEngine shown(ground_.players, ties_);
    for (std::size_t i = 0; i < n; ++i) {
      shown.put(ground_.player(naive_.lines[i].player), naive_.lines[i].row());
    }
    require_same_answers(ground_, engine_, shown);
    REQUIRE(engine_.lowest().has_value() == (n == cap_));
    if (n == cap_) REQUIRE(engine_.lowest() == naive_.lines[n - 1].score);
  }

 private:
  void configure() {
    cap_ = 1 + random_() % 6;
    reserve_ = random_() % 6;
    engine_.configure(spec_of(ties_, cap_, reserve_));
    naive_.configure(cap_ + reserve_);
  }
  void put(const Player& player, const Line& line) {
    Arena arena;
    const std::optional<EngineRow> held = engine_.held(player, arena);
    if (keeps_best_ && held && held->score < line.score) return;
    engine_.put(player, line.row());
    naive_.put(line);
  }
  void merge(const Player& player, const Line& line) {
    const std::vector<Line> before = naive_.lines;
    naive_.merge(line);
    const auto same = [&](const Line& other) { return other == line; };
    const bool changed = std::any_of(naive_.lines.begin(), naive_.lines.end(), same) &&
                         std::none_of(before.begin(), before.end(), same);
    REQUIRE(engine_.merge(player, line.row()) == changed);
  }

  Ground ground_;
  std::mt19937_64 random_;
  Ties ties_;
  bool keeps_best_;
  std::size_t cap_ = 4;
  std::size_t reserve_ = 3;
  CappedEngine engine_;
  NaiveSet naive_;
};

// One server's set, which can be merged into another one.
struct Sibling {
  explicit Sibling(const EngineSpec& spec) : engine(spec, ground.context(), 1) {}

  void merge(const Line& line) { engine.merge(ground.player(line.player), line.row()); }
  void merge(const std::vector<Line>& lines) {
    for (const Line& line : lines) merge(line);
  }
  // All rows that are held, best first: the cap is set to the maximum, so that the reserve is shown
  // too.
  std::vector<Line> held() {
    Arena arena;
    std::vector<EngineRow> rows;
    engine.read(0, SIZE_MAX, arena, rows);
    std::vector<Line> lines;
    for (const EngineRow& row : rows) lines.push_back(line_of(row));
    return lines;
  }

  Ground ground;
  CappedEngine engine;
};

}  // namespace

TEST_CASE("a capped engine holds the top of all rows, cut after each step") {
  for (const Ties ties : kTies) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(static_cast<int>(ties));
      CAPTURE(seed);
      History history(ties, seed);
      for (int i = 0; i < 500; ++i) {
        history.step();
        history.compare();
      }
    }
  }
}

TEST_CASE("S4-6: merging siblings is commutative, associative and idempotent") {
  const std::uint64_t seed = 46;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 10'000; ++round) {
    CAPTURE(round);
    const Ties ties = kTies[random() % 4];
    const std::size_t most = 1 + random() % 8;
    // The whole set is shown, so that it can be read; which rows are shown does not affect a merge.
    const EngineSpec spec = spec_of(ties, most, 0);
    NaiveSet of_all(ties, SIZE_MAX);
    std::vector<Line> sets[3];
    for (std::vector<Line>& set : sets) {
      Sibling sibling(spec);
      for (std::uint64_t i = random() % 12; i > 0; --i) {
        const Line line = any_line(random, 10, 6);
        sibling.merge(line);
        of_all.merge(line);
      }
      set = sibling.held();
    }
    of_all.configure(most);

    const auto merged = [&](const std::vector<Line>& a, const std::vector<Line>& b) {
      Sibling sibling(spec);
      sibling.merge(a);
      sibling.merge(b);
      return sibling.held();
    };
    const auto& [a, b, c] = sets;
    const std::vector<Line> ab = merged(a, b);
    REQUIRE(ab == merged(b, a));
    REQUIRE(merged(ab, c) == merged(a, merged(b, c)));
    REQUIRE(merged(ab, b) == ab);
    REQUIRE(merged(a, a) == a);
    REQUIRE(merged(ab, c) == of_all.lines);
  }
}

}  // namespace laurel
