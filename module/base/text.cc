#include "base/text.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include <fmt/core.h>

namespace laurel {

namespace {

struct Character {
  std::size_t bytes = 1;
  char32_t code = 0xFFFD;  // also of a byte that is not part of a well-formed character
};

// The first character of a text that is not empty (Unicode 15, table 3-7).
Character first_character(std::string_view text) {
  const auto at = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = at(0);
  if (lead < 0x80) return {1, lead};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xC0U) != 0x80U) return {};
    code = code << 6 | (at(i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {bytes, code};
}

// Whether a character moves or hides others (Unicode 15, section 23.2).
bool is_control(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) {
    return code >= first && code <= last;
  };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x061C || code == 0x200B ||
         within(0x200E, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) ||
         code == 0xFEFF;
}

void escape(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
  }
}

template <unsigned kBase>
void append_digits_of(std::string& text, std::uint64_t number, int digits) {
  [[maybe_unused]] const std::size_t begin = text.size();
  text.append(static_cast<std::size_t>(digits), '0');
  for (std::size_t at = text.size(); number != 0; number /= kBase) {
    assert(at > begin && "the number has more digits");
    text[--at] = "0123456789abcdef"[number % kBase];
  }
}

}  // namespace

void append_digits(std::string& text, std::uint64_t number, int digits) {
  append_digits_of<10>(text, number, digits);
}

void append_hex_digits(std::string& text, std::uint64_t number, int digits) {
  append_digits_of<16>(text, number, digits);
}

std::string escaped(std::string_view text, std::size_t bytes_max) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character character = first_character(text.substr(i));
    if (i + character.bytes > bytes_max) {
      out += "...";
      break;
    }
    const std::string_view bytes = text.substr(i, character.bytes);
    i += character.bytes;
    switch (character.code) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case '\\': out += "\\\\"; break;
      default:
        if (is_control(character.code) || (character.code == 0xFFFD && bytes.size() == 1)) {
          escape(bytes, out);
        } else {
          out += bytes;
        }
    }
  }
  return out;
}

namespace {

// The Levenshtein distance, with one row of the table in memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  return nearest(word, candidates, word.size() / 2);
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates,
                         std::size_t differences) {
  std::string_view best;
  std::size_t best_distance = differences + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word.substr(0, 64), candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string_view last_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

std::string shown(double number) { return std::isnan(number) ? "nan" : fmt::format("{}", number); }

std::string one_of(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += fmt::format("\"{}\"", words[i]);
  }
  return out;
}

}  // namespace laurel
