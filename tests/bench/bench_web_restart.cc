// How soon pages show the newest state after laurel-web was killed and started again under them.
// Viewers come again as the pages do (module/web/pages/stream.js).
//
//   bench_web_restart [VIEWERS] [ROUNDS]      1000 and 5 if not given
//
//   p50, p99, max   seconds from the start of the new program to a state that is newer than it
#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/live/web_game.h"

namespace laurel {

namespace {

constexpr Time kFirst = 250 * kMillisecond, kLast = 2 * kSecond;  // of stream.js
constexpr Time kAway = 500 * kMillisecond;  // between the end and the start, as under systemd

// laurel-web as a process.
class Program {
 public:
  Program(std::uint16_t game, const std::string& listen) {
    int out[2];
    if (::pipe(out) != 0) fail("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(out[1], 1);
      const std::string connect = fmt::format("127.0.0.1:{}", game);
      ::execl(LAUREL_WEB, LAUREL_WEB, "--connect", connect.c_str(), "--listen", listen.c_str(),
              "--viewers-per-address", "10000", static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(out[1]);
    std::string line;
    for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) line += c;
    ::close(out[0]);
    port = static_cast<std::uint16_t>(std::atoi(line.c_str() + line.rfind(':') + 1));
    if (port == 0) fail("laurel-web did not start");
  }
  ~Program() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::uint16_t port = 0;

 private:
  pid_t pid_ = -1;
};

class Viewers {
 public:
  Viewers(std::uint16_t port, std::size_t count)
      : port_(port), epoll_(::epoll_create1(0)), all_(count) {
    for (std::size_t i = 0; i < count; ++i) again_.emplace(0, i);
  }

  // Runs until all have a state that is newer than `since`, or the time is over. Returns how long
  // each took.
  std::vector<double> run_until_newer(Time since, Time until) {
    std::vector<double> took;
    for (Viewer& viewer : all_) viewer.has_newer = false;
    while (took.size() < all_.size() && steady_now() < until) step(since, took);
    return took;
  }
  void run(Time until) {
    std::vector<double> ignored;
    while (steady_now() < until) step(INT64_MAX, ignored);
  }

 private:
  struct Viewer {
    int socket = -1;
    unsigned attempts = 0;
    Time retry = 0;
    bool has_newer = false;
  };

  void step(Time since, std::vector<double>& took) {
    while (!again_.empty() && again_.top().first <= steady_now()) {
      const std::size_t number = again_.top().second;
      again_.pop();
      connect(number);
    }
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, 256, 2);
    for (int i = 0; i < count; ++i) hear(events[i].data.u64, since, took);
  }

  void connect(std::size_t number) {
    Viewer& viewer = all_[number];
    viewer.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port_);
    constexpr std::string_view kRequest =
        "GET /v1/boards/race/live?top=3 HTTP/1.1\r\nHost: a\r\n\r\n";
    if (::connect(viewer.socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 ||
        ::send(viewer.socket, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0) {
      return lose(number);
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, viewer.socket, &event);
  }

  void lose(std::size_t number) {
    Viewer& viewer = all_[number];
    ::close(std::exchange(viewer.socket, -1));
    const Time wait =
        std::min(std::max(viewer.retry, kFirst) << viewer.attempts, std::max(viewer.retry, kLast));
    viewer.attempts = std::min(viewer.attempts + 1, 8U);
    const double part = std::uniform_real_distribution<double>(0.8, 1.1)(random_);
    again_.emplace(steady_now() + static_cast<Time>(static_cast<double>(wait) * part), number);
  }

  void hear(std::size_t number, Time since, std::vector<double>& took) {
    Viewer& viewer = all_[number];
    char bytes[8192];
    const ssize_t size = ::recv(viewer.socket, bytes, sizeof bytes - 1, 0);
    if (size <= 0) return lose(number);
    bytes[size] = '\0';
    viewer.attempts = 0;
    if (const char* const retry = std::strstr(bytes, "retry: ")) {
      viewer.retry = std::atoi(retry + 7) * kMillisecond;
    }
    const char* const score = std::strstr(bytes, "\"score\":");
    if (viewer.has_newer || score == nullptr) return;
    if (std::strtod(score + 8, nullptr) * 1000 < static_cast<double>(since)) return;
    viewer.has_newer = true;
    took.push_back(static_cast<double>(steady_now() - since) / kSecond);
  }

  std::uint16_t port_;
  int epoll_;
  std::vector<Viewer> all_;
  using Again = std::pair<Time, std::size_t>;
  std::priority_queue<Again, std::vector<Again>, std::greater<>> again_;
  std::mt19937_64 random_{1};
};

int measure(std::size_t count, int rounds) {
  const RaceServer game;
  auto program = std::make_unique<Program>(game.port, "127.0.0.1:0");
  const std::string listen = fmt::format("127.0.0.1:{}", program->port);
  Viewers viewers(program->port, count);
  viewers.run_until_newer(steady_now(), steady_now() + 10 * kSecond);
  std::vector<double> all;
  for (int round = 0; round < rounds; ++round) {
    viewers.run(steady_now() + kSecond);
    program.reset();
    viewers.run(steady_now() + kAway);
    const Time begin = steady_now();
    program = std::make_unique<Program>(game.port, listen);
    const auto took = viewers.run_until_newer(begin, begin + 10 * kSecond);
    all.insert(all.end(), took.begin(), took.end());
  }
  std::sort(all.begin(), all.end());
  const std::size_t lost = count * static_cast<std::size_t>(rounds) - all.size();
  if (all.empty()) all.push_back(0);
  fmt::print("{} viewers, {} restarts: p50 {:.2f} s, p99 {:.2f} s, max {:.2f} s, {} without\n",
             count, rounds, all[all.size() / 2], all[all.size() * 99 / 100], all.back(), lost);
  return lost == 0 ? 0 : 1;
}

}  // namespace

}  // namespace laurel

int main(int count, char** words) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t viewers = count > 1 ? std::strtoul(words[1], nullptr, 10) : 1000;
  return laurel::measure(viewers, count > 2 ? std::atoi(words[2]) : 5);
}
