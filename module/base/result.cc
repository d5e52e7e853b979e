#include "base/result.h"

#include <algorithm>

#include <fmt/format.h>

namespace laurel {

namespace {

constexpr std::array<std::string_view, 16> kWords = {
    "invalid",     "not_finite",  "bad_player", "bad_data", "out_of_range", "outside_window",
    "not_joined",  "banned",      "rejected",   "taken",    "closed",       "unknown",
    "unsupported", "unavailable", "exhausted",  "full",
};

}  // namespace

std::string_view word(Code code) { return kWords[static_cast<std::size_t>(code)]; }

Refusal::Refusal(Code code, std::string_view message)
    : Refusal(code, FormatTag{}, "{}", fmt::make_format_args(message)) {}

Refusal::Refusal(Code code, FormatTag, fmt::string_view format, fmt::format_args args)
    : code_(code) {
  fmt::basic_memory_buffer<char, kRefusalBytesMax> buffer;
  buffer.append(word(code));
  buffer.append(std::string_view(": "));
  fmt::vformat_to(fmt::appender(buffer), format, args);
  size_ = static_cast<std::uint16_t>(std::min(buffer.size(), kRefusalBytesMax));
  // Do not cut inside a UTF-8 character.
  if (size_ < buffer.size()) {
    while (size_ > 0 && (static_cast<unsigned char>(buffer[size_]) & 0xC0U) == 0x80U) --size_;
  }
  std::copy_n(buffer.data(), size_, text_.data());
  text_[size_] = '\0';
}

std::string_view Refusal::message() const { return text().substr(word(code_).size() + 2); }

}  // namespace laurel
