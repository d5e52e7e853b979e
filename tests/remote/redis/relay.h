// relay.h - a relay on loopback between clients and a server, which disturbs what the server sends:
// in pieces, cut off, or with a wrong byte.
#pragma once

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace laurel {

class Relay {
 public:
  explicit Relay(std::uint16_t server) : server_(server) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = at(0);
    socklen_t size = sizeof address;
    (void)::bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    (void)::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    (void)::listen(socket_, 16);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  // REQUIRES: the clients are closed
  ~Relay() {
    ends_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::uint16_t port() const { return port_; }

  // Each counts the bytes that the server sent on one connection.
  std::atomic<std::size_t> piece = 65'536;     // read, and sent, at a time
  std::atomic<std::size_t> cut_at = SIZE_MAX;  // then the connection ends
  std::atomic<std::size_t> spoilt = SIZE_MAX;  // the byte at this place is another one
  std::atomic<bool> mute = false;              // nothing is passed on

 private:
  static sockaddr_in at(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  // One connection at a time: a remote that connects again has closed the one before.
  void run() {
    while (!ends_) {
      const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in address = at(server_);
      const int on = 1;
      ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        pass(client, server);
      }
      ::close(server);
      ::close(client);
    }
  }

  void pass(int client, int server) {
    std::array<char, 65'536> bytes;
    for (std::size_t came = 0; came < cut_at && !ends_;) {
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
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace laurel
