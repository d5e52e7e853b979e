#include "stub_server.h"

#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/core.h>

namespace laurel {

StubServer::StubServer(Handler handler) : handler_(std::move(handler)) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  (void)bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
  (void)getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  (void)::listen(socket_, 64);
  port_ = ntohs(address.sin_port);
  listener_ = std::thread([this] { listen(); });
}

StubServer::~StubServer() {
  stop_ = true;
  shutdown(socket_, SHUT_RDWR);
  listener_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int socket : open_) close(socket);
  close(socket_);
}

std::string StubServer::endpoint() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::vector<StubCall> StubServer::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void StubServer::listen() {
  while (!stop_) {
    const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(socket);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void StubServer::serve(int socket) {
  std::string came;
  char bytes[4096];
  while (true) {
    const std::size_t end = came.find("\r\n\r\n");
    std::size_t whole = std::string::npos;
    if (end != std::string::npos) {
      const std::size_t length = came.find("Content-Length: ");
      whole = end + 4 + (length < end ? std::strtoul(came.c_str() + length + 16, nullptr, 10) : 0);
    }
    if (whole == std::string::npos || came.size() < whole) {
      const ssize_t size = recv(socket, bytes, sizeof bytes, 0);
      if (size <= 0) return;
      came.append(bytes, static_cast<std::size_t>(size));
      continue;
    }
    StubCall call{.operation = "", .head = came.substr(0, end), .body = ""};
    call.body = came.substr(end + 4, whole - end - 4);
    came.erase(0, whole);
    const std::size_t target = call.head.find("DynamoDB_20120810.");
    if (target != std::string::npos) {
      call.operation = call.head.substr(target + 18, call.head.find('\r', target) - target - 18);
    }
    StubAnswer answer;
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(call);
      answer = handler_(call, calls_.size() - 1);
    }
    if (answer.silent) continue;
    if (answer.hangs_up) {
      shutdown(socket, SHUT_RDWR);
      return;
    }
    const std::string text = fmt::format(
        "HTTP/1.1 {} X\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {}\r\n\r\n{}",
        answer.status, answer.body.size(), answer.body);
    (void)send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  }
}

}  // namespace laurel
