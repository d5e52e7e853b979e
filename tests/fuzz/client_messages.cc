// Messages of clients: each goes to the decoder, and all of them, in order, to a server with two
// connections and two boards. For any input, a message that is accepted has exactly one encoding,
// the server's messages follow the protocol, and no client exceeds its limits.
//
// Directions: bit 0 the channel, bit 1 which client, bits 2 and 3 how much time passes before the
// message, bit 4 a tick after it, bit 5 the board changes, bit 6 it is unpublished, or published
// again.
#include <deque>
#include <map>
#include <random>

#include "fuzz/target.h"
#include "live/limits.h"
#include "live/server/server_core.h"
#include "live/snapshots.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint32_t kWord = 0x11223344;  // of the tokens that the server knows
constexpr std::size_t kFramesMax = 64;       // longer conversations find nothing new

// Two clients that ignore the server; what is sent to them is checked.
class Ears final : public Transport {
 public:
  void hear(TransportEvent event) { events_.push_back(std::move(event)); }

  std::optional<TransportEvent> next() override {
    if (events_.empty()) return std::nullopt;
    TransportEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  bool send(PeerId, Channel channel, const MessagePtr& message) override {
    must(message->size() <= kLiveMessageBytesMax, "a message is not longer than one may be");
    must(channel == Channel::reliable || message->size() <= kLiveDatagramBytesMax,
         "what goes unsequenced fits a datagram");
    const auto said = decode_server(*message, channel);
    must(said && encode(*said) == *message, "what a server says has that one encoding");
    if (const auto* const list = std::get_if<BoardList>(&*said))
      must(read_items(list->items).has_value(), "a list that a server sends can be read");
    return true;
  }

  void set_connect_filter(ConnectFilter*) override {}
  void flush() override {}
  void close(PeerId, std::uint32_t) override {}
  Time round_trip(PeerId) const override { return kSecond / 10; }
  std::uint32_t address(PeerId) const override { return 0x0A000001; }

 private:
  std::deque<TransportEvent> events_;
};

WindowPtr shared(Window window) { return std::make_shared<const Window>(std::move(window)); }

void decode(const std::string& bytes) {
  for (const Channel channel : {Channel::reliable, Channel::unsequenced}) {
    const auto message = decode_client(bytes, channel);
    if (message) must(encode(*message) == bytes, "a message that is taken has that one encoding");
  }
}

class Scene {
 public:
  Scene() : core_(ears_, {.rate = 20, .auth = Auth::open, .random = std::mt19937_64(1)}) {
    core_.set_time(now_);
    core_.add(token());
    core_.add(gateway());
    describe();
    core_.post("kills", shared(test::ladder(10)));
    core_.post("laps", shared(hundred()));
    for (const PeerId peer : {1, 2}) {
      ears_.hear({TransportEvent::Kind::connected, peer, {}, {}, 0, kWord});
    }
    core_.receive(now_);
  }

  void play(const Frame& frame) {
    constexpr Time kPauses[] = {0, kSecond / 20, kSecond, 4 * kSecond};
    now_ += kPauses[frame.directions >> 2 & 3];
    if (frame.directions & 0x20) change();
    if (frame.directions & 0x40) turn();
    const PeerId peer = frame.directions & 2 ? 2 : 1;
    const auto channel = static_cast<Channel>(frame.directions & 1);
    ears_.hear({TransportEvent::Kind::received, peer, channel, frame.bytes, 0, 0});
    core_.set_time(now_);
    core_.receive(now_);
    look_around();
    if (frame.directions & 0x10) core_.tick(now_);
    const ServerStats stats = core_.stats();
    must(stats.subscriptions <= 2 * kLiveGatewaySubscriptionsMax, "subscriptions have a limit");
    must(stats.offences <= 2 * kLiveOffencesMax, "offences end a connection");
  }

  // The clients no longer answer, so all of them are disconnected in time.
  void end() {
    for (int i = 0; i < 3; ++i) {
      change();
      core_.tick(now_ += 2 * kLiveSlowAfter);
    }
    core_.close();
    const ServerStats stats = core_.stats();
    must(stats.clients == 0 && stats.subscriptions == 0 && stats.followed == 0,
         "the end leaves nothing");
  }

 private:
  // With the secret in the page's dump, so that its hello names a player.
  static Ticket token() {
    Ticket ticket;
    ticket.id = 1;
    ticket.player = test::player_id(3);
    ticket.word = kWord;
    ticket.uses = 1;
    ticket.expires = kLivePassFor;
    for (std::size_t i = 0; i < ticket.secret.size(); ++i)
      ticket.secret[i] = static_cast<char>(0x11 * i);
    return ticket;
  }

  // A gateway's, whose secret has zeros only.
  static Ticket gateway() {
    Ticket ticket;
    ticket.kind = Ticket::Kind::gateway;
    ticket.id = 2;
    ticket.word = kWord;
    return ticket;
  }

  void describe() {
    for (const char* board : {"kills", "laps"}) {
      BoardDescription description;
      description.season = version_;
      description.columns = *ScoreColumns::parse("laps, seconds asc");
      description.meta = std::string(version_ % kMetaBytesMax, 'm');
      core_.describe(board, description);
    }
  }

  // Posts what the game would report about followed players.
  void look_around() {
    for (const auto& [id, around] : core_.take_follows().begun) {
      core_.post(id,
                 shared(test::ladder(std::min<std::size_t>(2 * around.n + 1, 10), 7, ++version_)));
    }
  }

  static const Window& hundred() {
    static const Window window = test::ladder(kLiveTopMax);
    return window;
  }

  void change() {
    if (!published_) return;
    Window window = test::ladder(10, 7, ++version_);
    window.entries[version_ % 10].score += 0.25;
    window.entries[version_ % 7].rank_change = static_cast<double>(version_ % 5);
    window.half_ranks = version_ % 8 == 0;
    describe();
    core_.post("kills", shared(std::move(window)));
  }

  void turn() {
    if (std::exchange(published_, !published_))
      core_.unpublish("kills");
    else
      change();
  }

  Ears ears_;
  ServerCore core_;
  Time now_ = kSecond;
  bool published_ = true;
  std::uint64_t version_ = 1000;
};

}  // namespace
}  // namespace laurel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel::fuzz;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  Scene scene;
  for (std::size_t i = 0; i < kFramesMax; ++i) {
    const auto frame = next_frame(input);
    if (!frame) break;
    decode(frame->bytes);
    scene.play(*frame);
  }
  scene.end();
  return 0;
}
