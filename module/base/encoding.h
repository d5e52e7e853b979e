// encoding.h - bytes as text for JSON: a UTF-8 check, and base64 for other bytes (RFC 4648,
// section 4, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laurel {

// Whether all of the bytes are valid UTF-8: no stray, overlong or surrogate sequence.
bool is_utf8(std::string_view bytes);

std::string to_base64(std::string_view bytes);
// Empty if the text is not base64: another character, white space, too little or too much padding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace laurel
