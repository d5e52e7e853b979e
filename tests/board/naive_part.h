// naive_part.h - a segment or a cohort compared with a list: the entries of its players, in the
// board's order, with ranks by definition. And what the tests of both need to make one.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "board/standings/standings.h"
#include "fixture.h"
#include "naive_order.h"

namespace laurel {

struct Line {
  std::string player;
  double score;
  Time at;
  std::string data;
};

inline std::string data_of(const Entry& entry) { return std::string(entry.data.value_or("-")); }

inline Line line_of(const Entry& entry) {
  return {std::string(entry.player), entry.score, entry.at, data_of(entry)};
}

// Reads of one player, of a part of the list, and of its top, which is cached.
inline void compare_reads(const Standings& part, const std::vector<Line>& lines, Ranking ranking,
                          std::mt19937_64& random) {
  const std::size_t size = lines.size();
  if (size == 0) {
    REQUIRE(!part.get("p1"));
    return;
  }
  const std::size_t i = random() % size;
  const std::optional<Entry> entry = part.get(lines[i].player);
  REQUIRE(entry);
  REQUIRE(entry->rank == naive_rank(lines, i, ranking));
  REQUIRE(part.position(lines[i].player) == i);
  REQUIRE(part.score_at(i) == lines[i].score);
  Entries some;
  part.read(i, 3, some);
  REQUIRE(some.size() == std::min<std::size_t>(3, size - i));
  for (std::size_t k = 0; k < some.size(); ++k) {
    REQUIRE(some[k].player == lines[i + k].player);
    REQUIRE(some[k].rank == naive_rank(lines, i + k, ranking));
  }
  Entries top;
  part.read(0, 3, top);
  for (std::size_t k = 0; k < top.size(); ++k) REQUIRE(top[k].player == lines[k].player);
  const ScoreRange range{lines[i].score, lines[i].score};
  REQUIRE(part.count(range) ==
          static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const Line& line) {
            return line.score == lines[i].score;
          })));
}

// `all` is the board, or past season, that this is a part of; rank_overall(entries) gives the ranks
// on it.
template <typename RankOverall>
void compare_part(const Standings& part, const std::vector<Line>& lines, const Standings& all,
                  Ranking ranking, RankOverall rank_overall, std::mt19937_64& random) {
  REQUIRE(part.size() == lines.size());
  Entries entries;
  part.read(0, SIZE_MAX, entries);
  rank_overall(entries);
  REQUIRE(entries.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    CAPTURE(line.player);
    const Rank rank = naive_rank(lines, i, ranking);
    REQUIRE(entries[i].player == line.player);
    REQUIRE(entries[i].score == line.score);
    REQUIRE(entries[i].at == line.at);
    REQUIRE(data_of(entries[i]) == line.data);
    REQUIRE(entries[i].rank == rank);
    REQUIRE(entries[i].overall == all.rank(line.player, std::nullopt)->rank);
  }
  compare_reads(part, lines, ranking, random);
}

// Saves one attribute of a player.
inline void save_attribute(Fixture& game, std::string_view player, std::string_view name,
                           std::string_view value) {
  AttributeChanges changes;
  CHECK(changes.add(name, value));
  CHECK(game.registry->profiles().save(
      {.id = player, .name = {}, .email = {}, .attributes = changes.text()}, *game.now));
}

// Why a board with these fields is refused, or "ok".
inline std::string refusal_of(const Fixture& game, const Fields& fields) {
  const Result<BoardHandle> opened = game.registry->open("refused", spec(fields));
  return opened ? "ok" : std::string(opened.refusal().text());
}

}  // namespace laurel
