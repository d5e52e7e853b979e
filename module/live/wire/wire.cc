#include "live/wire/wire.h"

#include <cassert>

#include "base/bytes.h"

namespace laurel {

namespace {

// The first byte of every message. A server's messages have the high bit set.
enum class Kind : std::uint8_t {
  hello = 0x01,
  subscribe = 0x02,
  unsubscribe = 0x03,
  resync = 0x04,
  ack = 0x05,
  ping = 0x06,
  welcome = 0x81,
  subscribed = 0x82,
  error = 0x83,
  bye = 0x84,
  state = 0x85,
  pong = 0x86,
};

constexpr std::string_view kMagic = "LRL";  // distinguishes a hello from other protocols

constexpr std::uint64_t kStreamMax = UINT32_MAX;

// --- fields of several messages

void write_text(ByteWriter& out, std::string_view text) {
  out.leb(text.size());
  out.bytes(text);
}

std::string_view read_text(ByteReader& in, std::size_t bytes_max) {
  return in.bytes(in.leb(bytes_max));
}

std::string_view read_board(ByteReader& in) {
  const std::string_view board = read_text(in, kBoardNameBytesMax);
  if (board.empty() || board.find('\0') != std::string_view::npos) in.fail();
  return board;
}

std::uint32_t read_stream(ByteReader& in) { return static_cast<std::uint32_t>(in.leb(kStreamMax)); }

void write_view(ByteWriter& out, View view, std::uint8_t n) {
  out.u8(static_cast<std::uint8_t>(view));
  out.u8(n);
}

void read_view(ByteReader& in, View& view, std::uint8_t& n) {
  view = static_cast<View>(in.u8());
  n = in.u8();
  const bool in_range = view == View::top      ? n >= 1 && n <= kLiveTopMax
                        : view == View::around ? n <= kLiveAroundMax
                                               : false;
  if (!in_range) in.fail();
}

Reason read_reason(ByteReader& in) {
  const std::uint8_t reason = in.u8();
  if (word(static_cast<Reason>(reason)).empty()) in.fail();
  return static_cast<Reason>(reason);
}

void read_versions(ByteReader& in, std::uint8_t& version_min, std::uint8_t& version_max) {
  version_min = in.u8();
  version_max = in.u8();
  if (version_min < 1 || version_min > version_max) in.fail();
}

// --- write and read of each message

void write(ByteWriter& out, const Hello& hello) {
  out.u8(static_cast<std::uint8_t>(Kind::hello));
  out.bytes(kMagic);
  out.u8(hello.version_min);
  out.u8(hello.version_max);
  write_text(out, hello.secret);
}

Hello read_hello(ByteReader& in) {
  if (in.bytes(kMagic.size()) != kMagic) in.fail();
  Hello hello;
  read_versions(in, hello.version_min, hello.version_max);
  hello.secret = read_text(in, kLiveSecretBytes);
  if (!hello.secret.empty() && hello.secret.size() != kLiveSecretBytes) in.fail();
  return hello;
}

void write(ByteWriter& out, const Subscribe& subscribe) {
  out.u8(static_cast<std::uint8_t>(Kind::subscribe));
  write_text(out, subscribe.board);
  write_view(out, subscribe.view, subscribe.n);
  out.u64(subscribe.epoch);
  out.leb(subscribe.version);
}

Subscribe read_subscribe(ByteReader& in) {
  Subscribe subscribe;
  subscribe.board = read_board(in);
  read_view(in, subscribe.view, subscribe.n);
  subscribe.epoch = in.u64();
  subscribe.version = in.leb(kLiveNumberMax);
  if (subscribe.epoch == 0 && subscribe.version != 0) in.fail();
  return subscribe;
}

void write(ByteWriter& out, const Unsubscribe& unsubscribe) {
  out.u8(static_cast<std::uint8_t>(Kind::unsubscribe));
  write_text(out, unsubscribe.board);
}

Unsubscribe read_unsubscribe(ByteReader& in) { return {read_board(in)}; }

void write(ByteWriter& out, const Resync& resync) {
  out.u8(static_cast<std::uint8_t>(Kind::resync));
  out.leb(resync.stream);
}

Resync read_resync(ByteReader& in) { return {read_stream(in)}; }

void write(ByteWriter& out, const Ack& ack) {
  out.u8(static_cast<std::uint8_t>(Kind::ack));
  out.u8(ack.count);
  for (const Ack::Held& held : ack.all()) {
    out.leb(held.stream);
    out.leb(held.version);
    out.leb(held.received);
  }
}

Ack read_ack(ByteReader& in) {
  Ack ack;
  ack.count = in.u8();
  if (ack.count < 1 || ack.count > kLiveSubscriptionsMax) {
    in.fail();
    ack.count = 0;
  }
  for (Ack::Held& held : std::span(ack.held).first(ack.count)) {
    held.stream = read_stream(in);
    held.version = in.leb(kLiveNumberMax);
    held.received = static_cast<std::uint32_t>(in.leb(UINT32_MAX));
  }
  return ack;
}

void write(ByteWriter& out, const Ping& ping) {
  out.u8(static_cast<std::uint8_t>(Kind::ping));
  out.u32(ping.number);
}

Ping read_ping(ByteReader& in) { return {in.u32()}; }

void write(ByteWriter& out, const Welcome& welcome) {
  out.u8(static_cast<std::uint8_t>(Kind::welcome));
  out.u8(welcome.version);
  out.u32(welcome.word);
  out.leb(welcome.interval);
}

Welcome read_welcome(ByteReader& in) {
  Welcome welcome;
  welcome.version = in.u8();
  welcome.word = in.u32();
  welcome.interval = in.leb(kLiveNumberMax);
  return welcome;
}

void write(ByteWriter& out, const Subscribed& subscribed) {
  out.u8(static_cast<std::uint8_t>(Kind::subscribed));
  write_text(out, subscribed.board);
  write_view(out, subscribed.view, subscribed.n);
  out.leb(subscribed.stream);
  out.u64(subscribed.epoch);
}

Subscribed read_subscribed(ByteReader& in) {
  Subscribed subscribed;
  subscribed.board = read_board(in);
  read_view(in, subscribed.view, subscribed.n);
  subscribed.stream = read_stream(in);
  subscribed.epoch = in.u64();
  if (subscribed.epoch == 0) in.fail();
  return subscribed;
}

void write(ByteWriter& out, const Error& error) {
  out.u8(static_cast<std::uint8_t>(Kind::error));
  out.u8(static_cast<std::uint8_t>(error.reason));
  out.u8(error.version_min);
  out.u8(error.version_max);
  write_text(out, error.board);
  write_text(out, error.sentence);
}

Error read_error(ByteReader& in) {
  Error error;
  error.reason = read_reason(in);
  read_versions(in, error.version_min, error.version_max);
  error.board = read_text(in, kBoardNameBytesMax);
  error.sentence = read_text(in, kRefusalBytesMax);
  return error;
}

void write(ByteWriter& out, const Bye& bye) {
  out.u8(static_cast<std::uint8_t>(Kind::bye));
  out.u8(static_cast<std::uint8_t>(bye.reason));
  write_text(out, bye.sentence);
}

Bye read_bye(ByteReader& in) {
  Bye bye;
  bye.reason = read_reason(in);
  bye.sentence = read_text(in, kRefusalBytesMax);
  return bye;
}

void write(ByteWriter& out, const State& state) {
  out.u8(static_cast<std::uint8_t>(Kind::state));
  out.leb(state.stream);
  out.leb(state.version);
  out.leb(state.back);
  out.leb(state.size);
  out.u32(state.digest);
  out.u8(state.count);
  out.bytes(state.body);
}

State read_state(ByteReader& in) {
  State state;
  state.stream = read_stream(in);
  state.version = in.leb(kLiveNumberMax);
  state.back = in.leb(kLiveNumberMax);
  state.size = in.leb(kLiveNumberMax);
  state.digest = in.u32();
  state.count = in.u8();
  if (state.count > kLiveTopMax || state.back > state.version) in.fail();
  state.body = in.bytes(in.remaining());
  return state;
}

void write(ByteWriter& out, const Pong& pong) {
  out.u8(static_cast<std::uint8_t>(Kind::pong));
  out.u32(pong.number);
}

Pong read_pong(ByteReader& in) { return {in.u32()}; }

template <typename Message>
std::string encoded(const Message& message) {
  std::string bytes;
  ByteWriter out(bytes, kLiveMessageBytesMax);
  std::visit([&out](const auto& one) { write(out, one); }, message);
  assert(out.ok() && "a message is longer than the channel carries");
  return bytes;
}

// Returns the message if the reader has used every byte without a failure.
template <typename Message>
std::optional<Message> whole(const ByteReader& in, Message message) {
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return message;
}

}  // namespace

std::string_view word(Reason reason) {
  switch (reason) {
    case Reason::version: return "version";
    case Reason::unknown: return "unknown";
    case Reason::limit: return "limit";
    case Reason::refused: return "refused";
    case Reason::late: return "late";
    case Reason::slow: return "slow";
    case Reason::abuse: return "abuse";
    case Reason::closing: return "closing";
    case Reason::nobody: return "nobody";
    case Reason::replaced: return "replaced";
  }
  return {};
}

std::string_view meaning(Reason reason) {
  switch (reason) {
    case Reason::version: return "the server speaks other versions of the protocol";
    case Reason::unknown: return "no such board is published";
    case Reason::limit: return "too many subscriptions";
    case Reason::refused: return "the token is missing, used up, too old or not of this server";
    case Reason::late: return "the client said no hello in time";
    case Reason::slow: return "nothing was acknowledged for too long";
    case Reason::abuse: return "too many messages were damaged or not allowed";
    case Reason::closing: return "the server ends";
    case Reason::nobody: return "only a player can be followed, and the client showed no token";
    case Reason::replaced: return "the same client connected again";
  }
  return {};
}

std::string encode(const ClientMessage& message) { return encoded(message); }
std::string encode(const ServerMessage& message) { return encoded(message); }

std::optional<ClientMessage> decode_client(std::string_view bytes, Channel channel) {
  ByteReader in(bytes);
  const auto kind = static_cast<Kind>(in.u8());
  if (kind == Kind::ack) return whole<ClientMessage>(in, read_ack(in));
  if (channel == Channel::unsequenced) {
    if (kind == Kind::ping) return whole<ClientMessage>(in, read_ping(in));
    return std::nullopt;
  }
  switch (kind) {
    case Kind::hello: return whole<ClientMessage>(in, read_hello(in));
    case Kind::subscribe: return whole<ClientMessage>(in, read_subscribe(in));
    case Kind::unsubscribe: return whole<ClientMessage>(in, read_unsubscribe(in));
    case Kind::resync: return whole<ClientMessage>(in, read_resync(in));
    default: return std::nullopt;
  }
}

std::optional<ServerMessage> decode_server(std::string_view bytes, Channel channel) {
  ByteReader in(bytes);
  const auto kind = static_cast<Kind>(in.u8());
  if (kind == Kind::state) return whole<ServerMessage>(in, read_state(in));
  if (channel == Channel::unsequenced) {
    if (kind == Kind::pong) return whole<ServerMessage>(in, read_pong(in));
    return std::nullopt;
  }
  switch (kind) {
    case Kind::welcome: return whole<ServerMessage>(in, read_welcome(in));
    case Kind::subscribed: return whole<ServerMessage>(in, read_subscribed(in));
    case Kind::error: return whole<ServerMessage>(in, read_error(in));
    case Kind::bye: return whole<ServerMessage>(in, read_bye(in));
    default: return std::nullopt;
  }
}

}  // namespace laurel
