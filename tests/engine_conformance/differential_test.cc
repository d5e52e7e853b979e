// X1, S0-12, S1-3, S1-7: plays the same random histories on every engine and on a naive oracle, and
// compares entries, ranks in all modes, pages, neighbours, windows and counts.
// LAUREL_DIFFERENTIAL_OPERATIONS is the number of operations; a submission to one board is one
// operation.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "board/board_window.h"
#include "board/naive_places.h"
#include "candidates.h"
#include "naive_order.h"
#include "pick.h"

namespace laurel {

namespace {

using test::pick;

HistorySpec random_spec(std::mt19937_64& random) {
  HistorySpec spec;
  spec.order = pick<std::string_view>(random, {"desc", "asc"});
  spec.keep = pick<std::string_view>(random, {"best", "latest", "sum", "first"});
  spec.ties = pick<std::string_view>(random, {"earliest", "latest", "player", "player_desc"});
  spec.ranking =
      pick<std::string_view>(random, {"competition", "modified", "dense", "ordinal", "fractional"});
  if (random() % 3 != 0) spec.decimals = static_cast<double>(random() % 3);
  return spec;
}

// Ranks of all lines in all modes, in one pass: each rank from the oracle costs O(n).
class OracleRanks {
 public:
  explicit OracleRanks(const std::vector<Oracle::Line>& lines) : lines_(lines) {
    std::uint64_t distinct = 0;
    for (std::size_t i = 0; i < lines.size(); ++distinct) {
      std::size_t end = i;
      while (end < lines.size() && lines[end].score == lines[i].score) ++end;
      for (std::size_t j = i; j < end; ++j) {
        ranks_.push_back({i + 1, end, distinct + 1, j + 1, Rank::mean(i + 1, end)});
      }
      i = end;
    }
  }

  Rank of(std::size_t i, Ranking ranking) const {
    return ranks_[i][static_cast<std::size_t>(ranking)];
  }
  // The number of lines with a score in the range.
  std::size_t count(double low, double high) const {
    return static_cast<std::size_t>(std::count_if(
        lines_.begin(), lines_.end(),
        [&](const Oracle::Line& line) { return line.score >= low && line.score <= high; }));
  }

 private:
  const std::vector<Oracle::Line>& lines_;
  std::vector<std::array<Rank, 5>> ranks_;
};

void same_entries(const Entries& entries, const std::vector<Oracle::Line>& lines,
                  const OracleRanks& ranks, std::size_t first, std::size_t n, Ranking ranking) {
  REQUIRE(entries.size() == n);
  for (std::size_t i = 0; i < n; ++i) {
    CAPTURE(i);
    const Oracle::Line& line = lines[first + i];
    REQUIRE(entries[i].player == line.player);
    REQUIRE(entries[i].score == line.score);
    REQUIRE(entries[i].at == line.at);
    REQUIRE(entries[i].data == line.data);
    REQUIRE(entries[i].rank == ranks.of(first + i, ranking));
  }
}

// The scores of all positions, and shares, of boards that are small enough for a naive answer.
void same_places(const Standings& standings, const std::vector<Oracle::Line>& lines,
                 const Spec& spec, std::mt19937_64& random) {
  if (lines.size() > 200) return;
  std::vector<NaiveLine> naive;
  for (const Oracle::Line& line : lines) naive.push_back({line.player, line.score});
  NaivePlaces(std::move(naive), spec.order, spec.ties, spec.ranking).compare(standings, random);
}

// Compares every read of standings with the oracle's lines.
void same_standings(const Standings& standings, const std::vector<Oracle::Line>& lines,
                    const Spec& spec, std::mt19937_64& random) {
  const Ranking ranking = spec.ranking;
  same_places(standings, lines, spec, random);
  const OracleRanks ranks(lines);
  const std::size_t size = lines.size();
  REQUIRE(standings.size() == size);

  Entries all;
  standings.read(0, SIZE_MAX, all);
  same_entries(all, lines, ranks, 0, size, ranking);

  for (int asked = 0; asked < 6 && size > 0; ++asked) {
    const std::size_t i = random() % size;
    const Oracle::Line& line = lines[i];
    CAPTURE(line.player);
    const std::optional<Entry> entry = standings.get(line.player);
    REQUIRE(entry);
    REQUIRE(entry->score == line.score);
    REQUIRE(entry->data == line.data);
    REQUIRE(entry->rank == ranks.of(i, ranking));
    REQUIRE(*standings.score(line.player) == line.score);
    REQUIRE(*standings.position(line.player) == i);
    for (const Ranking mode : kEveryRanking) {
      REQUIRE(standings.rank(line.player, mode)->rank == ranks.of(i, mode));
    }
    const std::size_t not_worse =
        ranking == Ranking::ordinal ? i + 1 : ranks.of(i, Ranking::modified).whole();
    REQUIRE(*standings.percentile(line.player) ==
            100.0 * static_cast<double>(size - not_worse) / static_cast<double>(size));
    REQUIRE(standings.count({line.score, line.score}) == ranks.count(line.score, line.score));

    const std::size_t n = random() % 8;
    Entries page;
    standings.read(i, n, page);
    same_entries(page, lines, ranks, i, std::min(n, size - i), ranking);

    Entries around;
    standings.around(line.player, n, around);
    const std::size_t whole = std::min(size, 2 * n + 1);
    same_entries(around, lines, ranks, std::min(i - std::min(i, n), size - whole), whole, ranking);

    Entries between;
    standings.between({line.score - 1, line.score + 1}, SIZE_MAX, between);
    REQUIRE(between.size() == ranks.count(line.score - 1, line.score + 1));
  }
  Entries bottom;
  standings.bottom(3, bottom);
  REQUIRE(bottom.size() == std::min<std::size_t>(3, size));
  for (std::size_t i = 0; i < bottom.size(); ++i) {
    REQUIRE(bottom[i].player == lines[size - 1 - i].player);
  }
  REQUIRE_FALSE(standings.get("nobody"));
  REQUIRE_FALSE(standings.rank("nobody", {}));
}

class History {
 public:
  History(std::uint64_t seed, std::size_t players)
      : random_(seed),
        players_(players),
        history_(random_spec(random_)),
        oracle_(game_.board("oracle", history_.fields({})).spec()) {
    for (const Candidate& candidate : candidates(static_cast<double>(players))) {
      if (candidate.needs_decimals && !history_.decimals) continue;
      if (!candidate.keeps_sums && history_.keep == "sum") continue;
      const Fields fields = history_.fields(candidate.of_engine);
      boards_.push_back({candidate.name, game_.open(candidate.name, fields)});
    }
  }

  // Plays one step on every board; returns the number of operations.
  std::size_t step() {
    *game_.now += static_cast<Time>(random_() % 3) * kSecond;
    const std::string player = fmt::format("p{}", random_() % players_);
    switch (random_() % 64) {
      case 0:
      case 1: remove(player); break;
      case 2: ban(player); break;
      case 3:
      case 4: unban(player); break;
      case 5: set(player); break;
      case 6: random_() % 40 == 0 ? reset() : submit(player); break;
      case 7: game_.registry->tick(); break;
      default: submit(player); break;
    }
    return boards_.size();
  }

  void compare() {
    const Spec& spec = oracle_spec();
    const std::vector<Oracle::Line> lines = oracle_.sorted();
    for (const Entrant& entrant : boards_) {
      CAPTURE(entrant.name);
      const Board& board = board_of(entrant);
      same_standings(board, lines, spec, random_);
      const WindowPtr window = top_window(board, {}, 5, {.data = true});
      REQUIRE(window->size == lines.size());
      REQUIRE(window->entries.size() == std::min<std::size_t>(5, lines.size()));
      if (past_) {
        const ArchivedSeason* season = board.archived(board.season().number - 1);
        REQUIRE(season != nullptr);
        same_standings(*season, *past_, spec, random_);
      }
    }
  }

 private:
  struct Entrant {
    std::string name;
    BoardHandle handle;
  };

  Board& board_of(const Entrant& entrant) const { return *game_.registry->get(entrant.handle); }
  const Spec& oracle_spec() { return game_.board("oracle").spec(); }

  // A given moment, so that all boards hold the same one.
  Submission next_result(const std::string& player) {
    Submission submission{.player = player, .score = static_cast<double>(random_() % 9)};
    if (history_.decimals && *history_.decimals > 0) submission.score += 0.5;
    if (random_() % 4 == 0) submission.data = data_ = fmt::format("d{}", random_() % 3);
    submission.at = seconds_from_time(*game_.now) + static_cast<double>(random_() % 3);
    return submission;
  }

  static std::optional<std::string> owned(std::optional<std::string_view> data) {
    return data ? std::optional(std::string(*data)) : std::nullopt;
  }

  void submit(const std::string& player) {
    const Submission submission = next_result(player);
    const bool adds = random_() % 8 == 0 && boards_.back().name != "capped";
    const bool banned = hidden_.contains(player);
    bool changed = false;
    if (!banned) {
      changed = oracle_.submit(player, submission.score, *time_from_seconds(*submission.at),
                               owned(submission.data), adds);
    }
    for (const Entrant& entrant : boards_) {
      CAPTURE(entrant.name);
      const Result<Outcome> outcome =
          board_of(entrant).submit(adds ? WriteMode::add : WriteMode::submit, submission);
      if (banned) {
        REQUIRE(verdict(outcome) == "banned");
      } else {
        REQUIRE(verdict(outcome) == "ok");
        REQUIRE(outcome->changed == changed);
        REQUIRE(outcome->score == oracle_.find(player)->score);
      }
    }
  }

  void set(const std::string& player) {
    if (hidden_.contains(player)) return;
    const Submission submission = next_result(player);
    const bool changed = oracle_.hold(player, submission.score, *time_from_seconds(*submission.at),
                                      owned(submission.data));
    for (const Entrant& entrant : boards_) {
      CAPTURE(entrant.name);
      REQUIRE(board_of(entrant).set(submission)->changed == changed);
    }
  }

  void remove(const std::string& player) {
    bool removed = false;
    if (const auto hidden = hidden_.find(player); hidden != hidden_.end()) {
      removed = hidden->second.has_value();
      hidden->second.reset();
    } else {
      removed = oracle_.erase(player);
    }
    for (const Entrant& entrant : boards_) {
      CAPTURE(entrant.name);
      REQUIRE(*board_of(entrant).remove(player) == removed);
    }
  }

  void ban(const std::string& player) {
    const bool is_new = !hidden_.contains(player);
    if (is_new) {
      const Oracle::Line* line = oracle_.find(player);
      hidden_[player] = line ? std::optional(*line) : std::nullopt;
      oracle_.erase(player);
    }
    for (const Entrant& entrant : boards_) REQUIRE(*board_of(entrant).ban(player) == is_new);
  }

  void unban(const std::string& player) {
    const auto hidden = hidden_.find(player);
    const bool was_banned = hidden != hidden_.end();
    if (was_banned) {
      if (const auto& line = hidden->second) {
        oracle_.hold(player, line->score, line->at, line->data);
      }
      hidden_.erase(hidden);
    }
    for (const Entrant& entrant : boards_) REQUIRE(*board_of(entrant).unban(player) == was_banned);
  }

  // Ends the season: the entries are archived, and entries hidden by bans are lost.
  void reset() {
    past_ = oracle_.sorted();
    oracle_ = Oracle(oracle_spec());
    for (auto& [player, line] : hidden_) line.reset();
    for (const Entrant& entrant : boards_) REQUIRE(board_of(entrant).reset());
  }

  std::mt19937_64 random_;
  std::size_t players_;
  Fixture game_;
  HistorySpec history_;
  Oracle oracle_;
  std::vector<Entrant> boards_;
  std::map<std::string, std::optional<Oracle::Line>> hidden_;
  std::optional<std::vector<Oracle::Line>> past_;  // the last past season
  std::string data_;
};

}  // namespace

TEST_CASE("X1: every engine and the oracle agree over random histories") {
  std::size_t operations = 0;
  for (std::uint64_t seed = 0; operations < LAUREL_DIFFERENTIAL_OPERATIONS; ++seed) {
    CAPTURE(seed);
    // Mostly few players, so that they often compete; sometimes enough for several pages.
    const std::size_t players = seed % 16 == 15 ? 2500
                                : seed % 8 == 3 ? 700
                                : seed % 4 == 3 ? 150
                                                : 12;
    const std::size_t steps = players * 10;
    History history(seed, players);
    for (std::size_t i = 0; i < steps; ++i) {
      CAPTURE(i);
      operations += history.step();
      if (i % (steps / 30) == 0) history.compare();
    }
    history.compare();
  }
  MESSAGE(operations << " operations");
}

}  // namespace laurel
