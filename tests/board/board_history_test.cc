// Plays random histories on a board and on the oracle, and compares them.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "fixture.h"
#include "naive_order.h"
#include "oracle.h"
#include "pick.h"

namespace laurel {

namespace {

using test::pick;

Fields random_fields(std::mt19937_64& random) {
  Fields fields = {
      {"order", pick<std::string_view>(random, {"desc", "asc"})},
      {"keep", pick<std::string_view>(random, {"best", "latest", "sum", "first"})},
      {"ties", pick<std::string_view>(random, {"earliest", "latest", "player", "player_desc"})},
      {"ranking", pick<std::string_view>(
                      random, {"competition", "modified", "dense", "ordinal", "fractional"})}};
  if (random() % 2 == 0) fields.push_back({"decimals", 0.0});
  return fields;
}

class History {
 public:
  explicit History(std::uint64_t seed)
      : random_(seed), board_(game_.board("b", random_fields(random_))), oracle_(board_.spec()) {}

  void step() {
    *game_.now += static_cast<Time>(random_() % 3) * kSecond;
    const std::string player = fmt::format("p{}", random_() % 12);
    switch (random_() % 16) {
      case 0: remove(player); break;
      case 1: ban(player); break;
      case 2: unban(player); break;
      case 3: set(player); break;
      default: submit(player); break;
    }
  }

  void compare() const {
    const std::vector<Oracle::Line> lines = oracle_.sorted();
    Entries entries;
    board_.read(0, SIZE_MAX, entries);
    REQUIRE(entries.size() == lines.size());
    REQUIRE(board_.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(i);
      REQUIRE(entries[i].player == lines[i].player);
      REQUIRE(entries[i].score == lines[i].score);
      REQUIRE(entries[i].at == lines[i].at);
      REQUIRE(entries[i].data == lines[i].data);
      REQUIRE(entries[i].rank == naive_rank(lines, i, board_.spec().ranking));
      REQUIRE(*board_.position(lines[i].player) == i);
      for (const Ranking ranking : kEveryRanking) {
        REQUIRE(board_.rank(lines[i].player, ranking)->rank == naive_rank(lines, i, ranking));
      }
      REQUIRE(board_.count({lines[i].score, lines[i].score}) == equals(lines, lines[i].score));
    }
  }

 private:
  static std::size_t equals(const std::vector<Oracle::Line>& lines, double score) {
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [&](const Oracle::Line& line) { return line.score == score; }));
  }

  void submit(const std::string& player) {
    const double score = static_cast<double>(random_() % 9) - 4;
    const bool add = random_() % 8 == 0;
    std::optional<std::string> data;
    if (random_() % 4 == 0) data = fmt::format("d{}", random_() % 3);
    std::optional<double> at;
    if (random_() % 3 == 0) at = static_cast<double>(random_() % 4);

    Submission submission{.player = player, .score = score, .data = {}, .at = at};
    if (data) submission.data = *data;
    const Result<Outcome> outcome =
        board_.submit(add ? WriteMode::add : WriteMode::submit, submission);
    if (hidden_.contains(player)) {
      REQUIRE(verdict(outcome) == "banned");
      last_moment(at);
      return;
    }
    REQUIRE(outcome);
    REQUIRE(outcome->changed == oracle_.submit(player, score, last_moment(at), data, add));
    REQUIRE(outcome->score == oracle_.find(player)->score);
  }

  void set(const std::string& player) {
    const double score = static_cast<double>(random_() % 9);
    const Result<Outcome> outcome = board_.set(result(player, score));
    const Time at = last_moment({});
    if (hidden_.contains(player)) {
      REQUIRE(verdict(outcome) == "banned");
    } else {
      REQUIRE(outcome->changed == oracle_.hold(player, score, at, std::nullopt));
    }
  }

  void remove(const std::string& player) {
    if (const auto hidden = hidden_.find(player); hidden != hidden_.end()) {
      REQUIRE(*board_.remove(player) == hidden->second.has_value());
      hidden->second.reset();
    } else {
      REQUIRE(*board_.remove(player) == oracle_.erase(player));
    }
  }

  void ban(const std::string& player) {
    REQUIRE(*board_.ban(player) == !hidden_.contains(player));
    if (hidden_.contains(player)) return;
    const Oracle::Line* line = oracle_.find(player);
    hidden_[player] = line ? std::optional(*line) : std::nullopt;
    oracle_.erase(player);
  }

  void unban(const std::string& player) {
    REQUIRE(*board_.unban(player) == hidden_.contains(player));
    const auto hidden = hidden_.find(player);
    if (hidden == hidden_.end()) return;
    if (const auto& line = hidden->second) oracle_.hold(player, line->score, line->at, line->data);
    hidden_.erase(hidden);
  }

  // The moment that the registry gave to the last submission.
  Time last_moment(std::optional<double> given) {
    if (given) return static_cast<Time>(*given) * kSecond;
    last_ = std::max(*game_.now, last_ + 1);
    return last_;
  }

  std::mt19937_64 random_;
  Fixture game_;
  Board& board_;
  Oracle oracle_;
  std::map<std::string, std::optional<Oracle::Line>> hidden_;
  Time last_ = INT64_MIN;
};

}  // namespace

TEST_CASE("a board and the oracle agree over random histories") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    History history(seed);
    for (int i = 0; i < 120; ++i) {
      CAPTURE(i);
      history.step();
      if (i % 4 == 3) history.compare();
    }
  }
}

}  // namespace laurel
