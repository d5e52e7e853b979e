// PROTOCOL.md must be right: its dumps are read from the page and tested.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/wire/delta.h"
#include "live/wire/wire.h"

namespace laurel {
namespace {

struct Dump {
  bool from_client = false;
  Channel channel = Channel::reliable;
  std::string bytes;
};

// The fenced blocks "```hex client 0": bytes in hexadecimal, with comments after semicolons.
std::vector<Dump> dumps() {
  std::ifstream page(LAUREL_PROTOCOL_PAGE);
  REQUIRE(page);
  std::vector<Dump> found;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("```hex ", 0) == 0) {
      inside = true;
      found.push_back({line.find("client") != std::string::npos,
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
    if (dump.from_client) continue;
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
