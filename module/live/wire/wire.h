// wire.h - encodes and decodes the messages of the live channel. PROTOCOL.md specifies them.
//
//   stream     shared by all subscribers of one view of one epoch of a board. The server numbers
//              streams, so that one encoded message serves all subscribers.
//   view       selects entries of a board: the first n, or a player with n above and n below.
//   channel    0 is reliable and ordered, 1 is unsequenced. Each kind of message has its channel.
//              An ack is sent on the channel on which its state arrived.
//   version    both sides speak the one that welcome names. A kind of message has one layout in all
//              versions; those of version 2 are marked.
//   numbers    little-endian; a LEB128 number has its shortest form and is at most 2^53 - 1. Every
//              message has exactly one encoding: encode(*decode(bytes)) == bytes.
//   owner      the strings of a decoded message point into the bytes it was decoded from.
//   threads    none; all functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "live/limits.h"
#include "rank/score/score_columns.h"

namespace laurel {

enum class Channel : std::uint8_t { reliable = 0, unsequenced = 1 };

// The protocol versions that this library supports.
inline constexpr std::uint8_t kWireVersionMin = 1;
inline constexpr std::uint8_t kWireVersionMax = 2;

// The reason of an error or a bye. The numbers are part of the protocol.
enum class Reason : std::uint8_t {
  version = 1,    // no common version; the error has the server's range
  unknown = 2,    // no board of that name is published
  limit = 3,      // more subscriptions than one client may have
  refused = 4,    // the token is missing or not accepted
  late = 5,       // no hello in time
  slow = 6,       // the client acknowledged nothing for too long
  abuse = 7,      // too many offences
  closing = 8,    // the server ends
  nobody = 9,     // view `around` without a token that names a player
  replaced = 10,  // the same client connected again
};
// The name of the reason, as in logs and documents; empty if the reason is not known.
std::string_view word(Reason reason);
// A sentence for people, used when the message has none.
std::string_view meaning(Reason reason);

// --- messages of a client

struct Hello {
  std::uint8_t version_min = kWireVersionMin, version_max = 1;
  std::string_view secret;  // of a token, kLiveSecretBytes; empty without a token
  friend bool operator==(const Hello&, const Hello&) = default;
};

// Which entries of a board.
enum class View : std::uint8_t {
  top = 0,     // the first n: 1 to kLiveTopMax
  around = 1,  // the token's player with n above and n below: 0 to kLiveAroundMax
};

// Requests a view of a board. Replaces an earlier subscription to the same kind of view of it.
struct Subscribe {
  std::string_view board;
  View view = View::top;
  std::uint8_t n = 10;        // in the view's range
  std::uint64_t epoch = 0;    // of the window that the client still holds; 0: none
  std::uint64_t version = 0;  // of that window; 0: none
  friend bool operator==(const Subscribe&, const Subscribe&) = default;
};

// Ends both views of a board.
struct Unsubscribe {
  std::string_view board;
  friend bool operator==(const Unsubscribe&, const Unsubscribe&) = default;
};

// Requests a whole window, because the client cannot use the windows it holds.
struct Resync {
  std::uint32_t stream = 0;
  friend bool operator==(const Resync&, const Resync&) = default;
};

// Says which versions the client holds. Sent for every state received, even a stale one.
struct Ack {
  struct Held {
    std::uint32_t stream = 0;
    std::uint64_t version = 0;
    std::uint32_t received = 0;  // state messages received on the stream since it was subscribed
    friend bool operator==(const Held&, const Held&) = default;
  };
  std::uint8_t count = 0;  // 1 to kLiveAckStreamsMax
  std::array<Held, kLiveAckStreamsMax> held{};

  std::span<const Held> all() const { return std::span(held).first(count); }
  friend bool operator==(const Ack&, const Ack&) = default;
};

struct Ping {
  std::uint32_t number = 0;
  friend bool operator==(const Ping&, const Ping&) = default;
};

// Version 2, gateways: requests the entries around any player. Replaces an earlier one of the same
// board and player.
struct Follow {
  std::string_view board;
  std::uint8_t n = 0;  // 0 to kLiveAroundMax
  std::string_view player;
  std::uint64_t epoch = 0, version = 0;  // as in Subscribe
  friend bool operator==(const Follow&, const Follow&) = default;
};

// Version 2, gateways: ends a follow.
struct Unfollow {
  std::string_view board, player;
  friend bool operator==(const Unfollow&, const Unfollow&) = default;
};

// Version 2: requests what is newer than the held list of published boards, once, as soon as there
// is something (board_list.h).
struct AskBoards {
  std::uint64_t epoch = 0;    // of the list that the client holds; 0: none
  std::uint64_t version = 0;  // of that list
  friend bool operator==(const AskBoards&, const AskBoards&) = default;
};

// Version 2, gateways: asks which player a token belongs to.
struct AskPlayer {
  std::uint32_t question = 1;  // comes back in the answer; not 0
  std::string_view token;      // its text, 1 to kLiveTokenTextBytesMax bytes
  friend bool operator==(const AskPlayer&, const AskPlayer&) = default;
};

using ClientMessage = std::variant<Hello, Subscribe, Unsubscribe, Resync, Ack, Ping, Follow,
                                   Unfollow, AskBoards, AskPlayer>;

// --- messages of a server

// What a client may do.
enum class Role : std::uint8_t {
  client = 0,
  gateway = 1,  // it has a gateway's token
};

struct Welcome {
  std::uint8_t version = 1;    // of the protocol, for the rest of the connection
  std::uint32_t word = 0;      // for the next connection; 0 without a token
  std::uint64_t interval = 0;  // minimum microseconds between two updates of a subscription
  // From version 2 on:
  Role role = Role::client;
  std::uint32_t subscriptions = 0;  // that the client may have
  std::string_view player = {};     // of its token; empty: none
  friend bool operator==(const Welcome&, const Welcome&) = default;
};

// Version 1: answers a subscribe when the board is published. Sent again when the board begins a
// new epoch.
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
  std::string_view board;     // the board that the error concerns; empty: none
  std::string_view sentence;  // for people
  friend bool operator==(const Error&, const Error&) = default;
};

struct Bye {
  Reason reason = Reason::closing;
  std::string_view sentence;
  friend bool operator==(const Bye&, const Bye&) = default;
};

// A window of a stream, whole or as a delta. delta.h encodes and decodes the body.
struct State {
  std::uint32_t stream = 0;
  std::uint64_t version = 0;
  std::uint64_t back = 0;  // the base is version - back; 0: whole
  std::uint64_t size = 0;  // players ranked on the whole board
  std::uint32_t digest = 0;
  std::uint8_t count = 0;  // entries of the resulting window
  std::string_view body;
  friend bool operator==(const State&, const State&) = default;
};

struct Pong {
  std::uint32_t number = 0;
  friend bool operator==(const Pong&, const Pong&) = default;
};

// Version 2: answers subscribe and follow, as Subscribed does, and says what entries consist of.
struct StreamBegins {
  std::string_view board;
  View view = View::top;
  std::uint8_t n = 0;
  std::string_view player;  // of a follow; empty: of a subscribe
  std::uint32_t stream = 0;
  std::uint64_t epoch = 0;    // never 0
  bool half_ranks = false;    // ranks are counted in halves
  ScoreColumns::Ptr columns;  // null: a score is one number
  friend bool operator==(const StreamBegins& a, const StreamBegins& b);
};

// Version 2: answers AskPlayer.
struct PlayerIs {
  std::uint32_t question = 0;  // 0: the client's own player has another id now
  std::string_view player;     // empty: the token is not known
  friend bool operator==(const PlayerIs&, const PlayerIs&) = default;
};

// Version 2: answers AskBoards. board_list.h encodes and decodes the items.
struct BoardList {
  std::uint64_t epoch = 0;   // of the list; never 0
  std::uint64_t from = 0;    // the version that these changes start from; 0: an empty list
  std::uint64_t to = 0;      // the version that they lead to
  std::uint64_t newest = 0;  // the newest version; above `to` if the client has to ask for more
  std::string_view items;
  friend bool operator==(const BoardList&, const BoardList&) = default;
};

using ServerMessage =
    std::variant<Welcome, Subscribed, Error, Bye, State, Pong, StreamBegins, PlayerIs, BoardList>;

// Returns the encoded message. REQUIRES: its fields are within their limits.
std::string encode(const ClientMessage& message);
std::string encode(const ServerMessage& message);

// Returns the message, or nullopt if the bytes are not exactly one message that this side may send
// on this channel.
std::optional<ClientMessage> decode_client(std::string_view bytes, Channel channel);
std::optional<ServerMessage> decode_server(std::string_view bytes, Channel channel);

}  // namespace laurel
