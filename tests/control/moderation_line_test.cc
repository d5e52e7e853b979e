// Orders of moderators and their answers as lines.
#include "control/moderation_line.h"

#include <doctest/doctest.h>

#include "base/limits.h"

using namespace laurel;
using Kind = Moderation::Kind;

namespace {

void round_trip(const Moderation& order) {
  const Result<Moderation> read = read_moderation(line_of(order));
  REQUIRE(read);
  CHECK(read->kind == order.kind);
  CHECK(read->board == order.board);
  CHECK(read->player == order.player);
  CHECK(read->value == order.value);
}

}  // namespace

TEST_CASE("each order is read as it was written") {
  round_trip({.kind = Kind::ban, .player = "eve"});
  round_trip({.kind = Kind::ban, .board = "b", .player = "eve"});
  round_trip({.kind = Kind::unban, .player = "a \"b\" \\ \n"});
  round_trip({.kind = Kind::forget, .player = "\xff\x01"});
  round_trip({.kind = Kind::set, .board = "\xfe", .player = "gr\xc3\xbc\xc3\x9f", .value = "1,2"});
  round_trip({.kind = Kind::remove, .board = "b", .player = ""});
  round_trip({.kind = Kind::take_back, .board = "b", .player = "eve", .value = "17"});
  round_trip({.kind = Kind::reset, .board = "b"});
}

TEST_CASE("the longest names fit into a line, with each byte escaped") {
  const std::string name(kPlayerBytesMax, '\x01');
  const std::string line = line_of({.kind = Moderation::Kind::set,
                                    .board = name,
                                    .player = name,
                                    .value = std::string(64, '1')});
  CHECK(line.size() <= kControlLineBytesMax);
  CHECK(read_moderation(line));
}

TEST_CASE("a line that is no order says why") {
  for (const char* line :
       {"", "ban", "[]", "{}", "{\"order\":\"drop\",\"board\":\"b\"}", "{\"order\":5}",
        "{\"order\":\"ban\"}", "{\"order\":\"ban\",\"player\":5}",
        "{\"order\":\"ban\",\"player\":\"eve\",\"board\":\"\"}",
        "{\"order\":\"ban\",\"player\":\"eve\",\"board\":null}",
        "{\"order\":\"ban\",\"player\":\"eve\",\"more\":\"b\"}",
        "{\"order\":\"forget\",\"player\":\"eve\",\"board\":\"b\"}",
        "{\"order\":\"set\",\"player\":\"eve\",\"score\":\"1\"}",
        "{\"order\":\"set\",\"board\":\"b\",\"player\":\"eve\",\"score\":1}",
        "{\"order\":\"reset\",\"board\":\"b\",\"player\":\"eve\"}",
        "{\"order\":\"reset\",\"board\":\"b\"} x"}) {
    CAPTURE(line);
    const Result<Moderation> read = read_moderation(line);
    REQUIRE(!read);
    CHECK(read.refusal().text().starts_with("bad_data: the line is no order: "));
  }
}

TEST_CASE("an answer is a sentence or a refusal, as it was given") {
  const Result<std::string> done = read_answer(answer_line(std::string("player \"x\" is banned")));
  REQUIRE(done);
  CHECK(*done == "player \"x\" is banned");
  const Result<std::string> refused =
      read_answer(answer_line(Refusal(Code::unknown, "no board is called \"c\"")));
  REQUIRE(!refused);
  CHECK(refused.refusal().text() == "unknown: no board is called \"c\"");
  for (const char* line : {"", "{}", "{\"refused\":\"what: x\"}", "{\"refused\":\"unknown\"}"}) {
    CHECK(!read_answer(line));
  }
}
