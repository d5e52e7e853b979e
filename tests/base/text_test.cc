#include "base/text.h"

#include <array>

#include <doctest/doctest.h>

#include "base/result.h"

namespace laurel {

TEST_CASE("a number is appended with the digits that were asked for, zeros in front") {
  std::string text = "#";
  append_digits(text, 0, 3);
  append_digits(text, 42, 4);
  append_digits(text, 18'446'744'073'709'551'615U, 20);
  append_hex_digits(text, 0xBEEF, 16);
  CHECK(text == "#000004218446744073709551615000000000000beef");
}

TEST_CASE("control bytes are escaped and UTF-8 is kept") {
  CHECK(escaped("Edin D\xC5\xBE"
                "eko") ==
        "Edin D\xC5\xBE"
        "eko");
  CHECK(escaped("a\nb\tc\\d") == "a\\nb\\tc\\\\d");
  CHECK(escaped("\x1b[31mred\x7f") == "\\x1b[31mred\\x7f");
  CHECK(escaped(std::string_view("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("C1 controls, line separators and marks of direction are escaped") {
  CHECK(escaped("a\xC2\x9B"
                "2Jb\xC2\x85") == "a\\xc2\\x9b2Jb\\xc2\\x85");
  CHECK(escaped("\xE2\x80\xA8\xE2\x80\xA9") == "\\xe2\\x80\\xa8\\xe2\\x80\\xa9");
  for (const std::string_view mark :
       {"\xD8\x9C", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA", "\xE2\x80\xAB", "\xE2\x80\xAC",
        "\xE2\x80\xAD", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA7", "\xE2\x81\xA8",
        "\xE2\x81\xA9"}) {
    CAPTURE(mark);
    CHECK(escaped(mark).starts_with("\\x"));
    CHECK(escaped(mark).size() == 4 * mark.size());
  }
  // A joiner of an emoji, and the replacement character.
  CHECK(escaped("\xE2\x80\x8D\xEF\xBF\xBD") == "\xE2\x80\x8D\xEF\xBF\xBD");
}

TEST_CASE("bytes that are not UTF-8 are escaped") {
  CHECK(escaped("\x9B"
                "2J\xFF") == "\\x9b2J\\xff");
  CHECK(escaped("\xC0\xAF") == "\\xc0\\xaf");                    // overlong
  CHECK(escaped("\xED\xA0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(escaped("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  CHECK(escaped("x\xE2\x80") == "x\\xe2\\x80");                  // a part of a character
}

TEST_CASE("long text is cut at the limit, but not inside a character") {
  CHECK(escaped("abcdef", 3) == "abc...");
  CHECK(escaped("ab\xC3\xA9", 3) == "ab...");
  CHECK(escaped("ab\xC3\xA9", 4) == "ab\xC3\xA9");
}

TEST_CASE("the nearest candidate of a misspelt word is found") {
  constexpr std::array<std::string_view, 3> kWords = {"order", "keep", "ranking"};
  CHECK(nearest("oder", kWords) == "order");
  CHECK(nearest("rankings", kWords) == "ranking");
  CHECK(nearest("zzzz", kWords).empty());
}

TEST_CASE("allowed words are listed in quotes") {
  constexpr std::array<std::string_view, 3> kWords = {"a", "b", "c"};
  CHECK(one_of(kWords) == "\"a\", \"b\" or \"c\"");
}

TEST_CASE("a refusal's text begins with its code word") {
  const Refusal refusal(Code::out_of_range, "the score is {}", 7);
  CHECK(refusal.text() == "out_of_range: the score is 7");
  CHECK(refusal.message() == "the score is 7");
  CHECK(refusal.code() == Code::out_of_range);
}

TEST_CASE("a refusal's text is cut at its limit but not inside a character") {
  std::string sentence;
  while (sentence.size() < 2 * kRefusalBytesMax) sentence += "\xC3\xA9";
  const Refusal refusal(Code::rejected, sentence);
  CHECK(refusal.text().size() <= kRefusalBytesMax);
  CHECK(refusal.text().size() >= kRefusalBytesMax - 1);
  CHECK(static_cast<unsigned char>(refusal.text().back()) == 0xA9);
}

TEST_CASE("a refusal owns no memory") {
  CHECK(std::is_trivially_destructible_v<Refusal>);
  CHECK(std::is_trivially_destructible_v<Result<double>>);
}

}  // namespace laurel
