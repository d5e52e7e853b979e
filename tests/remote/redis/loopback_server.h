// loopback_server.h - a TCP server on a free port of loopback, with a thread of its own that serves
// one connection after the other.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <cstdint>
#include <functional>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace laurel {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

class LoopbackServer {
 public:
  // serve(socket) is called for each connection, which is closed afterwards.
  explicit LoopbackServer(std::function<void(int socket)> serve) : serve_(std::move(serve)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    (void)::bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    (void)::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    (void)::listen(socket_, 16);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  // Waits for serve(). REQUIRES: the client is closed.
  ~LoopbackServer() {
    ends_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const { return port_; }
  // Any thread.
  bool ends() const { return ends_; }

 private:
  void run() {
    while (!ends_) {
      const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      serve_(client);
      ::close(client);
    }
  }

  const std::function<void(int socket)> serve_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace laurel
