#include "bench/live/bare_exchange.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <chrono>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "bench/measure.h"

namespace laurel {

namespace {

constexpr std::size_t kRounds = 60;
constexpr std::size_t kRoundsThatCount = 50;
constexpr std::size_t kAnswerBytes = 24;
constexpr std::size_t kDatagramMax = 1500;
constexpr auto kRoundLimit = std::chrono::milliseconds(200);

class Socket {
 public:
  Socket() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in local{};
    local.sin_family = AF_INET;
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd_ < 0 || ::bind(fd_, reinterpret_cast<sockaddr*>(&local), sizeof local) != 0)
      throw std::runtime_error("the system gives no more sockets");
    const int room = 4 << 20;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  sockaddr_in address() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    return address;
  }
  void send(const sockaddr_in& to, std::size_t bytes) const {
    (void)::sendto(fd_, payload().data(), bytes, 0, reinterpret_cast<const sockaddr*>(&to),
                   sizeof to);
  }
  bool receive() const {
    std::array<char, kDatagramMax> data;
    return ::recv(fd_, data.data(), data.size(), 0) > 0;
  }

 private:
  static const std::array<char, kDatagramMax>& payload() {
    static const std::array<char, kDatagramMax> zeros{};
    return zeros;
  }

  int fd_;
};

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

double bare_exchange_us(std::size_t bytes, std::size_t clients) {
  bytes = std::min(bytes, kDatagramMax);
  const Socket server;
  const std::vector<Socket> sockets(clients);
  std::vector<sockaddr_in> addresses;
  for (const Socket& socket : sockets) addresses.push_back(socket.address());
  const sockaddr_in home = server.address();
  std::atomic<bool> ends = false;
  std::atomic<std::size_t> answered = 0;
  std::thread crowd([&] {
    while (!ends) {
      for (const Socket& socket : sockets) {
        if (!socket.receive()) continue;
        socket.send(home, kAnswerBytes);
        ++answered;
      }
    }
  });
  Samples rounds;
  for (std::size_t round = 0; round < kRounds; ++round) {
    answered = 0;
    double spent = -thread_seconds();
    for (const sockaddr_in& address : addresses) server.send(address, bytes);
    spent += thread_seconds();
    // Waiting is not part of an exchange.
    const auto end = std::chrono::steady_clock::now() + kRoundLimit;
    while (answered < clients && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    spent -= thread_seconds();
    while (server.receive()) {
    }
    spent += thread_seconds();
    if (round >= kRounds - kRoundsThatCount) rounds.add(spent * 1e6 / static_cast<double>(clients));
  }
  ends = true;
  crowd.join();
  return rounds.median();
}

}  // namespace laurel
