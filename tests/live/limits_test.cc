// One live channel publishes the most boards that it may.
#include <doctest/doctest.h>

#include "../board/fixture.h"
#include "live/client/held_boards.h"
#include "live/server/published_list.h"
#include "live/server/publisher.h"

namespace laurel {
namespace {

TEST_CASE("65,536 boards are published, and the refusal of one more names the limit") {
  Fixture game;
  const BoardHandle board = game.open("kills", {{"segments", "map"}});
  auto started = Publisher::start({});
  REQUIRE_MESSAGE(started, started.refusal().text());
  Publisher& live = **started;
  game.registry->attach(std::move(*started));
  const auto publish = [&](std::size_t i) {
    return live.publish(*game.registry, board, {},
                        SegmentName{.attribute = "map", .value = std::to_string(i)});
  };
  for (std::size_t i = 0; i < 65'536; ++i) REQUIRE(publish(i));
  const Status one_more = publish(65'536);
  REQUIRE(!one_more);
  CHECK(one_more.refusal().text() == "unavailable: 65536 boards are published, the most allowed");
  CHECK(publish(0));  // again, with other options perhaps
  CHECK(live.unpublish(*game.registry, board, SegmentName{.attribute = "map", .value = "7"}));
  CHECK(publish(65'536));
}

TEST_CASE("a client is told of 65,536 boards, and of one that goes or comes in one message") {
  PublishedList list(9);
  for (int i = 0; i < 65'536; ++i) {
    list.describe(fmt::format("map {:05}", i), {});
    list.set_size(fmt::format("map {:05}", i), 1);
  }
  HeldBoards held;
  const auto ask_all = [&] {
    int messages = 0;
    for (;;) {
      const AskBoards question = held.question();
      if (list.is_newest(question.epoch, question.version)) return messages;
      std::uint64_t encodings = 0;
      const auto message = decode_server(*list.message(question.epoch, question.version, encodings),
                                         Channel::reliable);
      REQUIRE(message);
      REQUIRE(held.take(std::get<BoardList>(*message)));
      ++messages;
    }
  };
  ask_all();
  CHECK(held.current()->size() == 65'536);
  list.remove("map 00007");
  list.describe("another", {});
  CHECK(ask_all() == 1);
  CHECK(held.current()->size() == 65'536);
  CHECK(held.current()->front().board == "another");
}

}  // namespace
}  // namespace laurel
