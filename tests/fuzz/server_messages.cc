// Messages of servers: each goes to the decoder, to a replica that holds a window, and to a client.
// For any input, a message that is accepted has exactly one encoding, a window that is accepted has
// the digest of its message, and a client's windows only get newer.
//
// Directions: bit 0 the channel, bits 1 and 2 how much time passes before the message, bit 3 the
// client's connection ends instead, bit 4 the frame holds windows instead of a message: see
// windows_of.
#include <array>
#include <deque>

#include <fmt/core.h>

#include "fuzz/stream_held.h"
#include "fuzz/target.h"
#include "live/client/client_core.h"
#include "live/client/held_boards.h"
#include "live/client/replica.h"
#include "live/limits.h"
#include "live/wire/delta.h"

namespace laurel::fuzz {
namespace {

constexpr std::string_view kToken = "1122334400112233445566778899aabbccddeeff";
constexpr std::size_t kFramesMax = 64;

// A server that sends the input.
class Mouth final : public ClientTransport {
 public:
  void say(TransportEvent::Kind kind, Channel channel, const std::string& bytes) {
    events_.push_back({kind, peer_, channel, bytes, 0, 0});
  }

  std::optional<TransportEvent> next() override {
    if (events_.empty()) return std::nullopt;
    TransportEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  bool send(PeerId, Channel channel, const MessagePtr& message) override {
    const auto said = decode_client(*message, channel);
    must(message->size() <= kLiveClientMessageBytesMax, "a client's messages are short");
    must(said && encode(*said) == *message, "what a client says has that one encoding");
    return true;
  }

  void set_connect_filter(ConnectFilter*) override {}
  void flush() override {}
  void close(PeerId, std::uint32_t) override { events_.clear(); }
  Time round_trip(PeerId) const override { return kSecond / 10; }
  std::uint32_t address(PeerId) const override { return 0x0A000001; }
  Result<PeerId> connect(std::uint32_t) override {
    events_.push_back({TransportEvent::Kind::connected, ++peer_, {}, {}, 0, 0});
    return peer_;
  }

 private:
  PeerId peer_ = 0;
  std::deque<TransportEvent> events_;
};

// The window has the digest of its message, so it is what a server meant.
void check(const State& state, const Window& window) {
  const auto whole = whole_body(window, window.entries.size());
  must(whole && digest(window, window.entries.size(), *whole) == state.digest,
       "a window that is taken has its message's digest");
  must(window.entries.size() == state.count && window.size == state.size &&
           window.version == state.version,
       "a window that is taken is the one that was announced");
}

class Scene {
 public:
  Scene()
      : client_(mouth_, Credentials([] { return Result<std::string>(std::string(kToken)); }, false),
                1) {
    replica_.attach(kStreamHeld, held().epoch);
    must(replica_.take(*state_held()) == Replica::Taken::news, "the replica holds a window");
    for (const View view : {View::top, View::around}) {
      const Status subscribed =
          client_.subscribe("kills", view, 10, [this, view](const Result<WindowPtr>& top) {
            if (!top) return;
            WindowPtr& seen = seen_[static_cast<std::size_t>(view)];
            const WindowPtr before = std::exchange(seen, *top);
            if (before && before->epoch == seen->epoch)
              must(seen->version >= before->version, "a client's windows only get newer");
          });
      must(bool(subscribed), "a client may subscribe");
    }
    must(bool(client_.subscribe("race", View::around, 2, nullptr, "ada")), "a client may follow");
    must(bool(client_.ask_player("a token", [this](const Result<std::string>&) { ++answers_; })),
         "a client may ask");
    must(bool(client_.on_boards([](const Result<ListedBoardsPtr>&) {})), "a client may ask");
    client_.tick(now_);
  }

  void play(const Frame& frame) {
    constexpr Time kPauses[] = {0, kSecond / 20, kSecond, 4 * kSecond};
    now_ += kPauses[frame.directions >> 1 & 3];
    const auto channel = static_cast<Channel>(frame.directions & 1);
    for (const Channel either : {Channel::reliable, Channel::unsequenced}) {
      const auto message = decode_server(frame.bytes, either);
      if (!message) continue;
      must(encode(*message) == frame.bytes, "a message that is taken has that one encoding");
      if (either == channel) take(*message);
    }
    const bool end = (frame.directions & 8) != 0;
    mouth_.say(end ? TransportEvent::Kind::disconnected : TransportEvent::Kind::received, channel,
               frame.bytes);
    client_.tick(now_);
    must(answers_ <= 1, "a question has one answer");
  }

 private:
  void take(const ServerMessage& message) {
    if (const auto* const list = std::get_if<BoardList>(&message)) {
      const AskBoards before = boards_.question();
      if (boards_.take(*list))
        must(boards_.question() == AskBoards{list->epoch, list->to}, "a list leads to its version");
      else
        must(boards_.question() == before, "a damaged list changes nothing");
    }
    const auto* const state = std::get_if<State>(&message);
    if (state == nullptr) return;
    const WindowPtr before = replica_.current();
    switch (replica_.take(*state)) {
      case Replica::Taken::news:
        check(*state, *replica_.current());
        must(replica_.current()->version > before->version, "news are newer");
        break;
      case Replica::Taken::stale:
      case Replica::Taken::useless:
        must(replica_.current() == before, "what is of no use changes nothing");
        break;
    }
    const auto ack = replica_.ack();
    must(ack && ack->version == replica_.current()->version, "what is held is acknowledged");
  }

  Replica replica_;
  HeldBoards boards_;
  int answers_ = 0;
  Mouth mouth_;
  ClientCore client_;
  std::array<WindowPtr, 2> seen_;  // by view
  Time now_ = kSecond;
};

const std::vector<EntryFormat>& formats() {
  static const std::vector<EntryFormat> all = {
      {},
      {2, false, nullptr},
      {2, true, nullptr},
      {2, false, *ScoreColumns::parse("laps, seconds asc 1 0 1000")}};
  return all;
}

// Two windows from the bytes, four for an entry: player, score, rank, and the lengths of name and
// data. The digest rejects random messages; this reaches the code after that check.
std::pair<Window, Window> windows_of(const std::string& bytes, const EntryFormat& format) {
  std::pair<Window, Window> windows;
  windows.first.epoch = windows.second.epoch = held().epoch;
  windows.first.version = 1;
  windows.second.version = 2;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[at + i]); };
    WindowEntry entry;
    entry.player = fmt::format("p{}", byte(0) & 0x7F);
    entry.score = (byte(1) - 128) * 0.5;
    entry.rank = byte(2) + 1U;
    if (format.version >= 2) {
      if (byte(1) % 4 != 0) entry.at = (byte(2) - 128) * kSecond;
      if (byte(3) % 3 != 0) entry.rank_change = byte(3) - static_cast<double>(byte(2));
      if (format.half_ranks && byte(0) % 2 == 0) entry.rank = Rank::mean(byte(2), byte(2) + 3U);
      if (format.columns) {
        const ColumnValues values{{static_cast<double>(byte(1)), 0.5 * byte(2)}, 2};
        entry.score = *format.columns->number(values);
      }
    }
    if (const std::size_t size = byte(3) & 0x0F; size != 0) entry.name = std::string(size, 'n');
    if (const std::size_t size = byte(3) >> 4; size != 0) entry.data = std::string(size - 1, 'd');
    Window& window = byte(0) & 0x80 ? windows.second : windows.first;
    if (window.entries.size() < kLiveTopMax) window.entries.push_back(std::move(entry));
  }
  windows.second.size = windows.second.entries.size();
  return windows;
}

void round_trip(const std::string& bytes, const EntryFormat& format) {
  const auto [base, target] = windows_of(bytes, format);
  const std::size_t n = target.entries.size();
  const std::string whole = *whole_body(target, n, format),
                    body = delta_body(base, target, kLiveTopMax, format);
  State state;
  state.stream = kStreamHeld;
  state.version = target.version;
  state.size = target.size;
  state.count = static_cast<std::uint8_t>(n);
  state.digest = digest(target, n, whole);
  for (const bool delta : {false, true}) {
    state.back = delta ? 1 : 0;
    state.body = delta ? body : whole;
    const auto window = apply(state, target.epoch, delta ? &base : nullptr, format);
    must(window && window->entries == target.entries, "what was encoded comes out");
  }
}

}  // namespace
}  // namespace laurel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel::fuzz;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  Scene scene;
  for (std::size_t i = 0; i < kFramesMax; ++i) {
    const auto frame = next_frame(input);
    if (!frame) break;
    if (frame->directions & 0x10)
      for (const laurel::EntryFormat& format : formats()) round_trip(frame->bytes, format);
    else
      scene.play(*frame);
  }
  return 0;
}
