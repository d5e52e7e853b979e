// The cost of the live channel: thousands of clients on loopback, in a process of their own, follow
// one board of 10,000 members at 20 ticks a second.
//
//   bench_live [--clients=1000,4000] [--seconds=N] [--parts=123] [--rows=12345] [--tokens]
//              [--quick]
//
//   1  clients that keep up: what of the board changes at each tick, and what that costs
//   2  clients that hang: what each of them costs in memory
//   3  the game thread's tick over 1,000 published boards
//   rows      of parts 1 and 2: what happens to the board
//   tokens    each row of part 1 is measured a second time, with tokens: encrypted. `times` is the
//             live thread's time for a message, compared with that in clear
//   live      share of one core that the live thread takes; on loopback this includes the kernel's
//             delivery of a datagram to its receiver
//   bare      the share of a loop that sends the same number of datagrams of that size, and reads a
//             short answer to each: what the system alone needs (bare_exchange.h)
//   waits     share of the time in which that thread was ready to run and had no processor
//   us/msg    CPU time of the live thread for each message sent or received
//   game us   CPU time of the game thread for each tick, without the ten or more submissions
//   updates   states a second that each client received
//   p50, p99  milliseconds from the commit to the client, which reads once a millisecond
//   B/s       bytes a second that each client received, headers of IPv4 and UDP included
//   lost      datagrams that found the server's socket full, a second
//   crowd     share of one core that the clients take
//
// Two processes share the machine. If it is busy with others, or has fewer than two cores,
// latencies are those of the scheduler, and CPU times are more reliable.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <dirent.h>
#include <fstream>
#include <functional>
#include <malloc.h>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "bench/live/bare_exchange.h"
#include "bench/live/live_crowd.h"
#include "board/spec/spec_change.h"
#include "live/limits.h"
#include "live/server/publisher.h"
#include "measure.h"
#include "registry/registry.h"

namespace laurel {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr std::size_t kMembers = 10'000;
constexpr std::size_t kTop = 100;
constexpr const char* kBoard = "season_3";
constexpr const char* kLiveThread = "laurel-live";
constexpr std::size_t kBareClients = 1000;

struct Work {
  const char* name = "";
  std::size_t top = 10;     // entries that the clients follow
  std::size_t changes = 0;  // scores that change each tick, of the players in the top
  bool churn = false;
};

constexpr Work kWorks[] = {
    {"idle", 10, 0},
    {"idle, one comes and goes", 10, 0, true},
    {"top 10, all change", 10, 10},
    {"top 100, ten change", 100, 10},
    {"top 100, all change", 100, 100},
};

struct Sizes {
  std::vector<std::size_t> clients{1000, 4000};
  int seconds = 10;
  int stopped_seconds = 30;
  std::size_t boards = 1000;
  std::size_t ticks = 1000;
  std::string parts = "123";
  std::string rows = "12345";
  bool tokens = false;

  bool has(char part) const { return parts.find(part) != std::string::npos; }
  bool has_row(const Work& work) const {
    return rows.find(static_cast<char>('1' + (&work - kWorks))) != std::string::npos;
  }
};

void must(const Status& status) {
  if (!status) throw std::runtime_error(std::string(status.refusal().message()));
}

std::unique_ptr<Registry> opened() {
  auto registry = Registry::open({.path = "",
                                  .durability = Durability::tick,
                                  .clock = nullptr,
                                  .log = Log([](Level, std::string_view) {}),
                                  .rules = nullptr,
                                  .secret = HashSecret::fixed(1)});
  if (!registry) throw std::runtime_error(std::string(registry.refusal().message()));
  return std::move(*registry);
}

std::string member(std::size_t number) { return fmt::format("player{:06}", number); }

void submit(Board& board, std::size_t number, double score) {
  const auto outcome = board.submit(WriteMode::submit, {.player = member(number), .score = score});
  if (!outcome) throw std::runtime_error(std::string(outcome.refusal().message()));
}

Board& board_of(Registry& registry, const std::string& name, std::size_t members) {
  SpecChange spec;
  (void)spec.set("keep", "latest");
  Board& board = *registry.get(*registry.open(name, spec));
  for (std::size_t i = 0; i < members; ++i) submit(board, i, static_cast<double>(members - i));
  return board;
}

// ---- counters of the system about the server

struct Share {
  double ran = 0;     // seconds running
  double waited = 0;  // seconds ready to run, without a processor
};

Share share_of_thread(const std::string& name) {
  DIR* const tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) throw std::runtime_error("no /proc");
  Share share{-1, 0};
  while (const dirent* const task = ::readdir(tasks)) {
    const std::string directory = std::string("/proc/self/task/") + task->d_name;
    std::string called;
    std::getline(std::ifstream(directory + "/comm"), called);
    double ran = 0, waited = 0;  // nanoseconds
    if (called == name && std::ifstream(directory + "/schedstat") >> ran >> waited)
      share = {ran * 1e-9, waited * 1e-9};
  }
  ::closedir(tasks);
  if (share.ran < 0) throw std::runtime_error("there is no thread " + name);
  return share;
}

// Datagrams dropped because the socket on that port was full.
double dropped_at(std::uint16_t port) {
  std::ifstream sockets("/proc/net/udp");
  std::string line;
  const std::string wanted = fmt::format(":{:04X} ", port);
  while (std::getline(sockets, line)) {
    if (line.find(wanted) >= 20) continue;
    return std::stod(line.substr(line.find_last_of(' ', line.find_last_not_of(' '))));
  }
  return 0;
}

std::size_t allocated() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// ---- a server with its board, and the clients' process

struct Costs {
  Samples live, waits, each, game, updates, median, p99, bytes, lost, crowd;
};

class Stage {
 public:
  Stage(std::size_t clients, const Work& work, bool tokens = false)
      : work_(work), clients_(clients), registry_(opened()) {
    ServerOptions options;
    options.clients = std::min(clients + 8, kLiveClientsMax);
    options.clients_per_address = options.clients;
    if (tokens) options.auth = Auth::token;
    auto live = Publisher::start(options);
    if (!live) throw std::runtime_error(std::string(live.refusal().message()));
    live_ = live->get();
    registry_->attach(std::move(*live));
    board_ = &board_of(*registry_, kBoard, kMembers);
    for (std::size_t i = 0; i < kTop; ++i) submit(*board_, i, any_high());
    must(live_->publish(*registry_, *registry_->find(kBoard), {.top = kTop}));
    std::string token;
    if (tokens) token = to_text(*live_->token(*registry_, "anyone", 3600, kLiveTokenUsesMax));
    crowd_ = std::make_unique<Crowd>(CrowdOptions{.port = live_->port(),
                                                  .clients = clients,
                                                  .top = work.top,
                                                  .board = kBoard,
                                                  .token = token,
                                                  .churn = work.churn},
                                     stamps_);
    play(std::chrono::seconds(60), [&] { return crowd_->report().served >= clients; });
    if (crowd_->report().served < clients) throw std::runtime_error("not all clients were served");
  }

  // Ticks until the time is over, or enough() returns true; it is called once a second.
  void play(std::chrono::milliseconds time, const std::function<bool()>& enough = nullptr) {
    auto next = SteadyClock::now();
    const auto end = next + time;
    for (std::size_t ticks = 0; next < end; ++ticks) {
      change();
      const Spent before = time_so_far();
      registry_->tick();
      game_.add((time_so_far() - before).cpu * 1e6);
      next += kTick;
      std::this_thread::sleep_until(next);
      if (enough && ticks % 20 == 19 && enough()) return;
    }
  }

  void measure(int seconds, Costs& costs) {
    crowd_->begin();
    game_ = {};
    const ServerStats before = live_->stats();
    const double lost = dropped_at(live_->port());
    const Share share = share_of_thread(kLiveThread);
    const double wall = time_so_far().wall;
    play(std::chrono::seconds(seconds));
    const CrowdReport crowd = crowd_->report();
    const ServerStats after = live_->stats();
    const Share now = share_of_thread(kLiveThread);
    const double spent = now.ran - share.ran;
    const double passed = time_so_far().wall - wall;
    const auto clients = static_cast<double>(clients_);
    const auto messages =
        static_cast<double>(after.sent + after.received - before.sent - before.received);
    costs.live.add(spent / passed * 100);
    costs.waits.add((now.waited - share.waited) / passed * 100);
    costs.each.add(messages == 0 ? 0 : spent * 1e6 / messages);
    costs.game.add(game_.median());
    costs.updates.add(static_cast<double>(crowd.states) / passed / clients);
    costs.median.add(crowd.median / 1000);
    costs.p99.add(crowd.p99 / 1000);
    costs.bytes.add(static_cast<double>(crowd.bytes) / passed / clients);
    costs.lost.add((dropped_at(live_->port()) - lost) / passed);
    costs.crowd.add(crowd.cpu / passed * 100);
    if (crowd.lost > 0)
      std::printf("%llu connections were lost\n", static_cast<unsigned long long>(crowd.lost));
  }

  Crowd& crowd() { return *crowd_; }
  ServerStats stats() const { return live_->stats(); }

 private:
  double any_high() { return 1e6 + static_cast<double>(random_() % 1'000'000'000) / 1000; }

  void change() {
    if (work_.changes == 0) return;
    const std::size_t among = work_.top;
    for (std::size_t i = 0; i < work_.changes; ++i) {
      const std::size_t number = work_.changes == among ? i : random_() % among;
      submit(*board_, number, (among < kTop ? 1e6 : 0) + any_high());
    }
    stamps_.note(board_->version(), monotonic_microseconds());
  }

  Work work_;
  std::size_t clients_;
  Stamps stamps_;
  std::unique_ptr<Registry> registry_;
  Publisher* live_ = nullptr;  // owned by the registry
  Board* board_ = nullptr;
  std::mt19937_64 random_{1};
  Samples game_;
  std::unique_ptr<Crowd> crowd_;  // last: it ends before the server does
};

// ---- 1

// The size of a state, without the headers of IPv4 and UDP.
std::size_t bytes_of(const Costs& costs) {
  constexpr double kHeaderBytes = 28;
  return static_cast<std::size_t>(
      std::max(1.0, costs.bytes.median() / costs.updates.median() - kHeaderBytes));
}

// Returns microseconds of the live thread for a message.
double keep_up(const Sizes& sizes, std::size_t clients, const Work& work, bool tokens) {
  Stage stage(clients, work, tokens);
  stage.play(std::chrono::seconds(2));
  Costs costs;
  for (int part = 0; part < 3; ++part) stage.measure(std::max(1, sizes.seconds / 3), costs);
  const double updates = costs.updates.median();
  const double exchanges = updates * static_cast<double>(clients);  // a second
  const double bare =
      exchanges == 0 ? 0 : exchanges * bare_exchange_us(bytes_of(costs), kBareClients) * 1e-4;
  std::printf(
      "%7zu %-25s %5.1f%% %5.1f%% %5.1f%% %7.2f %8.1f %8.2f %7.1f %7.1f %8.0f %7.0f %5.1f%%\n",
      clients, fmt::format("{}{}", work.name, tokens ? ", tokens" : "").c_str(),
      costs.live.median(), bare, costs.waits.median(), costs.each.median(), costs.game.median(),
      updates, costs.median.median(), costs.p99.median(), costs.bytes.median(), costs.lost.median(),
      costs.crowd.median());
  return costs.each.median();
}

void clients_that_keep_up(const Sizes& sizes) {
  std::printf("\n1. %d s a row, in three parts of which the medians are shown\n", sizes.seconds);
  std::printf("%7s %-25s %6s %6s %6s %7s %8s %8s %7s %7s %8s %7s %6s\n", "clients", "", "live",
              "bare", "waits", "us/msg", "game us", "updates", "p50", "p99", "B/s", "lost/s",
              "crowd");
  for (const std::size_t clients : sizes.clients) {
    for (const Work& work : kWorks) {
      if (!sizes.has_row(work)) continue;
      const double in_clear = keep_up(sizes, clients, work, false);
      if (!sizes.tokens) continue;
      const double encrypted = keep_up(sizes, clients, work, true);
      std::printf("%7zu %-25s %.2f times\n", clients, "  with tokens, compared",
                  encrypted / in_clear);
    }
  }
}

// ---- 2

void clients_that_stop(const Sizes& sizes) {
  std::printf("\n2. bytes more for each of %zu clients that stopped\n", sizes.clients.front());
  std::printf("%-25s %10s %10s %10s %10s\n", "", "after 5 s",
              fmt::format("{} s", sizes.stopped_seconds).c_str(), "most", "left then");
  for (const Work& work : kWorks) {
    if (!sizes.has_row(work)) continue;
    const std::size_t clients = sizes.clients.front();
    Stage stage(clients, work);
    stage.play(std::chrono::seconds(2));
    const std::size_t before = allocated();
    stage.crowd().stop();
    Samples more;
    for (int second = 0; second < sizes.stopped_seconds; ++second) {
      stage.play(std::chrono::seconds(1));
      more.add((static_cast<double>(allocated()) - static_cast<double>(before)) /
               static_cast<double>(clients));
      if (second == 4) std::printf("%-25s %10.0f", work.name, more.most());
    }
    const double last = (static_cast<double>(allocated()) - static_cast<double>(before)) /
                        static_cast<double>(clients);
    std::printf(" %10.0f %10.0f %10llu\n", last, more.most(),
                static_cast<unsigned long long>(stage.stats().clients));
  }
}

// ---- 3

// The median tick, in microseconds of the thread's CPU time.
double tick_of(Registry& registry, std::size_t ticks, const std::function<void()>& before_each) {
  Samples spent;
  for (std::size_t i = 0; i < ticks; ++i) {
    before_each();
    const Spent before = time_so_far();
    registry.tick();
    spent.add((time_so_far() - before).cpu * 1e6);
  }
  return spent.median();
}

void published_boards(const Sizes& sizes) {
  const auto registry = opened();
  std::vector<Board*> boards;
  for (std::size_t i = 0; i < sizes.boards; ++i)
    boards.push_back(&board_of(*registry, fmt::format("board {}", i), 2 * kTop));
  std::mt19937_64 random(1);
  const auto nothing = [] {};
  const auto one = [&] {
    submit(*boards[random() % boards.size()], random() % kTop,
           1000 + static_cast<double>(random() % 1000));
  };
  std::printf("\n3. microseconds of a tick with %zu boards of %zu members, median of %zu\n",
              sizes.boards, 2 * kTop, sizes.ticks);
  std::printf("%-25s %12s %12s\n", "", "none changes", "one changes");
  std::printf("%-25s %12.2f", "nothing is published", tick_of(*registry, sizes.ticks, nothing));
  std::printf(" %12.2f\n", tick_of(*registry, sizes.ticks, one));
  auto live = Publisher::start({});
  if (!live) throw std::runtime_error(std::string(live.refusal().message()));
  Publisher& shown = **live;
  registry->attach(std::move(*live));
  for (const std::size_t top : {std::size_t{10}, kTop}) {
    for (std::size_t i = 0; i < boards.size(); ++i)
      must(shown.publish(*registry, *registry->find(boards[i]->name()), {.top = top}));
    std::printf("%-25s %12.2f", fmt::format("their top {}", top).c_str(),
                tick_of(*registry, sizes.ticks, nothing));
    std::printf(" %12.2f\n", tick_of(*registry, sizes.ticks, one));
  }
}

void run(const Sizes& sizes) {
  std::printf("load %.1f at the beginning\n", load_average());
  if (sizes.has('1')) clients_that_keep_up(sizes);
  if (sizes.has('2')) clients_that_stop(sizes);
  if (sizes.has('3')) published_boards(sizes);
  std::printf("\nload %.1f at the end\n", load_average());
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  if (laurel::run_crowd(argc, argv)) return 0;
  laurel::Sizes sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("--clients=")) {
      sizes.clients.clear();
      std::istringstream list(value);
      for (std::string each; std::getline(list, each, ',');)
        sizes.clients.push_back(std::stoul(each));
    } else if (word.starts_with("--seconds=")) {
      sizes.seconds = std::stoi(value);
    } else if (word.starts_with("--parts=")) {
      sizes.parts = value;
    } else if (word.starts_with("--rows=")) {
      sizes.rows = value;
    } else if (word == "--tokens") {
      sizes.tokens = true;
    } else if (word == "--quick") {
      sizes = {.clients = {200}, .seconds = 3, .stopped_seconds = 6, .boards = 100, .ticks = 100};
    } else {
      std::fprintf(stderr,
                   "usage: bench_live [--clients=1000,4000] [--seconds=N] [--parts=123] "
                   "[--rows=12345] [--tokens] [--quick]\n");
      return 2;
    }
  }
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  try {
    laurel::run(sizes);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_live: %s\n", failure.what());
    return 1;
  }
}
