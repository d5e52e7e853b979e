#include "local_engine.h"

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/steady_clock.h"

namespace laurel {

namespace {

constexpr Time kStartsWithin = 120 * kSecond;  // on a busy machine

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  (void)bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  (void)getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return ntohs(address.sin_port);
}

bool accepts(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(port);
  const bool connected =
      connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(socket);
  return connected;
}

class Engine {
 public:
  Engine() {
    if (const char* given = std::getenv("LAUREL_DYNAMODB_ENDPOINT")) {
      endpoint = given;
      return;
    }
    const std::string fetch =
        fmt::format("'{}' '{}' 1>&2", LAUREL_FETCH_LOCAL, LAUREL_DYNAMODB_LOCAL);
    if (std::system(fetch.c_str()) != 0) {
      std::fputs("SKIPPED: no DynamoDB Local: boards in DynamoDB are NOT tested here\n", stderr);
      return;
    }
    const std::uint16_t port = free_port();
    start(port);
    const Time until = steady_now() + kStartsWithin;
    while (!accepts(port)) {
      if (steady_now() > until || waitpid(process_, nullptr, WNOHANG) != 0) {
        std::fputs("SKIPPED: DynamoDB Local does not start: boards in DynamoDB are NOT tested\n",
                   stderr);
        return;
      }
      usleep(20'000);
    }
    endpoint = fmt::format("http://127.0.0.1:{}", port);
  }

  ~Engine() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  bool signal(int number) const { return process_ > 0 && kill(process_, number) == 0; }

  std::optional<std::string> endpoint;

 private:
  void start(std::uint16_t port) {
    const std::string folder = LAUREL_DYNAMODB_LOCAL "/engine";
    const std::string library = fmt::format("-Djava.library.path={}/DynamoDBLocal_lib", folder);
    const std::string jar = fmt::format("{}/DynamoDBLocal.jar", folder);
    const std::string number = std::to_string(port);
    process_ = fork();
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execlp("java", "java", "-XX:TieredStopAtLevel=1", library.c_str(), "-jar", jar.c_str(),
           "-inMemory", "-sharedDb", "-disableTelemetry", "-port", number.c_str(), nullptr);
    _exit(127);
  }

  pid_t process_ = 0;
};

const Engine& engine() {
  static const Engine kEngine;
  return kEngine;
}

}  // namespace

const std::optional<std::string>& local_engine() { return engine().endpoint; }

bool signal_local_engine(int signal) { return engine().signal(signal); }

std::string fresh_url(const std::string& endpoint) {
  return fmt::format("dynamodb://eu-west-1/t{:016x}?endpoint={}", random_u64(), endpoint);
}

}  // namespace laurel
