#include "tool/progress_bar.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace laurel::tool {

namespace {

constexpr std::chrono::seconds kBegins{1};
constexpr std::chrono::milliseconds kRedraws{150};
constexpr std::size_t kBarColumns = 30;

std::atomic<const char*> doing_now{"working"};
std::atomic<std::uint64_t> parts_done{0};
std::atomic<std::uint64_t> parts_all{0};

}  // namespace

ProgressBar::ProgressBar() {
  if (::isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { run(); });
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

void ProgressBar::tell(const char* doing, std::uint64_t done, std::uint64_t all) {
  doing_now = doing;
  parts_done = done;
  parts_all = all;
}

void ProgressBar::run() {
  std::unique_lock lock(mutex_);
  if (wakes_.wait_for(lock, kBegins, [this] { return ends_; })) return;
  for (unsigned round = 0; !ends_; ++round) {
    draw(round);
    wakes_.wait_for(lock, kRedraws, [this] { return ends_; });
  }
  std::fputs("\r\x1b[K", stderr);
}

// A bar, or, if it is unknown how much there is, a mark that moves.
void ProgressBar::draw(unsigned round) {
  std::string bar(kBarColumns, '.');
  std::string percent;
  const std::uint64_t all = parts_all;
  if (all > 0) {
    const std::uint64_t done = std::min<std::uint64_t>(parts_done, all);
    bar.replace(0, done * kBarColumns / all, done * kBarColumns / all, '#');
    percent = " " + std::to_string(done * 100 / all) + "%";
  } else {
    bar[round % kBarColumns] = '#';
  }
  std::fprintf(stderr, "\r\x1b[K[%s]%s %s", bar.c_str(), percent.c_str(), doing_now.load());
  std::fflush(stderr);
}

}  // namespace laurel::tool
