#include "store/line_file.h"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include "base/limits.h"
#include "store/file_failure.h"

namespace laurel {

LineWriter::LineWriter(std::string file) : file_(std::move(file)), beside_(file_ + ".new") {
  out_ = std::fopen(beside_.c_str(), "wbe");
  if (out_ == nullptr) fail("writing");
}

LineWriter::LineWriter(std::FILE* stream, std::string name)
    : file_(std::move(name)), out_(stream) {}

LineWriter::~LineWriter() {
  if (out_ == nullptr || beside_.empty()) return;
  std::fclose(out_);
  ::unlink(beside_.c_str());
}

void LineWriter::fail(std::string_view doing) {
  if (!failure_) failure_ = file_failure(doing, file_, errno);
}

void LineWriter::write(std::string_view line) {
  if (failure_) return;
  if (std::fwrite(line.data(), 1, line.size(), out_) != line.size() ||
      std::fputc('\n', out_) == EOF) {
    fail("writing");
  }
}

Status LineWriter::finish() {
  if (beside_.empty()) {
    if (!failure_ && std::fflush(out_) != 0) fail("writing");
    if (failure_) return *failure_;
    return Done{};
  }
  if (!failure_ && (std::fflush(out_) != 0 || ::fsync(::fileno(out_)) != 0)) fail("writing");
  if (!failure_ && std::rename(beside_.c_str(), file_.c_str()) != 0) fail("naming");
  if (failure_) return *failure_;
  std::fclose(out_);
  out_ = nullptr;
  return Done{};
}

LineReader::LineReader(const std::string& file) : file_(file) {
  in_ = std::fopen(file.c_str(), "rbe");
  if (in_ == nullptr) failure_ = file_failure("reading", file_, errno);
}

LineReader::~LineReader() {
  if (in_ != nullptr) std::fclose(in_);
  std::free(line_);  // allocated by getline
}

std::optional<std::string_view> LineReader::next() {
  if (failure_) return std::nullopt;
  errno = 0;
  const ssize_t size = ::getline(&line_, &room_, in_);
  if (size < 0) {
    if (std::ferror(in_) != 0) failure_ = file_failure("reading", file_, errno);
    return std::nullopt;
  }
  ++number_;
  std::string_view line(line_, static_cast<std::size_t>(size));
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.size() > kLineBytesMax) {
    failure_ = Refusal(Code::bad_data, "line {} has {} bytes; at most {} are allowed", number_,
                       line.size(), kLineBytesMax);
    return std::nullopt;
  }
  return line;
}

Status LineReader::status() const {
  if (failure_) return *failure_;
  return Done{};
}

}  // namespace laurel
