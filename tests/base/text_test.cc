#include "base/text.h"

#include <array>

#include <doctest/doctest.h>

#include "base/result.h"

namespace laurel {

TEST_CASE("control bytes are escaped and UTF-8 is kept") {
  CHECK(escaped("Edin D\xC5\xBE"
                "eko") ==
        "Edin D\xC5\xBE"
        "eko");
  CHECK(escaped("a\nb\tc\\d") == "a\\nb\\tc\\\\d");
  CHECK(escaped("\x1b[31mred\x7f") == "\\x1b[31mred\\x7f");
  CHECK(escaped(std::string_view("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("long text is cut at the limit") { CHECK(escaped("abcdef", 3) == "abc..."); }

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
