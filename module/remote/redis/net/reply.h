// reply.h - a server's reply to one command, as a value.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace laurel::redis {

struct Reply {
  enum class Kind : std::uint8_t { nil, text, error, integer, list };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  // A string, a status or an error: "WRONGTYPE Operation against ...". An error is escaped, as it
  // enters states, refusals and log lines.
  std::string text;
  std::vector<Reply> list;

  bool is_error() const { return kind == Kind::error; }
  // Element i of a list; a nil if there is none, so that readers need no bounds checks.
  const Reply& operator[](std::size_t i) const {
    static const Reply& nil = *new Reply;  // a remote's thread may read it while the process ends
    return i < list.size() ? list[i] : nil;
  }
};

// Replies of scripts: counts are integers, scores are texts that read back as the same double.
inline std::uint64_t count_of(const Reply& reply) {
  return static_cast<std::uint64_t>(reply.integer);
}
// -1 is a count that the script does not know.
inline std::optional<std::uint64_t> known_count_of(const Reply& reply) {
  if (reply.integer < 0) return std::nullopt;
  return count_of(reply);
}
inline double number_of(const Reply& reply) { return std::strtod(reply.text.c_str(), nullptr); }

}  // namespace laurel::redis
