#include "live/wire/wire.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/limits.h"

namespace laurel {
namespace {

// One message of each kind, with no field at its default.
std::vector<ClientMessage> client_messages() {
  Ack ack;
  ack.count = 2;
  ack.held[0] = {1, 1000, 3};
  ack.held[1] = {UINT32_MAX, kLiveNumberMax, UINT32_MAX};
  return {Hello{1, 3, "0123456789abcdef"},
          Hello{1, 3, ""},
          Subscribe{"kills", View::top, 10, 0xABCDEF0123456789, 1000},
          Subscribe{std::string_view("a\xFF", 2), View::around, 10, 0, 0},
          Unsubscribe{"kills"},
          Resync{300},
          ack,
          Ping{0xDEADBEEF},
          Follow{"kills", 10, "ada", 0xABCDEF0123456789, 1000},
          Unfollow{"kills", "ada"},
          AskBoards{0xABCDEF0123456789, 1000},
          AskPlayer{UINT32_MAX, "1122334400112233445566778899aabbccddeeff"}};
}

ScoreColumns::Ptr laps_and_seconds() {
  return *ScoreColumns::parse("laps, seconds asc 3 -1.5 100000");
}

std::vector<ServerMessage> server_messages() {
  return {Welcome{1, 77, 50'000},
          Subscribed{"kills", View::top, 10, 3, 0xABCDEF0123456789},
          Error{Reason::unknown, 1, 1, "kills", "no board \"kills\" is published here"},
          Error{Reason::version, 2, 5, "", "too old"},
          Error{Reason::nobody, 1, 1, "kills", "who?"},
          Bye{Reason::slow, "nothing was acknowledged"},
          State{3, 1000, 1, 1539, 0x12345678, 10, "body"},
          Pong{0xDEADBEEF},
          Welcome{2, 77, 50'000, Role::gateway, 1024, ""},
          Welcome{2, 77, 50'000, Role::client, 64, "ada"},
          StreamBegins{"kills", View::top, 10, "", 3, 0xABCDEF0123456789, true, nullptr},
          StreamBegins{"kills", View::around, 0, "ada", 3, 1, false, laps_and_seconds()},
          PlayerIs{7, "ada"},
          PlayerIs{},
          BoardList{0xABCDEF0123456789, 3, 4, 5, "items"}};
}

Channel channel_of(const ClientMessage& message) {
  return std::holds_alternative<Ping>(message) ? Channel::unsequenced : Channel::reliable;
}
Channel channel_of(const ServerMessage& message) {
  return std::holds_alternative<Pong>(message) ? Channel::unsequenced : Channel::reliable;
}
Channel other(Channel channel) {
  return channel == Channel::reliable ? Channel::unsequenced : Channel::reliable;
}
std::optional<ClientMessage> decode(const ClientMessage&, std::string_view bytes, Channel channel) {
  return decode_client(bytes, channel);
}
std::optional<ServerMessage> decode(const ServerMessage&, std::string_view bytes, Channel channel) {
  return decode_server(bytes, channel);
}

// Calls f(message, its bytes, its channel) for one message of each kind and direction.
template <typename F>
void for_each_message(F f) {
  for (const ClientMessage& message : client_messages())
    f(message, encode(message), channel_of(message));
  for (const ServerMessage& message : server_messages())
    f(message, encode(message), channel_of(message));
}

TEST_CASE("a message encoded and decoded is unchanged") {
  for_each_message([](const auto& message, const std::string& bytes, Channel channel) {
    const auto decoded = decode(message, bytes, channel);
    REQUIRE(decoded);
    CHECK(*decoded == message);
  });
}

TEST_CASE("truncated messages and messages with trailing bytes are rejected") {
  for_each_message([](const auto& message, const std::string& bytes, Channel channel) {
    CAPTURE(message.index());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto decoded = decode(message, bytes.substr(0, size), channel);
      // The body of a state is the rest of the message: apply() finds out if it is complete. So are
      // the items of a board list, which read_items() checks.
      const bool body_only = bytes[0] == '\x85' && size + 4 >= bytes.size();
      const bool items_only = bytes[0] == '\x89' && size + 5 >= bytes.size();
      CHECK(decoded.has_value() == (body_only || items_only));
    }
    if (bytes[0] != '\x85' && bytes[0] != '\x89') {
      CHECK_FALSE(decode(message, bytes + 'x', channel));
    }
  });
}

TEST_CASE("a damaged message that still decodes encodes back to the same bytes") {
  std::size_t rejected = 0;
  for_each_message([&](const auto& message, const std::string& bytes, Channel channel) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (int flip = 1; flip < 256; ++flip) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        const auto decoded = decode(message, damaged, channel);
        if (!decoded) {
          ++rejected;
          continue;
        }
        CAPTURE(at);
        CAPTURE(flip);
        CHECK(encode(*decoded) == damaged);
      }
    }
  });
  CHECK(rejected > 10'000);
}

TEST_CASE("random bytes never decode to a message that is not canonical") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int i = 0; i < 200; ++i) {
      std::string bytes(random() % 40, '\0');
      for (char& byte : bytes)
        byte = static_cast<char>(random() % 4 == 0 ? random() : random() % 8);
      if (!bytes.empty()) bytes[0] = static_cast<char>(random() % 2 * 0x80 + 1 + random() % 6);
      for (const Channel channel : {Channel::reliable, Channel::unsequenced}) {
        if (const auto message = decode_client(bytes, channel)) CHECK(encode(*message) == bytes);
        if (const auto message = decode_server(bytes, channel)) CHECK(encode(*message) == bytes);
      }
    }
  }
}

TEST_CASE("each kind of message has its channel, and only acks and states have both") {
  for_each_message([](const auto& message, const std::string& bytes, Channel channel) {
    const bool both = bytes[0] == '\x05' || bytes[0] == '\x85';
    CHECK(decode(message, bytes, other(channel)).has_value() == both);
  });
}

TEST_CASE("a server's message does not decode as a client's, and vice versa") {
  for (const ClientMessage& message : client_messages()) {
    CHECK_FALSE(decode_server(encode(message), channel_of(message)));
  }
  for (const ServerMessage& message : server_messages()) {
    CHECK_FALSE(decode_client(encode(message), channel_of(message)));
  }
}

TEST_CASE("message fields out of range are rejected") {
  const auto refuses = [](const ClientMessage& message) {
    return !decode_client(encode(message), channel_of(message));
  };
  CHECK(refuses(Subscribe{"", View::top, 10, 0, 0}));
  CHECK(refuses(Subscribe{std::string_view("a\0b", 3), View::top, 10, 0, 0}));
  CHECK(refuses(Subscribe{"kills", View::top, 0, 0, 0}));
  CHECK(refuses(Subscribe{"kills", View::top, 101, 0, 0}));
  CHECK(refuses(Subscribe{"kills", View::top, 10, 0, 5}));  // a version without an epoch
  CHECK(refuses(Subscribe{std::string(256, 'x'), View::top, 10, 0, 0}));
  CHECK(refuses(Subscribe{"kills", View::top, 10, 1, kLiveNumberMax + 1}));
  CHECK(refuses(Hello{0, 1, ""}));
  CHECK(refuses(Hello{2, 1, ""}));
  CHECK(refuses(Hello{1, 1, std::string(15, 's')}));
  CHECK(refuses(Hello{1, 1, std::string(17, 's')}));
  CHECK(refuses(Subscribe{"kills", View::around, 11, 0, 0}));
  CHECK(refuses(Subscribe{"kills", static_cast<View>(2), 1, 0, 0}));
  CHECK(refuses(Ack{}));
  CHECK(refuses(Follow{"kills", 11, "ada", 0, 0}));
  CHECK(refuses(Follow{"kills", 1, "", 0, 0}));
  CHECK(refuses(Follow{"kills", 1, std::string(256, 'x'), 0, 0}));
  CHECK(refuses(Unfollow{"kills", std::string_view("a\0b", 3)}));
  CHECK(refuses(AskBoards{0, 1}));
  CHECK(refuses(AskPlayer{0, "token"}));
  CHECK(refuses(AskPlayer{1, ""}));
  CHECK(refuses(AskPlayer{1, std::string(256, 'x')}));
  CHECK_FALSE(refuses(Subscribe{std::string(255, 'x'), View::top, 100, 1, kLiveNumberMax}));

  const auto server_refuses = [](const ServerMessage& message) {
    return !decode_server(encode(message), channel_of(message));
  };
  CHECK(server_refuses(Subscribed{"kills", View::top, 10, 3, 0}));  // no epoch
  CHECK(server_refuses(State{3, 1000, 1001, 1539, 0, 10, ""}));     // a base before version 0
  CHECK(server_refuses(State{3, 1000, 1, 1539, 0, 101, ""}));
  CHECK(server_refuses(Welcome{2, 0, 1, static_cast<Role>(2), 64, ""}));
  CHECK(server_refuses(StreamBegins{"kills", View::top, 1, "ada", 1, 1, false, nullptr}));
  CHECK(server_refuses(StreamBegins{"kills", View::top, 1, "", 1, 0, false, nullptr}));
  CHECK(server_refuses(BoardList{0, 0, 1, 1, ""}));
  CHECK(server_refuses(BoardList{1, 2, 1, 2, ""}));
  CHECK(server_refuses(BoardList{1, 0, 3, 2, ""}));
  CHECK(server_refuses(Bye{static_cast<Reason>(0), ""}));
  CHECK(server_refuses(Bye{static_cast<Reason>(11), ""}));
}

TEST_CASE("the longest message of a client is within the server's limit") {
  const std::string name(kBoardNameBytesMax, 'x');
  CHECK(encode(ClientMessage(Subscribe{name, View::top, 100, 1, kLiveNumberMax})).size() <=
        kLiveClientMessageBytesMax);
  const std::string player(kPlayerBytesMax, 'p');
  CHECK(encode(ClientMessage(Follow{name, 10, player, 1, kLiveNumberMax})).size() <=
        kLiveClientMessageBytesMax);
  Ack ack;
  ack.count = kLiveAckStreamsMax;
  ack.held.fill({UINT32_MAX, kLiveNumberMax, UINT32_MAX});
  CHECK(encode(ClientMessage(ack)).size() <= kLiveClientMessageBytesMax);
}

TEST_CASE("columns that no board can have are refused") {
  const StreamBegins begins{"b", View::top, 1, "", 1, 1, false, laps_and_seconds()};
  const std::string bytes = encode(ServerMessage(begins));
  REQUIRE(decode_server(bytes, Channel::reliable));
  const std::size_t columns = bytes.find("laps") - 2;
  const auto changed = [&](std::size_t at, char to) {
    std::string other = bytes;
    other[at] = to;
    return decode_server(other, Channel::reliable).has_value();
  };
  CHECK_FALSE(changed(columns, 1));  // one column is none
  CHECK_FALSE(changed(columns, 6));
  CHECK_FALSE(changed(columns + 2, '-'));          // in a name
  CHECK_FALSE(changed(columns + 6, 2));            // an order
  CHECK_FALSE(changed(columns + 7, 10));           // decimals
  CHECK_FALSE(changed(columns + 8 + 7, '\x80'));   // a bound of -0
  CHECK_FALSE(changed(columns + 16 + 7, '\x7F'));  // one that is larger than columns take
}

}  // namespace
}  // namespace laurel
