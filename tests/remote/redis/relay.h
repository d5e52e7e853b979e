// relay.h - a relay on loopback between clients and a server, which disturbs what the server sends:
// in pieces, cut off, or with a wrong byte.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote/redis/loopback_server.h"

namespace laurel {

class Relay {
 public:
  explicit Relay(std::uint16_t server) : server_(server) {}

  std::uint16_t port() const { return relay_.port(); }

  // Each counts the bytes that the server sent on one connection.
  std::atomic<std::size_t> piece = 65'536;     // read, and sent, at a time
  std::atomic<std::size_t> cut_at = SIZE_MAX;  // then the connection ends
  std::atomic<std::size_t> spoilt = SIZE_MAX;  // the byte at this place is another one
  std::atomic<bool> mute = false;              // nothing is passed on

 private:
  // One connection at a time: a remote that connects again has closed the one before.
  void serve(int client) {
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(server_);
    const int on = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      pass(client, server);
    }
    ::close(server);
  }

  void pass(int client, int server) {
    std::array<char, 65'536> bytes;
    for (std::size_t came = 0; came < cut_at && !relay_.ends();) {
      std::array<pollfd, 2> ready = {pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
      ::poll(ready.data(), ready.size(), 100);
      if (ready[0].revents != 0) {
        const ssize_t got = ::recv(client, bytes.data(), bytes.size(), 0);
        if (got <= 0) return;
        if (!mute) ::send(server, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
      }
      if (ready[1].revents != 0) {
        const std::size_t most = std::min({piece.load(), bytes.size(), cut_at - came});
        const ssize_t got = ::recv(server, bytes.data(), most, 0);
        if (got <= 0) return;
        const auto size = static_cast<std::size_t>(got);
        const std::size_t wrong = spoilt - came;
        if (wrong < size) bytes[wrong] = static_cast<char>(bytes[wrong] ^ 1);
        if (!mute) ::send(client, bytes.data(), size, MSG_NOSIGNAL);
        came += size;
      }
    }
  }

  const std::uint16_t server_;
  LoopbackServer relay_{[this](int client) { serve(client); }};  // last: it calls serve()
};

}  // namespace laurel
