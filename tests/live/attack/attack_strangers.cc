// The attacks without a connection.
#include <arpa/inet.h>
#include <poll.h>
#include <random>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "live/attack/attacks.h"
#include "live/enet_bytes.h"

namespace laurel::test {

namespace {

constexpr std::size_t kPorts = 200;
constexpr std::size_t kDatagramMost = 65'507;  // the maximum of UDP

// Sends raw datagrams to a server.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  ~Stranger() { ::close(socket_); }
  Stranger(Stranger&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Stranger& operator=(Stranger&&) = delete;

  // Returns the number of bytes sent.
  std::size_t send(std::string_view bytes) const {
    return at_least_0(::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT));
  }
  // Returns the size of the next answer; 0 if there is none.
  std::size_t receive() const {
    char bytes[2048];
    return at_least_0(::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT));
  }

 private:
  static std::size_t at_least_0(ssize_t bytes) {
    return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
  }

  int socket_;
};

Attack random_bytes(std::size_t least, std::size_t most) {
  return [=](std::uint16_t port, const std::atomic<bool>& over) {
    const Stranger stranger(port);
    std::mt19937_64 random(1);
    std::string bytes(most, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    while (!over) {
      // New first bytes each time: they decide how far a datagram gets.
      for (std::size_t i = 0; i < std::min<std::size_t>(most, 16); ++i)
        bytes[i] = static_cast<char>(random());
      stranger.send(std::string_view(bytes).substr(0, least + random() % (most - least + 1)));
    }
  };
}

}  // namespace

Attack garbage() { return random_bytes(1, 1232); }
Attack all_sizes() { return random_bytes(0, kDatagramMost); }
Attack oversized() { return random_bytes(4097, 9000); }

Attack forged_connects(Traffic& traffic) {
  return [&traffic](std::uint16_t port, const std::atomic<bool>& over) {
    std::vector<Stranger> strangers;
    while (strangers.size() < kPorts) strangers.emplace_back(port);
    std::mt19937 random(2);
    while (!over) {
      const auto connect_id = static_cast<std::uint32_t>(random());
      const Stranger& stranger = strangers[connect_id % kPorts];
      const auto word = static_cast<std::uint32_t>(random());
      traffic.sent += stranger.send(connect_datagram(connect_id, word));
      traffic.answered += stranger.receive();
    }
    for (const Stranger& stranger : strangers) {
      while (const std::size_t bytes = stranger.receive()) traffic.answered += bytes;
    }
  };
}

Attack forged_connects_from_port_0() {
  return [](std::uint16_t port, const std::atomic<bool>& over) {
    const int raw = ::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::mt19937 random(4);
    while (!over) {
      const std::string connect = connect_datagram(static_cast<std::uint32_t>(random()));
      std::string datagram;
      put16(datagram, 0);
      put16(datagram, port);
      put16(datagram, static_cast<std::uint32_t>(8 + connect.size()));
      put16(datagram, 0);  // no checksum
      datagram += connect;
      (void)!::sendto(raw, datagram.data(), datagram.size(), MSG_DONTWAIT,
                      reinterpret_cast<const sockaddr*>(&to), sizeof to);
      ::poll(nullptr, 0, 0);
    }
    if (raw >= 0) ::close(raw);
  };
}

Attack forged_disconnects() {
  return [](std::uint16_t port, const std::atomic<bool>& over) {
    const Stranger stranger(port);
    while (!over) {
      for (std::uint32_t peer = 0; peer < 64; ++peer) {
        for (std::uint32_t session = 0; session < 4; ++session) {
          std::string disconnect = head(peer, session) + "\x44\xFF";  // unsequenced
          put16(disconnect, 0);
          put32(disconnect, 0);
          stranger.send(disconnect);
          stranger.send(head(peer, session) + reliable(1, "nonsense"));
        }
      }
    }
  };
}

}  // namespace laurel::test
