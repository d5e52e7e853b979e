// wire.h - the messages of the live channel, as PROTOCOL.md describes them to strangers.
//
//   stream     what all subscribers of one view of one incarnation of a board share; the server
//              numbers streams, so that one encoded message serves all of them.
//   view       which entries of a board: its first n, or a player with n above and n below.
//   channel    0 is reliable and ordered, 1 is unsequenced; each kind of message has its channel,
//              an ack answers on the channel its state came on.
//   numbers    little-endian; LEB128 ones in their shortest form and within 2^53 - 1. Every message
//              has one encoding: encode(*decode(bytes)) == bytes.
//   owner      the strings of a decoded message point into the bytes it was decoded from.
//   threads    none; everything here is pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/limits.h"

namespace laurel {

enum class Channel : std::uint8_t { reliable = 0, unsequenced = 1 };

// The versions of the protocol that this library speaks.
inline constexpr std::uint8_t kWireVersionMin = 1;
inline constexpr std::uint8_t kWireVersionMax = 1;

// Why a server said no, or goodbye. The numbers are the protocol's.
enum class Reason : std::uint8_t {
  version = 1,    // no common version; the sentence and the range say which are spoken
  unknown = 2,    // no board of that name is published
  limit = 3,      // more subscriptions than one client may have
  refused = 4,    // the token does not let in
  late = 5,       // no hello in time
  slow = 6,       // nothing was acknowledged for too long
  abuse = 7,      // too many offences
  closing = 8,    // the server ends
  nobody = 9,     // only a player can be followed, and the client showed no token
  replaced = 10,  // the same client connected again
};
// The reason's word, as logs and documents spell it.
std::string_view word(Reason reason);
// What to tell people where no sentence came with it.
std::string_view meaning(Reason reason);

// --- what a client says

struct Hello {
  std::uint8_t version_min = kWireVersionMin, version_max = kWireVersionMax;
  std::string_view secret;  // of a token, kLiveSecretBytes; empty without one
  friend bool operator==(const Hello&, const Hello&) = default;
};

// Which entries of a board.
enum class View : std::uint8_t {
  top = 0,     // the first n: 1 to kLiveTopMax
  around = 1,  // the token's player with n above and n below: 0 to kLiveAroundMax
};

// The most entries that a view shows.
constexpr std::size_t entries_of(View view, std::size_t n) {
  return view == View::top ? n : 2 * n + 1;
}

// Asks for a view of a board, in place of an earlier subscription to the same kind of view of it.
struct Subscribe {
  std::string_view board;
  View view = View::top;
  std::uint8_t n = 10;        // in the view's range
  std::uint64_t epoch = 0;    // of the window that the client still holds; 0: none
  std::uint64_t version = 0;  // its version; 0 without one
  friend bool operator==(const Subscribe&, const Subscribe&) = default;
};

// Ends both views of a board.
struct Unsubscribe {
  std::string_view board;
  friend bool operator==(const Unsubscribe&, const Unsubscribe&) = default;
};

// "What I hold of this stream is of no use: begin anew."
struct Resync {
  std::uint32_t stream = 0;
  friend bool operator==(const Resync&, const Resync&) = default;
};

// What the client holds now; said again at every receipt, whether or not it brought something new.
struct Ack {
  struct Held {
    std::uint32_t stream = 0;
    std::uint64_t version = 0;
    std::uint32_t received = 0;  // state messages received on the stream since it was subscribed
    friend bool operator==(const Held&, const Held&) = default;
  };
  std::uint8_t count = 0;  // 1 to kLiveSubscriptionsMax
  std::array<Held, kLiveSubscriptionsMax> held{};

  std::span<const Held> all() const { return std::span(held).first(count); }
  friend bool operator==(const Ack&, const Ack&) = default;
};

struct Ping {
  std::uint32_t number = 0;
  friend bool operator==(const Ping&, const Ping&) = default;
};

using ClientMessage = std::variant<Hello, Subscribe, Unsubscribe, Resync, Ack, Ping>;

// --- what a server says

struct Welcome {
  std::uint8_t version = kWireVersionMax;  // the one spoken from here on
  std::uint32_t word = 0;                  // to be shown when connecting again; 0 without a token
  std::uint64_t interval = 0;  // microseconds between two updates of a subscription, at least
  friend bool operator==(const Welcome&, const Welcome&) = default;
};

// Answers subscribe once the board is published, and again when it begins a new epoch.
struct Subscribed {
  std::string_view board;
  View view = View::top;
  std::uint8_t n = 0;
  std::uint32_t stream = 0;
  std::uint64_t epoch = 0;  // never 0
  friend bool operator==(const Subscribed&, const Subscribed&) = default;
};

struct Error {
  Reason reason = Reason::unknown;
  std::uint8_t version_min = kWireVersionMin, version_max = kWireVersionMax;  // the server's
  std::string_view board;     // the board it is about; empty where it is about none
  std::string_view sentence;  // for people
  friend bool operator==(const Error&, const Error&) = default;
};

struct Bye {
  Reason reason = Reason::closing;
  std::string_view sentence;
  friend bool operator==(const Bye&, const Bye&) = default;
};

// A window of a stream, whole or as a delta. delta.h reads and writes the body.
struct State {
  std::uint32_t stream = 0;
  std::uint64_t version = 0;
  std::uint64_t back = 0;  // the base is version - back; 0: whole
  std::uint64_t size = 0;  // players ranked on the whole board
  std::uint32_t digest = 0;
  std::uint8_t count = 0;  // entries of the window that results
  std::string_view body;
  friend bool operator==(const State&, const State&) = default;
};

struct Pong {
  std::uint32_t number = 0;
  friend bool operator==(const Pong&, const Pong&) = default;
};

using ServerMessage = std::variant<Welcome, Subscribed, Error, Bye, State, Pong>;

// The bytes of a message. REQUIRES: its fields are within their limits.
std::string encode(const ClientMessage& message);
std::string encode(const ServerMessage& message);

// The message, or nothing when the bytes are not exactly one message of that direction that may
// come on that channel.
std::optional<ClientMessage> decode_client(std::string_view bytes, Channel channel);
std::optional<ServerMessage> decode_server(std::string_view bytes, Channel channel);

}  // namespace laurel
