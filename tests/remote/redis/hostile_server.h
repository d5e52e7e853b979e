// hostile_server.h - a server on loopback that sends bytes of a test's choice to each connection,
// whatever it is asked.
#pragma once

#include <array>
#include <string>
#include <sys/socket.h>
#include <utility>

#include <fmt/core.h>

#include "remote/redis/loopback_server.h"

namespace laurel {

class HostileServer {
 public:
  // `endless`: the bytes are repeated until the connection ends.
  explicit HostileServer(std::string bytes, bool endless = false)
      : bytes_(std::move(bytes)), endless_(endless) {}

  std::string url() const { return fmt::format("redis://127.0.0.1:{}", server_.port()); }

 private:
  void serve(int client) const {
    while (send_all(client) && endless_) {
    }
    std::array<char, 4096> part;
    while (::recv(client, part.data(), part.size(), 0) > 0) {
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
  LoopbackServer server_{[this](int client) { serve(client); }};  // last: it calls serve()
};

}  // namespace laurel
