// lossy_network.h - a network in memory, with a clock of its own: it loses, duplicates, reorders
// and delays by a seeded chance, so that every run is the same.
//
// Reliable messages arrive once and in order, later when copies were lost, as ENet has it. One
// server and any number of clients; each client has one connection at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "live/transport.h"

namespace laurel::test {

struct Conditions {
  double loss = 0;
  double duplication = 0;
  Time one_way = 50'000;
  Time jitter = 0;  // up to so much longer, each message for itself: they overtake one another
};

class LossyNetwork {
 public:
  LossyNetwork(Conditions conditions, std::uint64_t seed)
      : conditions_(conditions), random_(seed), server_(*this, true) {}

  Time now() const { return now_; }
  void advance(Time by) { now_ += by; }
  // Nothing sent until then arrives, but what is reliable, late.
  void black_out_for(Time duration) { dark_until_ = now_ + duration; }
  void set(Conditions conditions) { conditions_ = conditions; }
  // The server vanishes without a word, with all its connections.
  void crash_server() {
    for (auto& [peer, link] : links_) link.server_open = false;
    server_.arrivals_.clear();
  }
  std::uint64_t carried() const { return carried_; }

  class End final : public ClientTransport {
   public:
    End(LossyNetwork& network, bool is_server) : network_(network), is_server_(is_server) {}

    std::optional<TransportEvent> next() override {
      if (arrivals_.empty() || arrivals_.begin()->first > network_.now_) return std::nullopt;
      TransportEvent event = std::move(arrivals_.begin()->second);
      arrivals_.erase(arrivals_.begin());
      Link* const link = network_.find(event.peer);
      if (link == nullptr || !open(*link)) return next();
      if (event.kind == TransportEvent::Kind::disconnected) open(*link) = false;
      return event;
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

    Result<PeerId> connect() override { return network_.connect(*this); }

   private:
    friend class LossyNetwork;
    bool& open(auto& link) const { return is_server_ ? link.server_open : link.client_open; }

    LossyNetwork& network_;
    bool is_server_;
    std::multimap<Time, TransportEvent> arrivals_;
  };

  End& server() { return server_; }
  std::unique_ptr<End> client() { return std::make_unique<End>(*this, false); }

 private:
  struct Link {
    End* client = nullptr;
    bool server_open = true, client_open = true;
    Time reliable_until[2] = {0, 0};  // when the last reliable message arrives, by direction
  };

  Link* find(PeerId peer) {
    const auto found = links_.find(peer);
    return found == links_.end() ? nullptr : &found->second;
  }

  bool chance(double probability) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }

  Time arrival() {
    const auto extra =
        conditions_.jitter > 0
            ? static_cast<Time>(random_() % static_cast<std::uint64_t>(conditions_.jitter))
            : 0;
    return now_ + conditions_.one_way + extra;
  }

  Time reliable_arrival(Link& link, bool from_server) {
    Time at = std::max(arrival(), dark_until_ + conditions_.one_way);
    while (chance(conditions_.loss)) at += 2 * conditions_.one_way + 100'000;
    Time& until = link.reliable_until[from_server ? 1 : 0];
    return until = std::max(at, until);
  }

  void deliver(Link& link, bool from_server, Time at, TransportEvent event) {
    End& to = from_server ? *link.client : server_;
    to.arrivals_.emplace(at, std::move(event));
  }

  void carry(Link& link, PeerId peer, bool from_server, Channel channel, const std::string& bytes) {
    carried_ += bytes.size();
    const TransportEvent event{TransportEvent::Kind::received, peer, channel, bytes, 0};
    if (channel == Channel::reliable) {
      return deliver(link, from_server, reliable_arrival(link, from_server), event);
    }
    const int copies = chance(conditions_.duplication) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (now_ >= dark_until_ && !chance(conditions_.loss))
        deliver(link, from_server, arrival(), event);
    }
  }

  void tell(Link& link, PeerId peer, bool from_server, TransportEvent::Kind kind,
            std::uint32_t why = 0) {
    deliver(link, from_server, reliable_arrival(link, from_server), {kind, peer, {}, {}, why});
  }

  PeerId connect(End& client) {
    const PeerId peer = ++last_peer_;
    Link& link = links_[peer];
    link.client = &client;
    tell(link, peer, false, TransportEvent::Kind::connected);
    link.reliable_until[1] = link.reliable_until[0];
    tell(link, peer, true, TransportEvent::Kind::connected);
    link.reliable_until[1] += conditions_.one_way;
    return peer;
  }

  Conditions conditions_;
  std::mt19937_64 random_;
  Time now_ = kSecond;
  Time dark_until_ = 0;
  PeerId last_peer_ = 0;
  std::uint64_t carried_ = 0;
  std::map<PeerId, Link> links_;
  End server_;
};

}  // namespace laurel::test
