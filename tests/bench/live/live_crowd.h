// live_crowd.h - thousands of clients of a live channel, in a process of their own.
//
// They follow the protocol (module/live/PROTOCOL.md): hello, one subscription, an ack of every
// state, a ping if there was nothing to send. To be light they share a few ENet hosts and read only
// the version of a state: tests check whether states are right.
//
//   token     they all have the same, and encrypt if it has the server's key.
//   process   the same program, started again with its own arguments: run_crowd() is its main.
//   latency   from the moment that the other process noted for a version (Stamps) until the client
//             has read a state of that version, or a newer one. Sockets are read once a
//             millisecond.
//   bytes     what arrived, with 28 bytes for the headers of IPv4 and UDP for each datagram.
//   failure   throws; a crowd ends when its owner ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/types.h>

namespace laurel {

// When each version was committed, in memory that both processes share. Old ones are overwritten.
class Stamps {
 public:
  Stamps();                 // a new one
  explicit Stamps(int fd);  // one that another process made
  ~Stamps();
  Stamps(const Stamps&) = delete;
  Stamps& operator=(const Stamps&) = delete;

  int fd() const { return fd_; }
  void note(std::uint64_t version, std::int64_t microseconds) {
    at_[version % kVersions].store(microseconds, std::memory_order_relaxed);
  }
  // 0 if it was never noted.
  std::int64_t of(std::uint64_t version) const {
    return at_[version % kVersions].load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kVersions = std::size_t{1} << 16;  // a minute at 1,000 a second

  void map();

  int fd_;
  std::atomic<std::int64_t>* at_ = nullptr;
};

// Microseconds of the clock that all processes have in common.
std::int64_t monotonic_microseconds();

// All counters count since begin(), except the first two.
struct CrowdReport {
  std::uint64_t connected = 0;  // now
  std::uint64_t served = 0;     // clients that have seen a state, ever
  std::uint64_t states = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;  // connections that ended
  double cpu = 0;          // seconds
  double median = 0;       // microseconds of latency
  double p99 = 0;
  double most = 0;
};

struct CrowdOptions {
  std::uint16_t port = 0;
  std::size_t clients = 0;
  std::size_t top = 10;
  std::string board;
  std::string token;   // empty: none
  bool churn = false;  // one more client connects and leaves, ten times a second
};

class Crowd {
 public:
  Crowd(const CrowdOptions& options, const Stamps& stamps);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  CrowdReport report();  // waits for the answer
  void begin();          // sets the counters to 0
  void stop();           // pauses: it neither reads nor writes
  void go_on();

 private:
  void ask(char what) const;

  pid_t process_ = 0;
  int asks_ = -1, answers_ = -1;
};

// False if the arguments are not those of a crowd's process; otherwise runs it to its end.
bool run_crowd(int arguments, char** argument);

}  // namespace laurel
