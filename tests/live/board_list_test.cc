// The list of published boards: what a server lists, and what its clients hold.
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/client/held_boards.h"
#include "live/limits.h"
#include "live/server/published_list.h"

namespace laurel {
namespace {

constexpr std::uint64_t kEpoch = 9;

BoardDescription described(std::uint64_t season, std::string meta = "") {
  BoardDescription description;
  description.season = season;
  description.meta = std::move(meta);
  return description;
}

// One question and its answer. Returns false if there is nothing newer.
bool ask(PublishedList& list, HeldBoards& held) {
  const AskBoards question = held.question();
  if (list.is_newest(question.epoch, question.version)) return false;
  std::uint64_t encodings = 0;
  const MessagePtr bytes = list.message(question.epoch, question.version, encodings);
  CHECK(bytes->size() <= kLiveMessageBytesMax);
  const auto message = decode_server(*bytes, Channel::reliable);
  REQUIRE(message);
  REQUIRE(held.take(std::get<BoardList>(*message)));
  return true;
}

int ask_all(PublishedList& list, HeldBoards& held) {
  int asked = 0;
  while (ask(list, held)) ++asked;
  return asked;
}

std::string names(const HeldBoards& held) {
  std::string text;
  for (const ListedBoard& board : *held.current()) {
    text += fmt::format("{}:{}:{} ", board.board, board.description.season, board.size);
  }
  return text;
}

TEST_CASE("a client that asks again is sent only what has changed") {
  PublishedList list(kEpoch);
  list.describe("kills", described(1));
  list.describe("laps", described(1, std::string(1000, 'm')));
  HeldBoards held;
  CHECK(ask_all(list, held) == 1);
  CHECK(names(held) == "kills:1:0 laps:1:0 ");
  list.set_size("kills", 7);
  CHECK(ask_all(list, held) == 1);  // the first size of a board
  CHECK(names(held) == "kills:1:7 laps:1:0 ");
  list.describe("kills", described(2));
  std::uint64_t encodings = 0;
  const AskBoards question = held.question();
  const MessagePtr bytes = list.message(question.epoch, question.version, encodings);
  CHECK(bytes->size() < 100);
  CHECK(list.message(question.epoch, question.version, encodings) == bytes);
  CHECK(encodings == 1);
  CHECK(ask_all(list, held) == 1);
  CHECK(names(held) == "kills:2:7 laps:1:0 ");
  list.describe("kills", described(2));
  CHECK(ask_all(list, held) == 0);
  list.remove("laps");
  CHECK(ask_all(list, held) == 1);
  CHECK(names(held) == "kills:2:7 ");
}

TEST_CASE("sizes that change all the time are told once a second") {
  PublishedList list(kEpoch);
  HeldBoards held;
  for (const char* board : {"a", "b"}) {
    list.describe(board, described(1));
    list.set_size(board, 1);
  }
  int answers = 0;
  for (Time now = 0; now < 10 * kSecond; now += kSecond / 20) {
    for (const char* board : {"a", "b"}) {
      list.set_size(board, 2 + static_cast<std::uint64_t>(now / (kSecond / 20)));
    }
    list.tick(now);
    answers += ask_all(list, held);
  }
  CHECK(answers == 10);
  CHECK(list.waiting());
  list.set_size("a", held.current()->at(0).size);  // as it was told last
  list.set_size("b", held.current()->at(1).size);
  CHECK_FALSE(list.waiting());
}

TEST_CASE("a long list takes several messages, and is shown when it is complete") {
  PublishedList list(kEpoch);
  for (int i = 0; i < 100; ++i) {
    list.describe(fmt::format("board {:03}", i), described(1, std::string(kMetaBytesMax, 'm')));
  }
  HeldBoards held;
  int messages = 0;
  while (ask(list, held)) {
    ++messages;
    if (!held.has_any()) CHECK(held.current()->empty());
    if (messages == 5) list.remove("board 000");  // it was sent already
  }
  CHECK(messages >= 30);
  CHECK(held.current()->size() == 99);
}

TEST_CASE("a client of another server, or of long ago, begins again") {
  PublishedList before(1), list(kEpoch);
  before.describe("old", described(1));
  HeldBoards held;
  ask_all(before, held);
  list.describe("new", described(1));
  ask_all(list, held);
  CHECK(names(held) == "new:1:0 ");
  for (std::size_t i = 0; i <= kLiveBoardsMax; ++i) {
    const std::string board = std::to_string(i);
    list.describe(board, described(1));
    list.remove(board);
  }
  ask_all(list, held);
  CHECK(names(held) == "new:1:0 ");
}

TEST_CASE("whatever changes meanwhile, a client holds what is published in the end") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    PublishedList list(kEpoch);
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> expected;  // season and size
    HeldBoards often, rarely;
    Time now = 0;
    for (int step = 0; step < 300; ++step) {
      const std::string board(1 + random() % 3, static_cast<char>('a' + random() % 8));
      const std::uint64_t season = 1 + random() % 3;
      switch (random() % 4) {
        case 0:
          list.describe(board, described(season, std::string(random() % 3000, 'm')));
          expected[board].first = season;
          break;
        case 1:
          if (!expected.contains(board)) break;
          list.set_size(board, season);
          expected[board].second = season;
          break;
        case 2:
          list.remove(board);
          expected.erase(board);
          break;
        default: list.tick(now += static_cast<Time>(random() % kSecond));
      }
      ask(list, often);
      if (random() % 50 == 0) ask(list, rarely);
    }
    list.tick(now += kLiveSizesEvery);
    for (HeldBoards* held : {&often, &rarely}) {
      ask_all(list, *held);
      std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> seen;
      for (const ListedBoard& each : *held->current()) {
        seen[each.board] = {each.description.season, each.size};
      }
      CHECK(seen == expected);
    }
  }
}

TEST_CASE("a damaged list changes nothing") {
  PublishedList list(kEpoch);
  list.describe("kills", described(1, "meta"));
  std::uint64_t encodings = 0;
  const MessagePtr bytes = list.message(0, 0, encodings);
  for (std::size_t size = 0; size < bytes->size(); ++size) {
    const std::string part = bytes->substr(0, size);
    const auto message = decode_server(part, Channel::reliable);
    if (!message) continue;
    HeldBoards held;
    const bool taken = held.take(std::get<BoardList>(*message));
    CHECK((!taken || held.current()->empty()));
  }
  HeldBoards held;
  std::string items;
  write_size(items, "never described", 5);
  CHECK_FALSE(held.take(BoardList{kEpoch, 0, 2, 2, items}));
  CHECK_FALSE(held.take(BoardList{kEpoch, 1, 2, 2, ""}));  // it continues from nothing that is held
  CHECK(held.question() == AskBoards{});
}

}  // namespace
}  // namespace laurel
