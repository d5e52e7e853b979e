#include "live/wire/wire.h"

#include <cassert>

#include "base/bytes.h"
#include "live/limits.h"
#include "live/wire/fields.h"

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
  follow = 0x07,
  unfollow = 0x08,
  ask_boards = 0x09,
  ask_player = 0x0A,
  welcome = 0x81,
  subscribed = 0x82,
  error = 0x83,
  bye = 0x84,
  state = 0x85,
  pong = 0x86,
  stream_begins = 0x87,
  player_is = 0x88,
  board_list = 0x89,
};

constexpr std::string_view kMagic = "LRL";  // distinguishes a hello from other protocols

constexpr std::uint64_t kStreamMax = UINT32_MAX;

// --- fields of several messages

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

// The window or list that a client holds, in a Subscribe and others.
template <typename Message>
void write_held(ByteWriter& out, const Message& message) {
  out.u64(message.epoch);
  out.leb(message.version);
}

template <typename Message>
void read_held(ByteReader& in, Message& message) {
  message.epoch = in.u64();
  message.version = in.leb(kLiveNumberMax);
  if (message.epoch == 0 && message.version != 0) in.fail();
}

void write(ByteWriter& out, const Subscribe& subscribe) {
  out.u8(static_cast<std::uint8_t>(Kind::subscribe));
  write_text(out, subscribe.board);
  write_view(out, subscribe.view, subscribe.n);
  write_held(out, subscribe);
}

Subscribe read_subscribe(ByteReader& in) {
  Subscribe subscribe;
  subscribe.board = read_board(in);
  read_view(in, subscribe.view, subscribe.n);
  read_held(in, subscribe);
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
  if (ack.count < 1 || ack.count > kLiveAckStreamsMax) {
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

void write(ByteWriter& out, const Follow& follow) {
  out.u8(static_cast<std::uint8_t>(Kind::follow));
  write_text(out, follow.board);
  out.u8(follow.n);
  write_text(out, follow.player);
  write_held(out, follow);
}

Follow read_follow(ByteReader& in) {
  Follow follow;
  follow.board = read_board(in);
  follow.n = in.u8();
  if (follow.n > kLiveAroundMax) in.fail();
  follow.player = read_player(in);
  read_held(in, follow);
  return follow;
}

void write(ByteWriter& out, const Unfollow& unfollow) {
  out.u8(static_cast<std::uint8_t>(Kind::unfollow));
  write_text(out, unfollow.board);
  write_text(out, unfollow.player);
}

Unfollow read_unfollow(ByteReader& in) {
  const std::string_view board = read_board(in);
  return {board, read_player(in)};
}

void write(ByteWriter& out, const AskBoards& ask) {
  out.u8(static_cast<std::uint8_t>(Kind::ask_boards));
  write_held(out, ask);
}

AskBoards read_ask_boards(ByteReader& in) {
  AskBoards ask;
  read_held(in, ask);
  return ask;
}

void write(ByteWriter& out, const AskPlayer& ask) {
  out.u8(static_cast<std::uint8_t>(Kind::ask_player));
  out.leb(ask.question);
  write_text(out, ask.token);
}

AskPlayer read_ask_player(ByteReader& in) {
  AskPlayer ask;
  ask.question = static_cast<std::uint32_t>(in.leb(UINT32_MAX));
  ask.token = read_text(in, kLiveTokenTextBytesMax);
  if (ask.question == 0 || ask.token.empty()) in.fail();
  return ask;
}

void write(ByteWriter& out, const Welcome& welcome) {
  out.u8(static_cast<std::uint8_t>(Kind::welcome));
  out.u8(welcome.version);
  out.u32(welcome.word);
  out.leb(welcome.interval);
  if (welcome.version < 2) return;
  out.u8(static_cast<std::uint8_t>(welcome.role));
  out.leb(welcome.subscriptions);
  write_text(out, welcome.player);
}

Welcome read_welcome(ByteReader& in) {
  Welcome welcome;
  welcome.version = in.u8();
  welcome.word = in.u32();
  welcome.interval = in.leb(kLiveNumberMax);
  if (welcome.version < 2) return welcome;
  welcome.role = static_cast<Role>(in.u8());
  if (welcome.role != Role::client && welcome.role != Role::gateway) in.fail();
  welcome.subscriptions = static_cast<std::uint32_t>(in.leb(UINT32_MAX));
  welcome.player = read_player_or_none(in);
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

void write(ByteWriter& out, const StreamBegins& begins) {
  out.u8(static_cast<std::uint8_t>(Kind::stream_begins));
  write_text(out, begins.board);
  write_view(out, begins.view, begins.n);
  write_text(out, begins.player);
  out.leb(begins.stream);
  out.u64(begins.epoch);
  out.u8(begins.half_ranks ? 1 : 0);
  write_columns(out, begins.columns.get());
}

StreamBegins read_stream_begins(ByteReader& in) {
  StreamBegins begins;
  begins.board = read_board(in);
  read_view(in, begins.view, begins.n);
  begins.player = read_player_or_none(in);
  if (!begins.player.empty() && begins.view != View::around) in.fail();
  begins.stream = read_stream(in);
  begins.epoch = in.u64();
  if (begins.epoch == 0) in.fail();
  begins.half_ranks = read_flag(in);
  begins.columns = read_columns(in);
  return begins;
}

void write(ByteWriter& out, const PlayerIs& answer) {
  out.u8(static_cast<std::uint8_t>(Kind::player_is));
  out.leb(answer.question);
  write_text(out, answer.player);
}

PlayerIs read_player_is(ByteReader& in) {
  PlayerIs answer;
  answer.question = static_cast<std::uint32_t>(in.leb(UINT32_MAX));
  answer.player = read_player_or_none(in);
  return answer;
}

void write(ByteWriter& out, const BoardList& list) {
  out.u8(static_cast<std::uint8_t>(Kind::board_list));
  out.u64(list.epoch);
  out.leb(list.from);
  out.leb(list.to);
  out.leb(list.newest);
  out.bytes(list.items);
}

BoardList read_board_list(ByteReader& in) {
  BoardList list;
  list.epoch = in.u64();
  list.from = in.leb(kLiveNumberMax);
  list.to = in.leb(kLiveNumberMax);
  list.newest = in.leb(kLiveNumberMax);
  if (list.epoch == 0 || list.from > list.to || list.to > list.newest) in.fail();
  list.items = in.bytes(in.remaining());
  return list;
}

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

bool operator==(const StreamBegins& a, const StreamBegins& b) {
  return a.board == b.board && a.view == b.view && a.n == b.n && a.player == b.player &&
         a.stream == b.stream && a.epoch == b.epoch && a.half_ranks == b.half_ranks &&
         same_columns(a.columns.get(), b.columns.get());
}

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
    case Kind::follow: return whole<ClientMessage>(in, read_follow(in));
    case Kind::unfollow: return whole<ClientMessage>(in, read_unfollow(in));
    case Kind::ask_boards: return whole<ClientMessage>(in, read_ask_boards(in));
    case Kind::ask_player: return whole<ClientMessage>(in, read_ask_player(in));
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
    case Kind::stream_begins: return whole<ServerMessage>(in, read_stream_begins(in));
    case Kind::player_is: return whole<ServerMessage>(in, read_player_is(in));
    case Kind::board_list: return whole<ServerMessage>(in, read_board_list(in));
    default: return std::nullopt;
  }
}

}  // namespace laurel
