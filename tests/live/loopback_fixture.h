// loopback_fixture.h - a server with its thread, and clients over ENet on the loopback interface.
#pragma once

#include <arpa/inet.h>
#include <chrono>
#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "live/client/client.h"
#include "live/server/server.h"

namespace laurel::test {

inline WindowPtr window(std::uint64_t epoch, std::uint64_t version, std::size_t entries = 10) {
  auto made = std::make_shared<Window>();
  made->epoch = epoch;
  made->version = version;
  made->size = 1000 + version;
  for (std::size_t i = 0; i < entries; ++i) {
    WindowEntry entry;
    entry.player = "player_" + std::to_string((i + version) % (2 * entries));
    entry.score = 1000.5 - static_cast<double>(i) + static_cast<double>(version);
    entry.rank = i + 1;
    made->entries.push_back(std::move(entry));
  }
  return made;
}

inline ServerPtr started(const ServerOptions& options = {}) {
  auto server = Server::start(options);
  REQUIRE_MESSAGE(server, server.refusal().text());
  return std::move(*server);
}

inline std::unique_ptr<Client> connected_to(std::uint16_t port) {
  auto client = Client::connect({"127.0.0.1", port, "", false, {}});
  REQUIRE_MESSAGE(client, client.refusal().text());
  return std::move(*client);
}

// Ticks the clients until the condition holds. False if it does not within ten seconds.
inline bool until(const std::vector<Client*>& clients, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    for (Client* const client : clients) client->tick();
    if (holds()) return true;
    poll(nullptr, 0, 1);  // the pace of a game loop, not a wait for an event
  }
  return false;
}

// What a subscription's callback received.
struct Heard {
  WindowPtr last;
  std::string refused;
  int calls = 0;

  Client::OnTop listener() {
    return [this](const Result<WindowPtr>& top) {
      ++calls;
      if (top) last = *top;
      refused = top ? "" : std::string(top.refusal().text());
    };
  }
  bool has(std::uint64_t version) const { return last && last->version == version; }
};

// Sends raw datagrams to a server.
class Stranger {
 public:
  // from: an address of this machine, as a number
  explicit Stranger(std::uint16_t port, std::uint32_t from = INADDR_LOOPBACK)
      : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(from);
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  ~Stranger() { ::close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  void send(const std::string& bytes) const {
    (void)!::send(socket_, bytes.data(), bytes.size(), 0);
  }
  // The next answer; empty if there is none.
  std::string receive() const {
    std::string bytes(65'536, '\0');
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return bytes;
  }

 private:
  int socket_;
};

}  // namespace laurel::test
