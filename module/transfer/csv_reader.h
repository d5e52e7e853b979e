// csv_reader.h - reads comma-separated values, as csv.h writes them and other programs do.
//
//   form     RFC 4180. Lines may end in \n or \r\n, a quoted cell may have both, and a mark of
//            UTF-8 at the beginning of the file is left out. Empty lines are skipped.
//   text     "base64:..." is the bytes that it stands for, if it is base64.
//   limits   a row of kLineBytesMax bytes.
//   threads  none; calls wait for the disk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/line_file.h"

namespace laurel {

class CsvReader {
 public:
  // Nothing is an empty cell without quotes.
  using Cells = std::vector<std::optional<std::string>>;

  explicit CsvReader(const std::string& file) : in_(file) {}

  // The next row; nothing at the end of the file, or after an error.
  std::optional<Cells> next();
  // The line on which the last row began, from 1 on.
  std::size_t line() const { return line_; }
  // Done if no error has occurred. Fails with unavailable and bad_data, naming the line.
  Status status() const;

 private:
  bool parse(Cells& cells);
  bool append_line();

  LineReader in_;
  std::size_t line_ = 0;
  std::string row_;  // the lines of it that were read
  std::optional<Refusal> failure_;
};

}  // namespace laurel
