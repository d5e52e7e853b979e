#include "redis_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/core.h>

namespace laurel {

namespace {

// Members that one script adds: the server answers no other client meanwhile.
constexpr std::uint64_t kFillAtOnce = 100'000;
constexpr int kLooksMax = 500;  // attempts until it answers, 10 ms apart

std::string output_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell for: " + command);
  std::string text;
  std::array<char, 4096> part;
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), got);
  }
  if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + command + "\n" + text);
  return text;
}

// The text after a field's name, up to the end of the line.
std::string field_of(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  if (at == std::string::npos) throw std::runtime_error("no " + name + " in: " + text);
  const std::size_t first = at + name.size();
  return text.substr(first, text.find_first_of("\r\n", first) - first);
}

bool is_installed(const char* program) {
  return std::system(("command -v " + std::string(program) + " >/dev/null").c_str()) == 0;
}

// In the child: becomes the server, which dies with its parent.
[[noreturn]] void become_server(const std::string& program, const std::string& directory,
                                const std::string& socket, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(nowhere, fd);
  ::execlp(program.c_str(), program.c_str(), "--port", "0", "--unixsocket", socket.c_str(),
           "--save", "", "--appendonly", "no", "--dir", directory.c_str(),
           static_cast<char*>(nullptr));
  ::_exit(1);
}

}  // namespace

std::unique_ptr<RedisServer> RedisServer::start(const std::string& program,
                                                const std::string& directory,
                                                const std::string& name) {
  for (const char* tool : {"redis-server", "redis-cli", "redis-benchmark"}) {
    if (!is_installed(tool)) return nullptr;
  }
  const std::string socket = directory + "/" + name;
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process for " + program);
  if (process == 0) become_server(program, directory, socket, parent);
  std::unique_ptr<RedisServer> server(new RedisServer(process, socket));
  const std::string ping = "redis-cli -s '" + socket + "' PING >/dev/null 2>&1";
  for (int look = 0; std::system(ping.c_str()) != 0; ++look) {
    if (look == kLooksMax) throw std::runtime_error(program + " does not answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return server;
}

RedisServer::~RedisServer() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

std::string RedisServer::ask(const std::string& command) const {
  return output_of("redis-cli -s '" + socket_ + "' " + command);
}

std::string RedisServer::version() const {
  const std::string info = ask("INFO server");
  const std::string valkey = "valkey_version:";
  if (info.find(valkey) != std::string::npos) return "Valkey " + field_of(info, valkey);
  return "Redis " + field_of(info, "redis_version:");
}

void RedisServer::fill(const std::string& key, std::uint64_t members) const {
  for (std::uint64_t first = 0; first < members; first += kFillAtOnce) {
    const std::uint64_t last = std::min(first + kFillAtOnce, members) - 1;
    ask(
        fmt::format("EVAL 'math.randomseed(ARGV[1])"
                    " for i = ARGV[1], ARGV[2] do"
                    " redis.call(\"ZADD\", KEYS[1], math.random(0, ARGV[3] - 1),"
                    " string.format(\"%012d\", i))"
                    " end' 1 {} {} {} {}",
                    key, first, last, members));
  }
}

void RedisServer::fill_boards(std::uint64_t boards, std::uint64_t members_each) const {
  const std::uint64_t at_once = std::max<std::uint64_t>(1, kFillAtOnce / members_each);
  for (std::uint64_t first = 0; first < boards; first += at_once) {
    const std::uint64_t last = std::min(first + at_once, boards) - 1;
    ask(
        fmt::format("EVAL 'math.randomseed(ARGV[1])"
                    " for board = ARGV[1], ARGV[2] do"
                    " local key = string.format(\"b%012d\", board)"
                    " for i = 0, ARGV[3] - 1 do"
                    " redis.call(\"ZADD\", key, math.random(0, ARGV[3] - 1),"
                    " string.format(\"%012d\", i))"
                    " end end' 0 {} {} {}",
                    first, last, members_each));
  }
}

double RedisServer::run(const std::string& command, std::uint64_t members,
                        std::uint64_t requests) const {
  // A line of headings, and a line that begins with "command","requests a second".
  const std::string answer =
      output_of("redis-benchmark -s '" + socket_ + "' -c 1 -P 64 --csv -r " +
                std::to_string(members) + " -n " + std::to_string(requests) + " " + command);
  return 1e9 / std::stod(field_of(answer, "\"" + command + "\",\""));
}

std::uint64_t RedisServer::bytes() const {
  return std::stoull(field_of(ask("INFO memory"), "used_memory:"));
}

void RedisServer::flush() const { ask("FLUSHALL"); }

}  // namespace laurel
