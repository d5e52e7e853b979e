#include "base/encoding.h"

#include <random>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("base64 matches the vectors of RFC 4648") {
  CHECK(to_base64("").empty());
  CHECK(to_base64("f") == "Zg==");
  CHECK(to_base64("fo") == "Zm8=");
  CHECK(to_base64("foo") == "Zm9v");
  CHECK(to_base64("foob") == "Zm9vYg==");
  CHECK(to_base64("fooba") == "Zm9vYmE=");
  CHECK(to_base64("foobar") == "Zm9vYmFy");
  CHECK(to_base64("\xFB\xFF") == "+/8=");
}

TEST_CASE("base64 is decoded to the same bytes") {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random());
    CHECK(from_base64(to_base64(bytes)) == bytes);
  }
}

TEST_CASE("invalid base64 is refused") {
  for (const char* text :
       {"a", "ab", "abc", "a===", "====", "=aaa", "aa=a", "a b=", "ab=\n", "aa-_"}) {
    CAPTURE(text);
    CHECK_FALSE(from_base64(text));
  }
}

TEST_CASE("cut, overlong and surrogate sequences are not UTF-8") {
  CHECK(is_utf8(""));
  CHECK(
      is_utf8("D\xC5\xBE"
              "eko \xE2\x82\xAC \xF0\x9F\x8F\x86"));
  CHECK(is_utf8(std::string_view("\0", 1)));
  for (const char* text :
       {"\xFF", "\xC5", "\xC5(", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
    CAPTURE(text);
    CHECK_FALSE(is_utf8(text));
  }
}

}  // namespace laurel
