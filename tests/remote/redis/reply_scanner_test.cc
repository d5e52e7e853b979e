#include "remote/redis/net/reply_scanner.h"

#include <initializer_list>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "remote/limits.h"

namespace laurel::redis {

namespace {

std::string scan_all(std::initializer_list<std::string_view> parts) {
  ReplyScanner scanner;
  std::string why;
  for (const std::string_view part : parts) {
    if (why.empty()) why = scanner.scan(part);
  }
  return why;
}

std::string text_head(std::size_t bytes) { return fmt::format("${}\r\n", bytes); }
std::string list_head(std::size_t elements) { return fmt::format("*{}\r\n", elements); }

}  // namespace

TEST_CASE("answers are counted however their bytes are divided") {
  const std::string bytes =
      "+OK\r\n:7\r\n-ERR no\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n$7\r\n*9\r\n\r\n!\r\n"
      "*3\r\n$2\r\n\r\n\r\n*2\r\n:1\r\n*0\r\n+a\rb\n\r\n";
  for (std::size_t part = 1; part <= bytes.size(); ++part) {
    CAPTURE(part);
    ReplyScanner scanner;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      CHECK(scanner.scan(std::string_view(bytes).substr(at, part)).empty());
    }
    CHECK(scanner.replies() == 9);
  }
}

TEST_CASE("the limit of elements is of one answer, with those of nested lists") {
  const std::size_t most = kRedisAnswerElementsMax;
  CHECK(scan_all({list_head(most)}).empty());
  CHECK(scan_all({list_head(most + 1)}) == "its answer has 2000001 elements; the most is 2000000");
  CHECK(scan_all({list_head(2), list_head(most - 2)}).empty());
  CHECK_FALSE(scan_all({list_head(2), list_head(most - 1)}).empty());
  CHECK_FALSE(scan_all({list_head(2), list_head(0), list_head(most - 1)}).empty());
  CHECK(scan_all({list_head(1), list_head(0), list_head(most)}).empty());
  CHECK_FALSE(scan_all({"*9223372036854775807\r\n"}).empty());
}

TEST_CASE("a text, a line and a whole answer have limits of bytes, checked before they come") {
  CHECK(scan_all({text_head(kRedisTextBytesMax)}).empty());
  CHECK(scan_all({text_head(kRedisTextBytesMax + 1)}) ==
        "its answer has a text of 1048577 bytes; the most is 1048576");
  CHECK_FALSE(scan_all({"$9223372036854775807\r\n"}).empty());
  const std::string line(kRedisLineBytesMax / 2, '+');
  CHECK(scan_all({line, "\r\n"}).empty());
  CHECK(scan_all({line, line, line}) == "its answer has a line of more than 65536 bytes");
  CHECK_FALSE(scan_all({"$" + line + line, "1"}).empty());

  ReplyScanner scanner;
  const std::string part =
      text_head(kRedisTextBytesMax) + std::string(kRedisTextBytesMax, 'x') + "\r\n";
  for (std::size_t i = 0; i <= kRedisAnswerBytesMax / kRedisTextBytesMax; ++i) {
    REQUIRE(scanner.scan(part).empty());  // an answer each
  }
  CHECK(scanner.scan(list_head(1000)).empty());
  std::size_t taken = 0;
  std::string why;
  while ((why = scanner.scan(part)).empty()) ++taken;
  CHECK(why == "its answer has more than 268435456 bytes");
  CHECK(taken == kRedisAnswerBytesMax / kRedisTextBytesMax - 1);
}

TEST_CASE("bytes that are not RESP 2 are refused at their line") {
  for (const char* const bytes :
       {"\r\n", "\n\r\n", "$\r\n", "*\r\n", "$x\r\n", "*1x\r\n", "$-2\r\n", "*-2\r\n",
        "$99999999999999999999\r\n", "HTTP/1.1 400 Bad Request\r\n", "%1\r\n", ">2\r\n", "_\r\n"}) {
    CAPTURE(bytes);
    CHECK(scan_all({bytes}) == "its answer is not in Redis's protocol");
  }
}

}  // namespace laurel::redis
