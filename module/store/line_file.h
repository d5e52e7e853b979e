// line_file.h - text files of lines, written completely or not at all.
//
//   LineWriter  writes a temporary file and renames it when it is on disk. If it fails, or is
//               destroyed before finish(), the old file remains. A stream, such as standard output,
//               is written at once.
//   LineReader  reads line by line, at most kLineBytesMax bytes each.
//   threads     calls block for the disk.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel {

class LineWriter {
 public:
  explicit LineWriter(std::string file);
  // Writes to an open stream, which outlives this; `name` is for messages.
  LineWriter(std::FILE* stream, std::string name);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Errors are stored and returned by finish().
  void write(std::string_view line);
  // Moves the new file to its name; flushes a stream. Fails with unavailable.
  Status finish();

 private:
  void fail(std::string_view doing);

  std::string file_;
  std::string beside_;  // empty for a stream
  std::FILE* out_ = nullptr;
  std::optional<Refusal> failure_;
};

class LineReader {
 public:
  explicit LineReader(const std::string& file);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line without its newline, valid until the next call; nullopt at the end of the file,
  // after an error, and for a line that is too long.
  std::optional<std::string_view> next();
  std::size_t number() const { return number_; }  // of the last line, from 1
  // Done if no error has occurred. Fails with unavailable, bad_data.
  Status status() const;

 private:
  std::string file_;
  std::FILE* in_ = nullptr;
  char* line_ = nullptr;
  std::size_t room_ = 0;
  std::size_t number_ = 0;
  std::optional<Refusal> failure_;
};

}  // namespace laurel
