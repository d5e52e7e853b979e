// What clients make the server compute: the processor time of its thread, compared with what honest
// clients cost in the same run, so that a slow or busy machine changes nothing.
//
// The server's logic and ENet run in the test's thread, and each is measured. The board changes at
// each tick, and each client takes one step between two ticks. An honest client acknowledges the
// states that it receives. A hostile one sends what it likes.
//
//   price    what honest clients cost: for a byte that the server receives, and for a client and
//            tick. A hostile client that sends little may cost as much as an honest one.
//   whole    with ENet and the system's calls, which are most of it.
//   logic    without them: the messages are taken from ENet before, and given to ENet afterwards.
//   tries    a processor that other programs share, or that changes its frequency, can make one
//            measurement wrong. A fault of the server shows in each of them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/hash.h"
#include "live/attack/hand_client.h"
#include "live/limits.h"
#include "live/net/enet_transport.h"
#include "live/server/server_core.h"
#include "live/snapshots.h"

namespace laurel::test {
namespace {

constexpr std::uint32_t kClients = 32;
constexpr std::size_t kSlots = 128;  // those of connections that are closing included
constexpr int kTicks = 120;
constexpr Time kTick = kSecond / 20;
constexpr int kDatagramsOfStep = 4;  // of a hostile client
constexpr const char* kBoard = "kills";

// In prices of honest clients. Known floods cost at most 1.2: ENet and the server take little from
// a client that sends much.
struct Limits {
  double whole, logic;
};
constexpr Limits kFlood = {2, 2};
// A client that has states encoded for it alone, because no other wants the same entries since the
// same version, costs the logic up to 9 times what an honest one does. Those share one encoding.
constexpr Limits kAlone = {8, 18};
constexpr int kTries = 3;

using Act = HandClient::Act;

void do_nothing(HandClient&) {}

Subscribe subscription(std::uint32_t n, std::string_view board = kBoard) {
  Subscribe message;
  message.board = board;
  message.n = static_cast<std::uint8_t>(n);
  return message;
}
void subscribe(HandClient& client) { client.say(subscription(10)); }
void acknowledge(HandClient& client) { client.acknowledge_state(); }

std::string random_bytes(HandClient& client, std::uint32_t most) {
  std::string bytes(1 + client.below(most), '\0');
  for (char& byte : bytes) byte = static_cast<char>(client.below(256));
  return bytes;
}

std::string repeated(int times, const std::string& command) {
  std::string out;
  while (times-- > 0) out += command;
  return out;
}

// An ack of the longest kind.
Ack ack_of(std::uint32_t first_stream, std::uint32_t step) {
  Ack ack;
  ack.count = kLiveAckStreamsMax;
  for (std::uint32_t i = 0; i < ack.count; ++i) ack.held[i] = {first_stream + i * step, 1, 1};
  return ack;
}

struct Hostile {
  const char* name;
  Act datagram;  // sends one or two; done several times at each step
  // What shows that the server handled them.
  std::uint64_t ServerStats::*counter = &ServerStats::received;
};

const std::string kEnetPing("\x85\xFF\0\1", 4);  // to be acknowledged
constexpr int kCommandsMost = 32;                // of one datagram, for ENet

const Hostile kFloods[] = {
    {"subscribe, unsubscribe",
     [](HandClient& client) {
       subscribe(client);
       client.say(Unsubscribe{kBoard});
     }},
    {"subscribe to any number",
     [](HandClient& client) { client.say(subscription(1 + client.below(kLiveTopMax))); }},
    {"subscribe within the limit",  // of control messages, and then come again
     [](HandClient& client) {
       if (client.steps() > kLiveControlBurst / kDatagramsOfStep) return client.leave();
       client.say(subscription(1 + client.below(kLiveTopMax)));
     }},
    {"follow without a player",
     [](HandClient& client) {
       Subscribe follow = subscription(10);
       follow.view = View::around;
       client.say(follow);
     }},
    {"subscribe to unknown boards",
     [](HandClient& client) {
       client.say(subscription(10, std::to_string(client.below(UINT32_MAX))));
     }},
    {"resync", [](HandClient& client) { client.say(Resync{1 + client.below(4)}); },
     &ServerStats::resyncs},
    {"damaged messages",
     [](HandClient& client) { client.send_commands(client.reliable_of(random_bytes(client, 64))); },
     &ServerStats::offences},
    {"damaged, unsequenced",
     [](HandClient& client) {
       client.send_commands(client.unsequenced_of(random_bytes(client, 64)));
     },
     &ServerStats::offences},
    {"messages of one byte",
     [](HandClient& client) {
       std::string commands;
       for (int i = 0; i < kCommandsMost; ++i) commands += client.unsequenced_of("x");
       client.send_commands(commands);
     },
     &ServerStats::offences},
    {"damaged datagrams", [](HandClient& client) { client.send(random_bytes(client, 256)); },
     &ServerStats::garbage},
    {"replays", [](HandClient& client) { client.send_last_again(); }},
    {"connects",
     [](HandClient& client) { client.send(connect_datagram(client.below(UINT32_MAX))); }},
    {"coming and going", [](HandClient& client) { client.leave(); }},
    {"ENet's pings", [](HandClient& client) { client.send_commands(kEnetPing); }},
    {"32 of ENet's pings",
     [](HandClient& client) { client.send_commands(repeated(kCommandsMost, kEnetPing)); }},
    {"pings", [](HandClient& client) { client.say_unsequenced(Ping{7}); }},
    {"acks of unknown streams",
     [](HandClient& client) { client.say_unsequenced(ack_of(1000, 1)); }},
    {"acks of one stream", [](HandClient& client) { client.say_unsequenced(ack_of(1, 0)); }},
    {"heads alone", [](HandClient& client) { client.send_commands(""); }},
};

// Passes events and messages on between ENet and the server's logic, all at once.
class PassingTransport final : public Transport {
 public:
  explicit PassingTransport(Transport& network) : network_(network) {}

  void take_events() {
    while (auto event = network_.next()) events_.push_back(std::move(*event));
  }
  void give_messages() {
    for (const Sent& sent : sent_) {
      if (sent.message) {
        network_.send(sent.peer, sent.channel, sent.message);
      } else {
        network_.close(sent.peer, sent.why);
      }
    }
    sent_.clear();
    network_.flush();
  }

  void set_connect_filter(ConnectFilter* filter) override { network_.set_connect_filter(filter); }
  std::optional<TransportEvent> next() override {
    if (events_.empty()) return std::nullopt;
    TransportEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }
  bool send(PeerId peer, Channel channel, const MessagePtr& message) override {
    sent_.push_back({peer, channel, message, 0});
    return true;
  }
  void flush() override {}
  void close(PeerId peer, std::uint32_t why) override { sent_.push_back({peer, {}, nullptr, why}); }
  Time round_trip(PeerId peer) const override { return network_.round_trip(peer); }
  std::uint32_t address(PeerId peer) const override { return network_.address(peer); }

 private:
  struct Sent {
    PeerId peer;
    Channel channel;
    MessagePtr message;  // null: the connection was closed
    std::uint32_t why;
  };

  Transport& network_;
  std::deque<TransportEvent> events_;
  std::vector<Sent> sent_;
};

struct Cost {
  double whole = 0, logic = 0;  // seconds
  double bytes = 0;             // that the server received
  std::size_t states = 0;
  ServerStats stats;
};

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Another order of the same players at each tick.
Window window_of(std::uint64_t version) {
  Window window = ladder(kLiveTopMax, 7, version);
  std::vector<WindowEntry>& entries = window.entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].player = player_id((i + version) % entries.size());
  }
  return window;
}

// Plays such clients against a server. Tries differ by their seed.
Cost cost_of(const Act& begin, const Act& step, std::uint32_t seed) {
  EnetTransport::Listen listen;
  listen.clients = listen.clients_per_address = kSlots;
  const auto transport = EnetTransport::listen(listen);
  REQUIRE(transport);
  PassingTransport passing(**transport);
  ServerCore core(passing, {.rate = 20, .auth = Auth::open, .random = random_u64});
  std::deque<HandClient> clients;
  for (std::uint32_t i = 0; i < kClients; ++i) {
    clients.emplace_back((*transport)->port(), seed * kClients + i);
  }
  Cost cost;
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    for (HandClient& client : clients) client.step(begin, step);
    const auto window = std::make_shared<const Window>(window_of(tick));
    const Time now = static_cast<Time>(tick) * kTick;
    const double begun = cpu_seconds();
    passing.take_events();
    const double taken = cpu_seconds();
    core.post(kBoard, window);
    core.receive(now);
    core.tick(now);
    const double ticked = cpu_seconds();
    passing.give_messages();
    cost.whole += cpu_seconds() - begun;
    cost.logic += ticked - taken;
  }
  for (const HandClient& client : clients) {
    cost.bytes += static_cast<double>(client.bytes);
    cost.states += client.states;
  }
  cost.stats = core.stats();
  cost.stats.garbage = (*transport)->garbage();
  return cost;
}

// What clients that behave so cost, in prices of honest ones.
struct Prices {
  double whole = 0, logic = 0;
  Cost cost;

  bool are_within(const Limits& limits) const {
    return whole <= limits.whole && logic <= limits.logic;
  }
};

Prices measured(const Act& begin, const Act& step, std::uint32_t seed) {
  const Cost honest = cost_of(subscribe, acknowledge, seed);
  REQUIRE(honest.states > kClients * kTicks * 3 / 4);
  const Cost cost = cost_of(begin, step, seed);
  const double more = std::max(1.0, cost.bytes / honest.bytes);
  return {cost.whole / honest.whole / more, cost.logic / honest.logic / more, cost};
}

void check(const std::string& name, const Limits& limits, const Act& begin, const Act& step,
           std::uint64_t ServerStats::*counter = &ServerStats::received) {
  CAPTURE(name);
  Prices prices = measured(begin, step, 1);
  for (std::uint32_t i = 2; i <= kTries && !prices.are_within(limits); ++i)
    prices = measured(begin, step, i);
  std::printf("%-28s %6.2f whole, %6.2f logic: %5.0f bytes, %5.1f and %5.1f us a client and tick\n",
              name.c_str(), prices.whole, prices.logic, prices.cost.bytes / kClients / kTicks,
              1e6 * prices.cost.whole / kClients / kTicks,
              1e6 * prices.cost.logic / kClients / kTicks);
  CHECK(prices.whole <= limits.whole);
  CHECK(prices.logic <= limits.logic);
  CHECK(prices.cost.stats.*counter > 0);
}

Act four_times(const Act& datagram) {
  return [datagram](HandClient& client) {
    for (int i = 0; i < kDatagramsOfStep && client.is_connected(); ++i) datagram(client);
  };
}

TEST_CASE("no flood costs the server much more than the same bytes of honest clients do") {
  check("honest clients", kFlood, subscribe, acknowledge);
  for (const Hostile& hostile : kFloods) {
    check(hostile.name, kFlood, subscribe, four_times(hostile.datagram), hostile.counter);
  }
}

TEST_CASE("no mixture of floods costs more than they do alone") {
  check("all of it", kFlood, subscribe, four_times([](HandClient& client) {
          kFloods[client.below(std::size(kFloods))].datagram(client);
        }));
}

TEST_CASE("a client for which states are encoded alone costs a bounded multiple") {
  const Act each_another_number = [](HandClient& client) {
    client.say(subscription(8 + client.number() % kClients));  // each state fits into a datagram
  };
  check(
      "silent, 100 entries", kAlone,
      [](HandClient& client) { client.say(subscription(kLiveTopMax)); }, do_nothing);
  check("each another n", kAlone, each_another_number, acknowledge);
  check("each another version", kAlone, subscribe,
        [](HandClient& client) { client.acknowledge_state(client.number() % kLiveWindowsKept); });
  check("each another n and version", kAlone, each_another_number,
        [](HandClient& client) { client.acknowledge_state(client.number() % kLiveWindowsKept); });
}

}  // namespace
}  // namespace laurel::test
