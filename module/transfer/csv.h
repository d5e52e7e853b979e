// csv.h - cells and rows of comma-separated values (RFC 4180, lines end in a newline).
//
//   text     as it is, in quotes if it has a comma, a quote or a line break. If it is not UTF-8, or
//            begins with "base64:", it is "base64:" and its bytes in base64. Empty text is "".
//   nothing  an empty cell without quotes.
//   score    a number in its shortest form. A score of columns has a cell for each column.
//   time     ISO 8601 in UTC, with microseconds: 2026-11-26T08:15:00.000000Z
//   cells    are never changed for spreadsheets, which take a cell that begins with "=" for a
//            formula.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "board/standings/change.h"
#include "rank/score/score_columns.h"

namespace laurel {

inline constexpr std::string_view kCsvBase64 = "base64:";

std::string csv_text(std::string_view bytes);
std::string iso_time(Time time);

// A table of entries of several boards:
//   board,season,position,rank,player,name,score,at,data
// In place of `score`, boards with columns have `score.NAME` for each; the table has the columns of
// all of its boards, and an empty cell if a board lacks one.
class CsvEntries {
 public:
  // `scores`: the columns of each board, null for a plain number. Without boards it has `score`.
  explicit CsvEntries(std::span<const ScoreColumns::Ptr> scores);

  std::string header() const;

  struct Place {
    std::string_view board;
    std::uint64_t season = 0;    // 0: it is not known, an empty cell
    std::uint64_t position = 0;  // from 1 on
    std::string_view name;       // of the player; empty: none
    const ScoreColumns* columns = nullptr;
  };
  std::string row(const Place& place, const Entry& entry) const;

 private:
  void add_score(std::string& row, double score, const ScoreColumns* columns) const;

  bool plain_ = false;              // it has `score`
  std::vector<std::string> names_;  // of columns
};

}  // namespace laurel
