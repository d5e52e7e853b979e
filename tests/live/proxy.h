// proxy.h - a bad network for real datagrams: between one server and many clients on loopback, it
// loses, duplicates and delays at random from a seed, in both directions alike.
//
//   clients  are distinguished by their address; each gets its own socket to the server.
//   threads  one of its own; set() and black_out() may be called from any thread.
//   limits   kClientsMax clients, kUnderWayMax datagrams in flight; the excess is lost, as in a
//            router.
//   cost     two system calls per datagram, and one wake-up for each that is delayed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/time.h"

namespace laurel::test {

class Proxy {
 public:
  struct Conditions {
    double loss = 0;
    double duplication = 0;
    Time one_way = 0;
    Time jitter = 0;  // up to this much longer, for each datagram separately
  };

  Proxy(std::uint16_t server_port, std::uint64_t seed);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // The port on 127.0.0.1 to which clients connect.
  std::uint16_t port() const { return port_; }

  void set(const Conditions& conditions);
  // While dark, everything that comes is lost; what is in flight still arrives.
  void black_out(bool dark) { dark_.store(dark); }

  std::uint64_t forwarded() const { return forwarded_.load(); }

 private:
  static constexpr std::size_t kClientsMax = 1024;
  static constexpr std::size_t kUnderWayMax = 65'536;

  using Clock = std::chrono::steady_clock;
  struct Datagram {
    Clock::time_point due;
    std::uint64_t number = 0;   // orders datagrams with equal times
    int socket = -1;            // to send it from
    std::uint32_t address = 0;  // network byte order, as the port
    std::uint16_t port = 0;
    std::string bytes;
    bool operator>(const Datagram& other) const {
      return due != other.due ? due > other.due : number > other.number;
    }
  };

  void run();
  void read(int from);
  void delay(int socket, std::uint32_t address, std::uint16_t port, std::string bytes);
  void send_due();
  int socket_of(std::uint32_t address, std::uint16_t port);
  bool chance(double probability);

  std::uint16_t server_port_;  // network byte order
  std::uint16_t port_ = 0;
  int front_ = -1, wake_ = -1;
  std::atomic<bool> dark_{false}, ending_{false};
  std::atomic<std::uint64_t> forwarded_{0};
  std::mutex mutex_;
  Conditions conditions_;  // under the mutex
  // Only used by the thread.
  std::mt19937_64 random_;
  std::uint64_t numbers_ = 0;
  std::unordered_map<std::uint64_t, int> sockets_;  // by a client's address and port
  std::unordered_map<int, std::uint64_t> clients_;  // the inverse
  std::priority_queue<Datagram, std::vector<Datagram>, std::greater<>> under_way_;
  std::thread thread_;
};

}  // namespace laurel::test
