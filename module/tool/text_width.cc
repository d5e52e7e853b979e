#include "tool/text_width.h"

#include <clocale>
#include <cwchar>

namespace laurel::tool {

namespace {

// The next character; `at` moves behind it.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t character = first & (0x3FU >> more);
  for (int i = 0; i < more && at < text.size(); ++i) {
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  }
  return character;
}

// The C library's table of widths, for this thread only while it is used.
class Utf8Locale {
 public:
  Utf8Locale() : made_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (made_ != nullptr) before_ = ::uselocale(made_);
  }
  ~Utf8Locale() {
    if (made_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(made_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t made_;
  locale_t before_ = nullptr;
};

}  // namespace

std::size_t text_width(std::string_view text) {
  bool is_ascii = true;
  for (const char c : text) is_ascii = is_ascii && static_cast<unsigned char>(c) < 0x80;
  if (is_ascii) return text.size();
  const Utf8Locale locale;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const int columns = ::wcwidth(static_cast<wchar_t>(next_character(text, at)));
    width += columns < 0 ? 1 : static_cast<std::size_t>(columns);
  }
  return width;
}

}  // namespace laurel::tool
