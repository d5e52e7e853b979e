// hostile_server.h - a server on loopback that sends bytes of a test's choice to each connection,
// whatever it is asked.
#pragma once

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace laurel {

class HostileServer {
 public:
  // `endless`: the bytes are repeated until the connection ends.
  explicit HostileServer(std::string bytes, bool endless = false)
      : bytes_(std::move(bytes)), endless_(endless) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    (void)::bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    (void)::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    (void)::listen(socket_, 16);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  // REQUIRES: the client is closed
  ~HostileServer() {
    ends_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  std::string url() const { return fmt::format("redis://127.0.0.1:{}", port_); }

 private:
  void run() {
    while (!ends_) {
      const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      while (send_all(client) && endless_) {
      }
      std::array<char, 4096> part;
      while (::recv(client, part.data(), part.size(), 0) > 0) {
      }
      ::close(client);
    }
  }
  bool send_all(int client) const {
    for (std::size_t sent = 0; sent < bytes_.size();) {
      const ssize_t size = ::send(client, bytes_.data() + sent, bytes_.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return false;
      sent += static_cast<std::size_t>(size);
    }
    return true;
  }

  const std::string bytes_;
  const bool endless_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace laurel
