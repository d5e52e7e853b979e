// What laurel-web costs: viewers on loopback, in a process of their own, follow one board whose
// leader changes 100 times a second. Beside it a bare loop of epoll and send() sends the same bytes
// to the same number of sockets.
//
//   bench_web [--viewers=2000,10000] [--seconds=5] [--rate=10] [--slow=0] [--warm=1]
//
//   us/msg    CPU time of the sending thread for each message, in the kernel too
//   B/viewer  heap of this process for each viewer, without the kernel's
//   p50, p99  milliseconds from a submission to the first message that has it or a newer one, of
//             each fiftieth viewer. The bare loop's are those of its messages
//   --slow    how many of the viewers are slow: half of them read nothing, the others 64 bytes a
//             second
//   --warm    seconds before the measurement; a slow viewer's buffers are full after 10
//
// Two processes and three threads share the machine: if it is busy, or has two cores, latencies are
// those of the scheduler.
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>

#include "base/process/thread_time.h"
#include "base/steady_clock.h"
#include "bench/live/web_game.h"
#include "web/gateway.h"

namespace laurel {

namespace {

struct Sizes {
  std::vector<std::size_t> viewers{2000, 10'000};
  int seconds = 5;
  double rate = 10;
  std::size_t slow = 0;
  int warm = 1;
};

struct Seen {  // by the crowd
  std::uint64_t messages = 0, bytes = 0;
  double p50 = 0, p99 = 0;  // milliseconds
};

int connected(std::uint16_t port, std::size_t number, bool is_slow) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const int small = 2048;
  if (is_slow) ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  sockaddr_in own{}, to{};
  own.sin_family = to.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(0x7f000001U + static_cast<std::uint32_t>(number / 1000 * 256));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  if (socket < 0 || ::bind(socket, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 ||
      ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    fail("connect");
  }
  constexpr std::string_view kRequest =
      "GET /v1/boards/race/live?top=3 HTTP/1.1\r\nHost: a\r\n\r\n";
  if (::send(socket, kRequest.data(), kRequest.size(), 0) < 0) fail("send");
  return socket;
}

// How long the changes took to be seen: those after `last` that the score has, and that one.
void add_delays(std::vector<double>& delays, double& last, double score, Time change_every) {
  const double now = static_cast<double>(steady_now()) / 1000;
  const double every = static_cast<double>(change_every) / 1000;
  delays.push_back(now - score);
  for (double change = score - every; every > 0 && last > 0 && change > last + every / 2;
       change -= every) {
    delays.push_back(now - change);
  }
  last = score;
}

// Slow viewers that are not silent read a little each second.
void read_slowly(const std::vector<int>& sockets, Time& next) {
  if (steady_now() < next) return;
  next = steady_now() + kSecond;
  char bytes[64];
  for (std::size_t i = 0; i < sockets.size(); i += 2) {
    (void)::recv(sockets[i], bytes, sizeof bytes, MSG_DONTWAIT);
  }
}

// The viewers: connects them, says so, and counts what they get from then on.
//   change_every   between two changes; 0: each message is a change
Seen watch(std::uint16_t port, const Sizes& sizes, std::size_t viewers, Time change_every,
           int ready) {
  const int epoll = ::epoll_create1(0);
  std::vector<int> slow;
  for (std::size_t i = 0; i < viewers; ++i) {
    const bool is_slow = i < sizes.slow;
    const int socket = connected(port, i, is_slow);
    if (is_slow) {
      slow.push_back(socket);
      continue;
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint64_t>(socket) << 32 | i;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
  }
  Seen seen;
  std::vector<double> delays, last(viewers);
  std::vector<epoll_event> events(1024);
  std::string bytes(1 << 16, '\0');
  const Time warm = steady_now() + sizes.warm * kSecond;
  Time read_slowly_at = 0;
  const Time end = warm + sizes.seconds * kSecond;
  bool told = false;
  for (Time now = steady_now(); now < end; now = steady_now()) {
    if (!told && now >= warm) told = ::write(ready, "x", 1) == 1;
    read_slowly(slow, read_slowly_at);
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 10);
    for (int i = 0; i < count; ++i) {
      const auto data = events[static_cast<std::size_t>(i)].data.u64;
      const ssize_t size = ::recv(static_cast<int>(data >> 32), bytes.data(), bytes.size(), 0);
      if (size <= 0) fail("a viewer was sent away");
      if (now < warm) continue;
      const std::string_view got(bytes.data(), static_cast<std::size_t>(size));
      seen.bytes += got.size();
      for (std::size_t at = 0; (at = got.find("\ndata: ", at)) != std::string_view::npos; ++at) {
        ++seen.messages;
        const std::size_t score = got.find("\"score\":", at);
        if ((data & 0xffffffff) % 50 != 0 || score == std::string_view::npos) continue;
        add_delays(delays, last[data & 0xffffffff], std::strtod(got.data() + score + 8, nullptr),
                   change_every);
      }
    }
  }
  std::sort(delays.begin(), delays.end());
  if (!delays.empty()) {
    seen.p50 = delays[delays.size() / 2];
    seen.p99 = delays[delays.size() * 99 / 100];
  }
  return seen;
}

// A crowd in a process of its own.
class Crowd {
 public:
  Crowd(std::uint16_t port, const Sizes& sizes, std::size_t viewers, Time change_every) {
    int ready[2], result[2];
    if (::pipe(ready) != 0 || ::pipe(result) != 0) fail("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const Seen seen = watch(port, sizes, viewers, change_every, ready[1]);
      ::_exit(::write(result[1], &seen, sizeof seen) == sizeof seen ? 0 : 1);
    }
    ::close(ready[1]);
    ::close(result[1]);
    ready_ = ready[0];
    result_ = result[0];
  }
  void wait_until_ready() const {
    char byte = 0;
    if (::read(ready_, &byte, 1) != 1) fail("the crowd");
  }
  Seen result() const {
    Seen seen;
    if (::read(result_, &seen, sizeof seen) != sizeof seen) fail("the crowd");
    ::waitpid(pid_, nullptr, 0);
    return seen;
  }

 private:
  pid_t pid_ = -1;
  int ready_ = -1, result_ = -1;
};

double processor_us(std::thread& thread) {
  clockid_t clock{};
  ::pthread_getcpuclockid(thread.native_handle(), &clock);
  return static_cast<double>(nanoseconds_of(clock)) / 1000;
}

void show(const char* name, std::size_t viewers, double used_us, double heap, const Seen& seen,
          const Sizes& sizes) {
  const auto messages = static_cast<double>(std::max<std::uint64_t>(seen.messages, 1));
  fmt::print("{:<12} {:>7} {:>9.2f} {:>9.0f} {:>8.1f} {:>8.1f} {:>10.0f} {:>7.0f}\n", name, viewers,
             used_us / messages, heap, seen.p50, seen.p99, messages / sizes.seconds,
             static_cast<double>(seen.bytes) / messages);
  std::fflush(stdout);
}

std::size_t heap() { return ::mallinfo2().uordblks; }

Seen gateway(const Sizes& sizes, std::size_t viewers) {
  RaceServer game;
  web::GatewayOptions options;
  options.feed.channel = {"127.0.0.1", game.port};
  options.listen = {"127.0.0.1", 0};
  options.rate = sizes.rate;
  options.viewers = viewers;
  options.site.viewers_per_address = viewers;
  auto opened = web::Gateway::open(std::move(options), Log([](Level, std::string_view) {}));
  if (!opened) {
    fmt::print(stderr, "{}\n", opened.refusal().text());
    std::exit(1);
  }
  web::Gateway& served = **opened;
  std::thread thread([&] { served.run(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // until it has the board
  const std::size_t before = heap();
  const Crowd crowd(served.place().port, sizes, viewers, RaceServer::kChangeEvery);
  crowd.wait_until_ready();
  const double used = processor_us(thread);
  const auto grown = static_cast<double>(heap() - before) / static_cast<double>(viewers);
  const Seen seen = crowd.result();
  show("laurel-web", viewers, processor_us(thread) - used, grown, seen, sizes);
  served.end();
  thread.join();
  return seen;
}

// Sends the same bytes to the same number of sockets, without anything else.
void bare_loop(const Sizes& sizes, std::size_t viewers, std::size_t bytes) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&own), size) != 0 ||
      ::listen(listener, 4096) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    fail("listen");
  }
  std::atomic<bool> ending{false};
  std::thread thread([&] {
    const int epoll = ::epoll_create1(0);
    std::vector<int> sockets;
    while (sockets.size() < viewers) {
      sockets.push_back(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK));
      epoll_event event{};
      event.events = EPOLLIN | EPOLLET;
      ::epoll_ctl(epoll, EPOLL_CTL_ADD, sockets.back(), &event);
    }
    std::vector<epoll_event> events(1024);
    Time next = steady_now();
    while (!ending) {
      const Time now = steady_now();
      if (now < next) {
        ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()),
                     static_cast<int>((next - now) / kMillisecond) + 1);
        continue;
      }
      next = now + static_cast<Time>(kSecond / sizes.rate);
      std::string message =
          fmt::format("event: top\ndata: {{\"score\":{}", static_cast<double>(now) / 1000);
      message.resize(bytes - 2, ' ');
      message += "\n\n";
      for (const int socket : sockets) {
        (void)::send(socket, message.data(), message.size(), MSG_NOSIGNAL);
      }
    }
    for (const int socket : sockets) ::close(socket);
    ::close(epoll);
  });
  const Crowd crowd(ntohs(own.sin_port), sizes, viewers, 0);
  crowd.wait_until_ready();
  const double used = processor_us(thread);
  const Seen seen = crowd.result();
  show("bare loop", viewers, processor_us(thread) - used, 0, seen, sizes);
  ending = true;
  thread.join();
  ::close(listener);
}

Sizes sizes_of(int count, char** words) {
  Sizes sizes;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string value(word.substr(std::min(word.find('=') + 1, word.size())));
    if (word.starts_with("--viewers=")) {
      sizes.viewers.clear();
      for (const char* at = value.c_str(); *at != '\0'; at += *at == ',') {
        char* end = nullptr;
        sizes.viewers.push_back(std::strtoul(at, &end, 10));
        if (end == at) std::exit(2);
        at = end;
      }
    } else if (word.starts_with("--seconds=")) {
      sizes.seconds = std::atoi(value.c_str());
    } else if (word.starts_with("--rate=")) {
      sizes.rate = std::atof(value.c_str());
    } else if (word.starts_with("--slow=")) {
      sizes.slow = std::strtoul(value.c_str(), nullptr, 10);
    } else if (word.starts_with("--warm=")) {
      sizes.warm = std::atoi(value.c_str());
    } else {
      fmt::print(stderr, "bench_web: {} is no option\n", word);
      std::exit(2);
    }
  }
  return sizes;
}

}  // namespace

}  // namespace laurel

int main(int count, char** words) {
  using namespace laurel;
  const Sizes sizes = sizes_of(count, words);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  fmt::print("{:<12} {:>7} {:>9} {:>9} {:>8} {:>8} {:>10} {:>7}\n", "", "viewers", "us/msg",
             "B/viewer", "p50 ms", "p99 ms", "messages/s", "bytes");
  for (const std::size_t viewers : sizes.viewers) {
    const Seen seen = gateway(sizes, viewers);
    bare_loop(sizes, viewers, seen.bytes / std::max<std::uint64_t>(seen.messages, 1));
  }
  return 0;
}
