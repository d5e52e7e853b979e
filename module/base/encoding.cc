#include "base/encoding.h"

#include <algorithm>

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <boost/locale/utf.hpp>

namespace laurel {

namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

bool is_utf8(std::string_view bytes) {
  namespace utf = boost::locale::utf;
  const char* const end = bytes.data() + bytes.size();
  // Most texts are ASCII, which need not be decoded.
  const auto is_other = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  const char* at = std::find_if(bytes.data(), end, is_other);
  while (at != end) {
    const utf::code_point point = utf::utf_traits<char>::decode(at, end);
    if (point == utf::illegal || point == utf::incomplete) return false;
  }
  return true;
}

std::string to_base64(std::string_view bytes) {
  namespace it = boost::archive::iterators;
  using Digits = it::base64_from_binary<it::transform_width<const char*, 6, 8>>;
  std::string text(Digits(bytes.data()), Digits(bytes.data() + bytes.size()));
  return text.append((3 - bytes.size() % 3) % 3, '=');
}

std::optional<std::string> from_base64(std::string_view text) {
  namespace it = boost::archive::iterators;
  using Bytes = it::transform_width<it::binary_from_base64<const char*>, 8, 6>;
  const std::size_t digits = std::min(text.find('='), text.size());
  const std::size_t padding = text.size() - digits;
  if (text.size() % 4 != 0 || padding > 2) return std::nullopt;
  if (text.substr(0, digits).find_first_not_of(kBase64Digits) != std::string_view::npos ||
      text.substr(digits).find_first_not_of('=') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string whole(text.substr(0, digits));
  whole.append(padding, kBase64Digits.front());
  std::string bytes(Bytes(whole.data()), Bytes(whole.data() + whole.size()));
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace laurel
