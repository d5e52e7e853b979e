// import_csv.h - takes results from tables of other programs.
//
//   map      which column of the table is what: "player=steamid,score=time,at=played". `player` and
//            `score` must be there, `at`, `data` and `name` may. On a board with columns
//            `score.NAME` stands for each, or `score` for all of them, with commas between.
//   row      a result, submitted as scripts submit it.
//   values   as csv.h writes them, and as people do (shown_values.h). An empty cell of `at` is now,
//            of `data` and `name` nothing.
//   name     the display name of the player.
//   threads  one caller at a time, which waits for the disk.
//   memory   the file's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "registry/registry.h"

namespace laurel {

struct CsvMap {
  std::string player;
  std::vector<std::pair<std::string, std::string>> scores;  // of "score" or "score.NAME": a column
  std::string at, data, name;                               // empty: none
};

// Fails with invalid, and says what is allowed.
Result<CsvMap> read_csv_map(std::string_view text);

// The rows of a file, read and not yet submitted.
class CsvResults {
 public:
  // Fails with  unavailable  the file cannot be read
  //             bad_data     it is not a table, or has not a column of the map
  static Result<CsvResults> read(const std::string& file, const CsvMap& map);

  // Submits them in their order, up to the first one that is refused. Fails as that one does,
  // naming its line.
  Status submit(Registry& registry, BoardHandle board) const;

 private:
  struct Row {
    std::size_t line = 0;
    std::string player;
    std::vector<std::string> scores;  // as scores_
    std::optional<std::string> at, data, name;
  };

  static Status submit(Registry& registry, Board& board, const Row& row,
                       std::span<const std::size_t> order);
  Result<std::vector<std::size_t>> order_of(const Board& board) const;

  std::vector<std::string> scores_;  // names of columns; "": the whole score
  std::vector<Row> rows_;
};

}  // namespace laurel
