#include "transfer/csv_reader.h"

#include <string_view>
#include <utility>

#include "base/encoding.h"
#include "base/limits.h"
#include "transfer/csv.h"

namespace laurel {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string decoded(std::string text) {
  if (!text.starts_with(kCsvBase64)) return text;
  std::optional<std::string> bytes = from_base64(std::string_view(text).substr(kCsvBase64.size()));
  return bytes ? *std::move(bytes) : text;
}

}  // namespace

std::optional<CsvReader::Cells> CsvReader::next() {
  if (failure_) return std::nullopt;
  do {
    row_.clear();
    if (!append_line()) return std::nullopt;
    line_ = in_.number();
    if (line_ == 1 && row_.starts_with(kByteOrderMark)) row_.erase(0, kByteOrderMark.size());
  } while (row_.empty() || row_ == "\r");
  Cells cells;
  if (!parse(cells)) return std::nullopt;
  return cells;
}

bool CsvReader::append_line() {
  const std::optional<std::string_view> line = in_.next();
  if (!line) return false;
  row_ += *line;
  if (row_.size() <= kLineBytesMax) return true;
  failure_ = Refusal(Code::bad_data, "the row has more than {} bytes", kLineBytesMax);
  return false;
}

// Reads on while a quoted cell has not ended.
bool CsvReader::parse(Cells& cells) {
  std::size_t at = 0;
  for (;;) {
    std::string cell;
    const bool quoted = at < row_.size() && row_[at] == '"';
    if (quoted) {
      for (++at;; ++at) {
        if (at == row_.size()) {
          row_ += '\n';
          if (!append_line()) {
            if (!failure_ && in_.status()) {
              failure_ = Refusal(Code::bad_data, "a cell in quotes does not end");
            }
            return false;
          }
        }
        if (row_[at] != '"') {
          cell += row_[at];
        } else if (at + 1 < row_.size() && row_[at + 1] == '"') {
          cell += row_[++at];
        } else {
          break;
        }
      }
      ++at;  // behind the closing quote
    } else {
      const std::size_t end = row_.find(',', at);
      cell = row_.substr(at, end == std::string::npos ? end : end - at);
      at += cell.size();
      if (at == row_.size() && cell.ends_with('\r')) cell.pop_back();
    }
    const bool is_nothing = !quoted && cell.empty();
    cells.push_back(is_nothing ? std::nullopt : std::optional(decoded(std::move(cell))));
    const std::string_view rest = std::string_view(row_).substr(at);
    if (rest.empty() || rest == "\r") return true;
    if (rest.front() != ',') {
      failure_ = Refusal(Code::bad_data, "cell {} goes on behind its closing quote", cells.size());
      return false;
    }
    ++at;
  }
}

Status CsvReader::status() const {
  if (!failure_) return in_.status();
  return Refusal(failure_->code(), "line {}: {}", line_, failure_->message());
}

}  // namespace laurel
