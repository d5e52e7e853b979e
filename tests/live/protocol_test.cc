// PROTOCOL.md must be right: its dumps are read from the page and tested.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/client/held_boards.h"
#include "live/wire/delta.h"
#include "live/wire/wire.h"

namespace laurel {
namespace {

struct Dump {
  std::uint8_t version = 1;  // of the protocol
  bool from_client = false;
  Channel channel = Channel::reliable;
  std::string bytes;
};

// The fenced blocks "```hex client 0": bytes in hexadecimal, with comments after semicolons. Those
// of version 2 begin with "```hex2".
std::vector<Dump> dumps() {
  std::ifstream page(LAUREL_PROTOCOL_PAGE);
  REQUIRE(page);
  std::vector<Dump> found;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    const bool second = line.rfind("```hex2 ", 0) == 0;
    if (second || line.rfind("```hex ", 0) == 0) {
      inside = true;
      found.push_back({static_cast<std::uint8_t>(second ? 2 : 1),
                       line.find("client") != std::string::npos,
                       line.back() == '1' ? Channel::unsequenced : Channel::reliable,
                       {}});
    } else if (line.rfind("```", 0) == 0) {
      inside = false;
    } else if (inside) {
      std::istringstream bytes(line.substr(0, line.find(';')));
      for (std::string byte; bytes >> byte;) {
        REQUIRE(byte.size() == 2);
        found.back().bytes += static_cast<char>(std::stoi(byte, nullptr, 16));
      }
    }
  }
  return found;
}

TEST_CASE("every dump in PROTOCOL.md decodes, and encodes back to itself") {
  std::size_t client_kinds = 0, server_kinds = 0;  // as bits
  for (const Dump& dump : dumps()) {
    CAPTURE(static_cast<int>(static_cast<unsigned char>(dump.bytes.at(0))));
    if (dump.from_client) {
      const auto message = decode_client(dump.bytes, dump.channel);
      REQUIRE(message);
      CHECK(encode(*message) == dump.bytes);
      client_kinds |= std::size_t{1} << message->index();
    } else {
      const auto message = decode_server(dump.bytes, dump.channel);
      REQUIRE(message);
      CHECK(encode(*message) == dump.bytes);
      server_kinds |= std::size_t{1} << message->index();
    }
  }
  CHECK(client_kinds == (std::size_t{1} << std::variant_size_v<ClientMessage>)-1);
  CHECK(server_kinds == (std::size_t{1} << std::variant_size_v<ServerMessage>)-1);
}

TEST_CASE("the states in PROTOCOL.md lead to the windows that it describes") {
  std::uint64_t epoch = 0;
  std::vector<Window> windows;
  std::vector<std::string> bodies;
  for (const Dump& dump : dumps()) {
    if (dump.from_client || dump.version != 1) continue;
    const ServerMessage message = *decode_server(dump.bytes, dump.channel);
    if (const auto* subscribed = std::get_if<Subscribed>(&message)) epoch = subscribed->epoch;
    const auto* const state = std::get_if<State>(&message);
    if (state == nullptr) continue;
    const auto window = apply(*state, epoch, state->back == 0 ? nullptr : &windows.back());
    REQUIRE(window);
    windows.push_back(*window);
    bodies.emplace_back(state->body);
  }
  REQUIRE(windows.size() == 2);
  const WindowEntry alice{"alice", "Ali", std::nullopt, 100, 1}, bob{"bob", {}, {}, 90, 2},
      carol{"carol", {}, {}, 90, 2};
  CHECK(windows[0].entries == std::vector{alice, bob, carol});
  CHECK(windows[0].size == 1539);
  WindowEntry second = alice, third = bob, first = carol;
  first.score = 105;
  first.rank = 1;
  second.rank = 2;
  third.rank = 3;
  CHECK(windows[1].entries == std::vector{first, second, third});
  CHECK(windows[1].version == 1001);
  // The encoder writes what the page shows.
  CHECK(*whole_body(windows[0], 3) == bodies[0]);
  CHECK(delta_body(windows[0], windows[1], 3) == bodies[1]);
}

TEST_CASE("the states of version 2 in PROTOCOL.md lead to the windows that it describes") {
  std::optional<EntryFormat> format;
  std::uint64_t epoch = 0;
  std::vector<Window> windows;
  std::vector<std::string> bodies;
  for (const Dump& dump : dumps()) {
    if (dump.from_client || dump.version != 2) continue;
    const ServerMessage message = *decode_server(dump.bytes, dump.channel);
    const auto* const begins = std::get_if<StreamBegins>(&message);
    if (begins != nullptr && begins->columns) {
      epoch = begins->epoch;
      format = EntryFormat{2, begins->half_ranks, begins->columns};
    }
    const auto* const state = std::get_if<State>(&message);
    if (state == nullptr) continue;
    REQUIRE(format);
    const auto window = apply(*state, epoch, state->back == 0 ? nullptr : &windows.back(), *format);
    REQUIRE(window);
    windows.push_back(*window);
    bodies.emplace_back(state->body);
  }
  REQUIRE(windows.size() == 2);
  const auto score = [&](double laps, double seconds) {
    return *format->columns->number({{laps, seconds}, 2});
  };
  constexpr Time kEight = 1'795'680'000 * kSecond;  // 2026-11-26 08:00:00
  WindowEntry alice{"alice", "Ali", {}, score(12, 53.21), 1, kEight, 2},
      bob{"bob", {}, {}, score(12, 54), 2, kEight + kSecond, -1},
      carol{"carol", {}, {}, score(11, 50.5), 3, kEight + 2 * kSecond, {}};
  CHECK(windows[0].entries == std::vector{alice, bob, carol});
  bob.score = score(12, 53);
  bob.rank = 1;
  bob.rank_change = 0;
  bob.at = kEight + 60 * kSecond;
  alice.rank = 2;
  alice.rank_change = 1;
  CHECK(windows[1].entries == std::vector{bob, alice, carol});
  CHECK(*whole_body(windows[0], 3, *format) == bodies[0]);
  CHECK(delta_body(windows[0], windows[1], 3, *format) == bodies[1]);
}

TEST_CASE("the board lists in PROTOCOL.md lead to the lists that it describes") {
  HeldBoards held;
  std::vector<ListedBoardsPtr> lists;
  for (const Dump& dump : dumps()) {
    if (dump.from_client || dump.version != 2) continue;
    const ServerMessage message = *decode_server(dump.bytes, dump.channel);
    const auto* const list = std::get_if<BoardList>(&message);
    if (list == nullptr) continue;
    REQUIRE(held.take(*list));
    lists.push_back(held.current());
  }
  REQUIRE(lists.size() == 2);
  REQUIRE(lists[0]->size() == 2);
  const ListedBoard& kills = lists[0]->at(0);
  CHECK(kills.board == "kills");
  CHECK(kills.size == 12);
  BoardDescription plain;
  plain.decimals = 2;
  plain.ranking = Ranking::modified;
  plain.season = 1;
  CHECK(kills.description == plain);
  const ListedBoard& race = lists[0]->at(1);
  CHECK(race.board == "race");
  CHECK(race.description.columns->text() == "laps desc 0 0 999999999, seconds asc 3 0 100000");
  CHECK(race.description.meta == "Season 3");
  CHECK(race.description.season == 4);
  CHECK(race.description.resets_at == (1'795'680'000 + 86'400) * kSecond);
  CHECK_FALSE(race.description.closes_at);
  REQUIRE(lists[1]->size() == 1);
  CHECK(lists[1]->at(0).size == 1540);
  CHECK(lists[1]->at(0).description == race.description);
}

TEST_CASE("the digest is the checksum that PROTOCOL.md names") {
  // The digested bytes of an empty window, divided by the polynomial bit by bit.
  const Window empty{1, 0, 0, {}};
  std::string bytes("\x01\0\0\0\0\0\0\0", 8);
  bytes += std::string(17, '\0');
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
  }
  CHECK(digest(empty, 10, "") == ~crc);
}

}  // namespace
}  // namespace laurel
