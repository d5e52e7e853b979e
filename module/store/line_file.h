// line_file.h - text files of lines, written whole or not at all.
//
//   LineWriter   writes beside the file and puts it in its place when all is on disk; a failure, or
//                a writer that is dropped, leaves what was there.
//   LineReader   reads line by line, at most kLineBytesMax bytes each.
//   threads      the caller waits for the disk.
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
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Failures are remembered, and told by finish.
  void write(std::string_view line);
  // Makes it the file of that name. Fails with unavailable.
  Status finish();

 private:
  void fail(std::string_view doing);

  std::string file_;
  std::string beside_;
  std::FILE* out_ = nullptr;
  std::optional<Refusal> failure_;
};

class LineReader {
 public:
  explicit LineReader(const std::string& file);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line without its end, valid until the next call; nothing at the end of the file, after
  // a failure, and for a line that is too long.
  std::optional<std::string_view> next();
  std::size_t number() const { return number_; }  // of the last line, from 1
  // Whether all went well so far. Fails with unavailable, bad_data.
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
