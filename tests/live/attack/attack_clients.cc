// The attacks by connected clients.
#include <memory>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

#include <enet/enet.h>

#include "live/attack/attacks.h"
#include "live/limits.h"
#include "live/secure/handshake.h"
#include "live/wire/wire.h"

namespace laurel::test {

namespace {

constexpr std::size_t kMany = 32;

// Plain ENet with one peer.
class Rogue {
 public:
  explicit Rogue(std::uint16_t port, std::uint32_t word = 0)
      : host_(enet_host_create(nullptr, 1, 2, 0, 0)) {
    ENetAddress address{};
    address.host = ENET_HOST_TO_NET_32(0x7F000001);
    address.port = port;
    peer_ = enet_host_connect(host_, &address, 2, word);
  }
  ~Rogue() {
    enet_peer_disconnect_now(peer_, 0);
    enet_host_destroy(host_);
  }
  Rogue(const Rogue&) = delete;
  Rogue& operator=(const Rogue&) = delete;

  // Waits for the connection. True if it was established, false if it or the attack has ended.
  bool connected(const std::atomic<bool>& over) {
    while (!over && !standing_ && !ended_) {
      serve();
      ::poll(nullptr, 0, 1);
    }
    return standing_;
  }
  bool ended() const { return ended_; }

  void serve() {
    ENetEvent event{};
    while (enet_host_service(host_, &event, 0) > 0) {
      standing_ = standing_ || event.type == ENET_EVENT_TYPE_CONNECT;
      ended_ = ended_ || event.type == ENET_EVENT_TYPE_DISCONNECT;
      if (event.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(event.packet);
    }
  }

  void send(std::uint8_t channel, std::uint32_t flags, const std::string& bytes) {
    ENetPacket* const packet = enet_packet_create(bytes.data(), bytes.size(), flags);
    if (enet_peer_send(peer_, channel, packet) != 0) enet_packet_destroy(packet);
    enet_host_flush(host_);
  }
  void say(const ClientMessage& message) { send(0, ENET_PACKET_FLAG_RELIABLE, encode(message)); }
  void ping() {
    enet_peer_ping(peer_);
    enet_host_flush(host_);
  }

  // Sends raw commands under the connection's header.
  void send_by_hand(const std::string& commands) {
    const auto head =
        static_cast<std::uint16_t>(0x8000 | peer_->outgoingSessionID << 12 | peer_->outgoingPeerID);
    std::string bytes{static_cast<char>(head >> 8), static_cast<char>(head), 0, 1};
    bytes += commands;
    ENetBuffer buffer{bytes.data(), bytes.size()};
    enet_socket_send(host_->socket, &peer_->address, &buffer, 1);
  }

 private:
  ENetHost* host_;
  ENetPeer* peer_;
  bool standing_ = false, ended_ = false;
};

Subscribe subscribe_to(std::string_view board) {
  Subscribe subscribe;
  subscribe.board = board;
  subscribe.n = 10;
  return subscribe;
}

// Connects, says hello, and repeats do_it. Connects again after a disconnect.
Attack again_and_again(const std::function<void(Rogue&)>& do_it) {
  return [=](std::uint16_t port, const std::atomic<bool>& over) {
    while (!over) {
      Rogue rogue(port);
      if (!rogue.connected(over)) continue;
      rogue.say(Hello{});
      while (!over && !rogue.ended()) {
        do_it(rogue);
        rogue.serve();
      }
    }
  };
}

// Many clients that connect, begin in the same way, and then do nothing more.
Attack many(const std::function<void(Rogue&)>& begin, bool serving) {
  return [=](std::uint16_t port, const std::atomic<bool>& over) {
    std::vector<std::unique_ptr<Rogue>> rogues;
    while (rogues.size() < kMany && !over) {
      auto& added = rogues.emplace_back(std::make_unique<Rogue>(port));
      if (added->connected(over)) begin(*added);
    }
    while (!over) {
      for (const auto& rogue : rogues) {
        if (serving) rogue->serve();
      }
      ::poll(nullptr, 0, 1);
    }
  };
}

void begin_well(Rogue& rogue) {
  rogue.say(Hello{});
  rogue.say(subscribe_to(kBoard));
}

}  // namespace

Attack fragments() {
  // The first 5 bytes of a message of 32 MB; 29 bytes in all.
  const std::string fragment("\x88\0\0\1\0\1\0\5\0\0\x7f\xff\0\0\0\0\2\0\0\0\0\0\0\0xxxxx", 29);
  return again_and_again([fragment, sequence = std::uint16_t{0}](Rogue& rogue) mutable {
    std::string next = fragment;
    next[2] = next[4] = static_cast<char>(++sequence >> 8);
    next[3] = next[5] = static_cast<char>(sequence);
    rogue.send_by_hand(next);
  });
}

Attack sequenced() {
  return again_and_again([](Rogue& rogue) {
    rogue.send(0, 0, "sequenced");
    rogue.send(1, 0, "sequenced");
    rogue.send(1, ENET_PACKET_FLAG_RELIABLE, "reliable, where it has no place");
  });
}

Attack reversed() {
  // Each command belongs before all that wait already, and ENet searches from the other end. The
  // window has 28,672 numbers.
  return again_and_again([sequence = std::uint16_t{28'000}](Rogue& rogue) mutable {
    std::string commands;
    for (int i = 0; i < 30; ++i) {
      if (--sequence < 2) sequence = 28'000;
      commands +=
          {'\x86', '\0', static_cast<char>(sequence >> 8), static_cast<char>(sequence), '\0', '\0'};
    }
    rogue.send_by_hand(commands);
  });
}

Attack enet_pings() {
  return again_and_again([](Rogue& rogue) { rogue.ping(); });
}

Attack subscribe_flood() {
  return again_and_again([](Rogue& rogue) { rogue.say(subscribe_to(kBoard)); });
}

Attack seventeen() {
  return again_and_again([](Rogue& rogue) {
    for (int i = 0; i < 17; ++i) rogue.say(subscribe_to("board " + std::to_string(i)));
  });
}

Attack long_messages() {
  return again_and_again(
      [](Rogue& rogue) { rogue.send(0, ENET_PACKET_FLAG_RELIABLE, std::string(513, '\2')); });
}

Attack nonsense() {
  return again_and_again(
      [](Rogue& rogue) { rogue.send(0, ENET_PACKET_FLAG_RELIABLE, "nonsense"); });
}

Attack acknowledge_flood() {
  return again_and_again([](Rogue& rogue) {
    Ack ack;
    ack.count = kLiveAckStreamsMax;
    rogue.send(1, ENET_PACKET_FLAG_UNSEQUENCED, encode(ClientMessage(ack)));
  });
}

Attack never_acknowledging() { return many(begin_well, true); }
Attack never_hello() {
  return many([](Rogue&) {}, true);
}
Attack never_reading() { return many(begin_well, false); }

Attack coming_and_going() {
  return [](std::uint16_t port, const std::atomic<bool>& over) {
    while (!over) {
      Rogue rogue(port);
      if (rogue.connected(over)) begin_well(rogue);
    }
  };
}

Attack showing(const Token& token) {
  return [token](std::uint16_t port, const std::atomic<bool>& over) {
    while (!over) {
      Rogue rogue(port, token.word);
      if (!rogue.connected(over)) continue;
      Hello hello;
      hello.secret = std::string_view(token.secret.data(), token.secret.size());
      rogue.say(hello);
      while (!over && !rogue.ended()) {
        rogue.serve();
        ::poll(nullptr, 0, 1);
      }
    }
  };
}

Attack replaying(const Token& token) {
  ClientHandshake client(token.word, token.secret, *token.server, draw_key_pair());
  return [word = token.word, first = client.first().value()](std::uint16_t port,
                                                             const std::atomic<bool>& over) {
    while (!over) {
      Rogue rogue(port, word);
      if (!rogue.connected(over)) continue;
      rogue.send(0, ENET_PACKET_FLAG_RELIABLE, first);
      rogue.send(0, ENET_PACKET_FLAG_RELIABLE, std::string(40, 'r'));
      while (!over && !rogue.ended()) {
        rogue.serve();
        ::poll(nullptr, 0, 1);
      }
    }
  };
}

}  // namespace laurel::test
