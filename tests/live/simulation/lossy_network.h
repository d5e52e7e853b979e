// lossy_network.h - a network in memory with its own clock. It loses, duplicates, reorders, delays
// and damages messages at random from a seed, so that every run is the same.
//
// Reliable messages arrive once and in order, as with ENet; they are late if copies were lost or
// the network was dark. There is one server and any number of clients; each client has one
// connection at a time.
//
//   owner    the caller owns the ends, and must keep them as long as the network uses them, also
//            for clients that left.
//   cost     O(log messages in flight) per message.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "live/auth/credentials.h"
#include "live/net/transport.h"

namespace laurel::test {

inline constexpr Time kNever = std::numeric_limits<Time>::max();

struct Conditions {
  double loss = 0;
  double duplication = 0;
  Time one_way = 50'000;
  Time jitter = 0;    // up to this much more per message, so that messages overtake
  double damage = 0;  // share of unsequenced messages of the server in which one bit is flipped
};

// Credentials of a client without a token.
inline Credentials no_token() {
  return Credentials([] { return Result<std::string>(std::string()); }, false);
}

enum class Way : std::uint8_t { to_server, to_client };

class LossyNetwork {
 public:
  LossyNetwork(Conditions conditions, std::uint64_t seed)
      : conditions_(conditions), random_(seed), server_(*this, true) {}

  Time now() const { return now_; }
  void advance(Time by) { now_ += by; }
  void set(Conditions conditions) { conditions_ = conditions; }
  const Conditions& conditions() const { return conditions_; }

  // For this long, messages sent are lost. Reliable ones arrive late.
  void black_out_for(Time duration) { darken(dark_until_, duration); }
  // The end of the last darkness; in the past if there is none.
  Time light_at() const { return light_at_; }

  // The server ends without closing its connections.
  void crash_server() {
    for (auto& [peer, link] : links_) link.server_open = false;
    server_.arrivals_.clear();
  }

  class End;
  // Called for everything the server sends, whether it arrives or not.
  using Listener = std::function<void(const End& to, Channel, const std::string&)>;
  void listen(Listener listener) { listener_ = std::move(listener); }
  // The bytes of all messages sent.
  std::uint64_t carried() const { return carried_; }

  class End final : public ClientTransport {
   public:
    End(LossyNetwork& network, bool is_server)
        : network_(network), is_server_(is_server), address_(++network.addresses_) {}

    // The time of the next event; kNever if none is in flight.
    Time next_at() const { return arrivals_.empty() ? kNever : arrivals_.begin()->first; }
    // A blackout for this client and this direction only.
    void part_for(Way way, Time duration) {
      network_.darken(dark_until_[static_cast<std::size_t>(way)], duration);
    }
    // The number of reliable messages not yet taken: what ENet would have to keep.
    std::size_t reliable_waiting() const {
      return static_cast<std::size_t>(
          std::count_if(arrivals_.begin(), arrivals_.end(), [](const auto& arrival) {
            return arrival.second.kind == TransportEvent::Kind::received &&
                   arrival.second.channel == Channel::reliable;
          }));
    }
    // True if it has a connection that is also open at the server.
    bool stands() const {
      return std::any_of(network_.links_.begin(), network_.links_.end(), [this](const auto& link) {
        return link.second.client == this && link.second.client_open && link.second.server_open;
      });
    }

    std::optional<TransportEvent> next() override {
      while (next_at() <= network_.now_) {
        TransportEvent event = std::move(arrivals_.begin()->second);
        arrivals_.erase(arrivals_.begin());
        Link* const link = network_.find(event.peer);
        if (link == nullptr || !open(*link)) continue;
        if (is_server_ && event.kind == TransportEvent::Kind::connected &&
            !network_.let_in(*link, event)) {
          continue;
        }
        if (event.kind == TransportEvent::Kind::disconnected) open(*link) = false;
        return event;
      }
      return std::nullopt;
    }

    bool send(PeerId peer, Channel channel, const MessagePtr& message) override {
      Link* const link = network_.find(peer);
      if (link == nullptr || !open(*link)) return false;
      network_.carry(*link, peer, is_server_, channel, *message);
      return true;
    }

    void flush() override {}

    void close(PeerId peer, std::uint32_t why) override {
      Link* const link = network_.find(peer);
      if (link == nullptr || !open(*link)) return;
      open(*link) = false;
      network_.tell(*link, peer, is_server_, TransportEvent::Kind::disconnected, why);
    }

    Time round_trip(PeerId) const override { return 2 * network_.conditions_.one_way; }

    std::uint32_t address(PeerId peer) const override {
      const Link* const link = network_.find(peer);
      return link == nullptr ? 0 : link->client->address_;
    }
    // Moves a client to this address. Without it each client has one of its own.
    void move_to(std::uint32_t address) { address_ = address; }

    void set_connect_filter(ConnectFilter* connect_filter) override {
      network_.connect_filter_ = connect_filter;
    }
    Result<PeerId> connect(std::uint32_t word) override { return network_.connect(*this, word); }

   private:
    friend class LossyNetwork;
    bool& open(auto& link) const { return is_server_ ? link.server_open : link.client_open; }

    LossyNetwork& network_;
    bool is_server_;
    std::uint32_t address_;
    std::multimap<Time, TransportEvent> arrivals_;
    std::array<Time, 2> dark_until_{};  // by Way
  };

  End& server() { return server_; }
  std::unique_ptr<End> client() { return std::make_unique<End>(*this, false); }

 private:
  struct Link {
    End* client = nullptr;
    bool server_open = true, client_open = true;
    std::array<Time, 2> reliable_until{};  // by Way: when the last reliable message arrives
  };

  static Way way_of(bool from_server) { return from_server ? Way::to_client : Way::to_server; }

  Link* find(PeerId peer) {
    const auto found = links_.find(peer);
    return found == links_.end() ? nullptr : &found->second;
  }

  void darken(Time& until, Time duration) {
    until = std::max(until, now_ + duration);
    light_at_ = std::max(light_at_, until);
  }

  Time dark_until(const Link& link, Way way) const {
    return std::max(dark_until_, link.client->dark_until_[static_cast<std::size_t>(way)]);
  }

  bool chance(double probability) {
    return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }

  Time arrival() {
    const auto extra =
        conditions_.jitter > 0
            ? static_cast<Time>(random_() % static_cast<std::uint64_t>(conditions_.jitter))
            : 0;
    return now_ + conditions_.one_way + extra;
  }

  Time reliable_arrival(Link& link, Way way) {
    Time at = std::max(arrival(), dark_until(link, way) + conditions_.one_way);
    while (chance(conditions_.loss)) at += 2 * conditions_.one_way + 100'000;
    Time& until = link.reliable_until[static_cast<std::size_t>(way)];
    return until = std::max(at, until);
  }

  void deliver(Link& link, Way way, Time at, TransportEvent event) {
    End& to = way == Way::to_client ? *link.client : server_;
    to.arrivals_.emplace(at, std::move(event));
  }

  void carry(Link& link, PeerId peer, bool from_server, Channel channel, const std::string& bytes) {
    if (from_server && listener_) listener_(*link.client, channel, bytes);
    carried_ += bytes.size();
    const Way way = way_of(from_server);
    TransportEvent event{TransportEvent::Kind::received, peer, channel, bytes, 0, 0};
    if (channel == Channel::reliable) {
      return deliver(link, way, reliable_arrival(link, way), std::move(event));
    }
    const int copies = chance(conditions_.duplication) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (now_ < dark_until(link, way) || chance(conditions_.loss)) continue;
      TransportEvent copy = event;
      if (from_server && chance(conditions_.damage)) damage(copy.bytes);
      deliver(link, way, arrival(), std::move(copy));
    }
  }

  void damage(std::string& bytes) {
    char& byte = bytes[random_() % bytes.size()];
    byte = static_cast<char>(byte ^ 1 << random_() % 8);
  }

  void tell(Link& link, PeerId peer, bool from_server, TransportEvent::Kind kind,
            std::uint32_t why = 0, std::uint32_t word = 0) {
    const Way way = way_of(from_server);
    deliver(link, way, reliable_arrival(link, way), {kind, peer, {}, {}, why, word});
  }

  PeerId connect(End& client, std::uint32_t word) {
    const PeerId peer = ++last_peer_;
    Link& link = links_[peer];
    link.client = &client;
    tell(link, peer, false, TransportEvent::Kind::connected, 0, word);
    return peer;
  }

  // A connect has arrived. An unexpected client is refused, with or without an answer. One that
  // must wait tries again later.
  bool let_in(Link& link, const TransportEvent& event) {
    constexpr Time kKnocksEvery = kSecond / 2;
    const auto says = connect_filter_ == nullptr ? ConnectFilter::Verdict::accept
                                                 : connect_filter_->expects(event.word, event.peer);
    switch (says) {
      case ConnectFilter::Verdict::accept:
        tell(link, event.peer, true, TransportEvent::Kind::connected);
        return true;
      case ConnectFilter::Verdict::ignore:
        deliver(link, Way::to_server, now_ + kKnocksEvery, event);
        return false;
      case ConnectFilter::Verdict::reject:
        link.server_open = false;
        if (chance(0.5)) {
          tell(link, event.peer, true, TransportEvent::Kind::disconnected,
               static_cast<std::uint32_t>(Reason::refused));
        }
        return false;
    }
    return false;
  }

  Conditions conditions_;
  std::mt19937_64 random_;
  Time now_ = kSecond;
  Time dark_until_ = 0, light_at_ = 0;
  ConnectFilter* connect_filter_ = nullptr;
  PeerId last_peer_ = 0;
  std::uint32_t addresses_ = 0;
  std::uint64_t carried_ = 0;
  Listener listener_;
  std::map<PeerId, Link> links_;
  End server_;
};

}  // namespace laurel::test
