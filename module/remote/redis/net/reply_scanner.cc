#include "remote/redis/net/reply_scanner.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "remote/limits.h"

namespace laurel::redis {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kOtherProtocol = "its answer is not in Redis's protocol";

std::optional<std::int64_t> read_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

}  // namespace

std::string ReplyScanner::scan(std::string_view bytes) {
  std::string why;
  while (why.empty() && !bytes.empty()) {
    if (text_left_ > 0) {
      const std::size_t came = std::min(text_left_, bytes.size());
      bytes.remove_prefix(came);
      text_left_ -= came;
      if (text_left_ == 0) end_element();
      continue;
    }
    const std::string_view part = bytes.substr(0, bytes.find('\n')).substr(0, kRedisLineBytesMax);
    const std::size_t came = std::min(part.size() + 1, bytes.size());  // with the end of the line
    line_ += bytes.substr(0, came);
    bytes.remove_prefix(came);
    if (line_.ends_with(kLineEnd)) {
      why = read_line();
      line_.clear();
    } else if (line_.size() > kRedisLineBytesMax) {
      why = fmt::format("its answer has a line of more than {} bytes", kRedisLineBytesMax);
    }
  }
  return why;
}

std::string ReplyScanner::read_line() {
  if (std::string why = add_bytes(line_.size()); !why.empty()) return why;
  if (line_.size() <= kLineEnd.size()) return std::string(kOtherProtocol);
  const std::string_view rest(line_.data() + 1, line_.size() - 1 - kLineEnd.size());
  switch (line_[0]) {
    case '+':
    case '-':
    case ':': end_element(); return {};
    case '$':
      if (const auto size = read_number(rest)) return begin_text(*size);
      break;
    case '*':
      if (const auto size = read_number(rest)) return begin_list(*size);
      break;
    default: break;
  }
  return std::string(kOtherProtocol);
}

std::string ReplyScanner::begin_text(std::int64_t size) {
  if (size < -1) return std::string(kOtherProtocol);
  if (size == -1) {
    end_element();
    return {};
  }
  const auto bytes = static_cast<std::size_t>(size);
  if (bytes > kRedisTextBytesMax) {
    return fmt::format("its answer has a text of {} bytes; the most is {}", bytes,
                       kRedisTextBytesMax);
  }
  text_left_ = bytes + kLineEnd.size();
  return add_bytes(text_left_);
}

std::string ReplyScanner::begin_list(std::int64_t size) {
  if (size < -1) return std::string(kOtherProtocol);
  const auto elements = static_cast<std::size_t>(std::max<std::int64_t>(size, 0));
  if (elements > kRedisAnswerElementsMax - elements_) {
    return fmt::format("its answer has {} elements; the most is {}", elements_ + elements,
                       kRedisAnswerElementsMax);
  }
  elements_ += elements;
  expected_ += elements;
  end_element();
  return {};
}

std::string ReplyScanner::add_bytes(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= kRedisAnswerBytesMax) return {};
  return fmt::format("its answer has more than {} bytes", kRedisAnswerBytesMax);
}

void ReplyScanner::end_element() {
  if (--expected_ > 0) return;
  expected_ = 1;
  elements_ = 0;
  bytes_ = 0;
  ++replies_;
}

}  // namespace laurel::redis
