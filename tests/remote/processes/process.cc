#include "process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/steady_clock.h"

namespace laurel {

namespace {

constexpr std::size_t kShownLines = 12;

// True if the first word of the line is `word`.
bool begins_with(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ');
}

std::string behind(const std::string& line, const std::string& word) {
  return line.size() > word.size() ? line.substr(word.size() + 1) : std::string();
}

}  // namespace

Process::Process(const std::string& script, const std::vector<std::string>& words) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  REQUIRE(::pipe2(in.data(), O_CLOEXEC) == 0);
  REQUIRE(::pipe2(out.data(), O_CLOEXEC) == 0);
  std::vector<std::string> all = {LAUREL_SERVER_HOST, LAUREL_PROCESS_SCRIPTS "/" + script};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  REQUIRE(process_ >= 0);
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  tells_ = in[1];
  says_ = out[0];
  (void)::fcntl(says_, F_SETFL, O_NONBLOCK);
}

Process::~Process() {
  if (process_ > 0) kill();
}

void Process::tell(std::string_view line) const {
  const std::string whole = std::string(line) + "\n";
  if (::write(tells_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) {
    fail("it does not listen any more");
  }
}

void Process::listen(Time within) {
  pollfd wanted{says_, POLLIN, 0};
  if (says_ < 0 || ::poll(&wanted, 1, static_cast<int>(within / kMillisecond)) <= 0) return;
  std::array<char, 65536> part;
  ssize_t got = 0;
  while ((got = ::read(says_, part.data(), part.size())) > 0) {
    rest_.append(part.data(), static_cast<std::size_t>(got));
  }
  if (got == 0) {  // the process has ended
    ::close(says_);
    says_ = -1;
  }
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    said_.push_back(rest_.substr(begin, end - begin));
  }
  rest_.erase(0, begin);
}

void Process::fail(const std::string& why) const {
  std::string last;
  for (std::size_t i = said_.size() - std::min(said_.size(), kShownLines); i < said_.size(); ++i) {
    last += "\n  " + said_[i];
  }
  FAIL(why << "; it said last:" << last);
  std::abort();  // not reached: FAIL throws
}

std::string Process::wait_for(const std::string& word, Time within) {
  const Time until = steady_now() + within;
  for (;;) {
    for (; heard_ < said_.size(); ++heard_) {
      if (begins_with(said_[heard_], word)) return behind(said_[heard_++], word);
    }
    if (says_ < 0) fail("it has ended, and never said \"" + word + "\"");
    if (steady_now() > until) fail("waited for \"" + word + "\"");
    listen(100 * kMillisecond);
  }
}

std::vector<std::string> Process::wait_for_all(const std::string& word, const std::string& last) {
  const std::size_t first = heard_;
  wait_for(last);
  std::vector<std::string> found;
  for (std::size_t i = first; i < heard_; ++i) {
    if (begins_with(said_[i], word)) found.push_back(behind(said_[i], word));
  }
  return found;
}

int Process::reap() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  ::close(tells_);
  while (says_ >= 0) listen(100 * kMillisecond);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void Process::kill() {
  ::kill(process_, SIGKILL);
  reap();
}

int Process::finish() {
  ::close(tells_);
  tells_ = -1;
  while (says_ >= 0) listen(100 * kMillisecond);  // until it has closed its standard output
  return reap();
}

}  // namespace laurel
