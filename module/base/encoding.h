// encoding.h - bytes as text, for JSON: whether they are UTF-8 already, and base64 where they are
// not (RFC 4648, section 4: with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laurel {

// Whether the bytes are UTF-8 from end to end: no stray, overlong or surrogate sequence.
bool is_utf8(std::string_view bytes);

std::string to_base64(std::string_view bytes);
// Nothing where it is no base64: another character, white space, too little or much padding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace laurel
