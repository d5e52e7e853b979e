// The real program: its options, its first line, its end, and its pages.
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "folder.h"
#include "web/game.h"
#include "web/options.h"
#include "web/visitor.h"

namespace laurel::test {
namespace {

// A running laurel-web.
class Program {
 public:
  //   descriptors   its limits, if not this process's
  explicit Program(std::vector<std::string> words, const std::optional<rlimit>& descriptors = {}) {
    words.insert(words.begin(), LAUREL_WEB);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int out[2], err[2];
    REQUIRE(::pipe2(out, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(err, O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (descriptors) ::setrlimit(RLIMIT_NOFILE, &*descriptors);
      ::dup2(out[1], 1);
      ::dup2(err[1], 2);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Program() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(out_);
    ::close(err_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The first line on standard output, without its end.
  std::string line() const {
    std::string text;
    char c = 0;
    while (::read(out_, &c, 1) == 1 && c != '\n') text += c;
    return text;
  }
  std::uint16_t port() const {
    const std::string first = line();
    REQUIRE(first.starts_with("laurel-web listens on http://"));
    return static_cast<std::uint16_t>(std::stoi(first.substr(first.rfind(':') + 1)));
  }
  rlimit descriptors() const {
    rlimit limit{};
    REQUIRE(::prlimit(pid_, RLIMIT_NOFILE, nullptr, &limit) == 0);
    return limit;
  }
  void signal(int number) const { ::kill(pid_, number); }
  // Waits for its end.
  int status() {
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string errors() const { return rest_of(err_); }
  std::string output() const { return rest_of(out_); }

 private:
  static std::string rest_of(int descriptor) {
    std::string text;
    char bytes[4096];
    for (ssize_t size = 0; (size = ::read(descriptor, bytes, sizeof bytes)) > 0;) {
      text.append(bytes, static_cast<std::size_t>(size));
    }
    return text;
  }

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
};

TEST_CASE("a wrong option is named on one line with what is allowed, and the status is 2") {
  struct Case {
    std::vector<std::string> words;
    std::string names, allows;
  };
  const std::vector<std::string> connect = {"--connect", "127.0.0.1:9"};
  for (const Case& each : std::vector<Case>{
           {{}, "--connect", "HOST:PORT"},
           {{"--connect", "nonsense"}, "--connect", "HOST:PORT"},
           {{"--connect", "a:0"}, "--connect", "1 to 65535"},
           {{"--listen", "8080"}, "--listen", "HOST:PORT"},
           {{"--rate", "21"}, "--rate", "1 to 20"},
           {{"--rate", "0.5"}, "--rate", "1 to 20"},
           {{"--rate", "x"}, "--rate", "1 to 20"},
           {{"--viewers", "0"}, "--viewers", "1 to 1000000"},
           {{"--viewers-per-address", "-1"}, "--viewers-per-address", "1 to 1000000"},
           {{"--metrics", "x"}, "--metrics", "HOST:PORT"},
           {{"--origin", "game.example"}, "--origin", "https://game.example"},
           {{"--origin", "https://a/b"}, "--origin", "https://game.example"},
           {{"--token-file", "/none"}, "--token-file", "can be read"},
           {{"--nonsense"}, "--nonsense", "no such option"},
           {{"--rat", "5"}, "--rat", "no such option"},
           {{"-x"}, "-x", "no such option"},
           {{"--behind-proxy=1"}, "--behind-proxy=1", "no such option"},
           {{"--rate", "5", "--rate", "5"}, "--rate", "given twice"},
           {{"--boards", "a,,b"}, "--boards", "commas between"},
           {{"--rate"}, "--rate", "it takes a value"},
           {{"--rate", "5", "words"}, "words", "only options"},
       }) {
    std::vector<std::string> words = each.words;
    if (!words.empty() && words[0] != "--connect") {
      words.insert(words.begin(), connect.begin(), connect.end());
    }
    Program program(words);
    const std::string errors = program.errors();
    CAPTURE(errors);
    CHECK(program.status() == 2);
    CHECK(errors.starts_with("laurel-web: "));
    CHECK(errors.find('\n') + 1 == errors.size());
    CHECK(errors.find(each.names) != std::string::npos);
    CHECK(errors.find(each.allows) != std::string::npos);
  }
}

TEST_CASE("what is not given is as the manual says: the loopback address, and a limit for all") {
  const std::vector<const char*> words = {"laurel-web", "--connect", "game.example:7777"};
  const auto read = web::options_of(static_cast<int>(words.size()), words.data());
  REQUIRE(std::holds_alternative<web::GatewayOptions>(read));
  const auto& options = std::get<web::GatewayOptions>(read);
  CHECK(to_text(options.listen) == "127.0.0.1:8080");
  CHECK(options.rate == 10);
  CHECK(options.viewers == 10'000);
  CHECK(options.site.viewers_per_address == 50);
  CHECK_FALSE(options.site.behind_proxy);
  CHECK(options.site.origins.empty());
  CHECK(options.feed.boards.empty());
  CHECK(options.feed.channel.again_after == 10 * kSecond);
  CHECK_FALSE(options.metrics);
}

TEST_CASE("the soft limit of descriptors is raised to what --viewers takes") {
  Program program({"--connect", "127.0.0.1:9", "--listen", "127.0.0.1:0", "--viewers", "500"},
                  rlimit{64, 2000});
  (void)program.port();
  CHECK(program.descriptors().rlim_cur == 1588);
  CHECK(program.descriptors().rlim_max == 2000);
}

TEST_CASE("too few descriptors for --viewers are status 2 and the number that would do") {
  Program program({"--connect", "127.0.0.1:9", "--listen", "127.0.0.1:0", "--viewers", "5000"},
                  rlimit{64, 2000});
  const std::string errors = program.errors();
  CHECK(program.status() == 2);
  CHECK(errors.starts_with("laurel-web: --viewers 5000: "));
  CHECK(errors.find("6088 descriptors") != std::string::npos);
  CHECK(errors.find("LimitNOFILE=6088") != std::string::npos);
  CHECK(errors.find('\n') + 1 == errors.size());
}

TEST_CASE("its first line says where it listens, on IPv4, IPv6 and a chosen port") {
  for (const std::string host : {"127.0.0.1", "[::1]"}) {
    Program program({"--connect", "127.0.0.1:9", "--listen", host + ":0"});
    const std::string first = program.line();
    CHECK(first.starts_with("laurel-web listens on http://" + host + ":"));
    CHECK_FALSE(first.ends_with(":0"));
    program.signal(SIGTERM);
    CHECK(program.output().empty());
    CHECK(program.status() == 0);
  }
}

TEST_CASE("an address that is taken is status 1 and one line") {
  Program first({"--connect", "127.0.0.1:9", "--listen", "127.0.0.1:0"});
  Program second(
      {"--connect", "127.0.0.1:9", "--listen", fmt::format("127.0.0.1:{}", first.port())});
  const std::string errors = second.errors();
  CHECK(second.status() == 1);
  CHECK(errors.find("cannot listen on 127.0.0.1:") != std::string::npos);
  CHECK(errors.find('\n') + 1 == errors.size());
}

TEST_CASE("it serves a server's boards, and ends on SIGTERM and SIGINT within a second") {
  Game game;
  game.submit(game.publish("kills"), "ada", 1);
  for (const int signal : {SIGTERM, SIGINT}) {
    Program program({"--connect", fmt::format("127.0.0.1:{}", game.port()), "--listen",
                     "127.0.0.1:0", "--boards", "kills,other", "--boards", "third", "--rate", "20",
                     "--viewers", "100", "--origin", "https://game.example/"});
    const std::uint16_t port = program.port();
    REQUIRE(holds_soon([&] { return get(port, "/v1/boards/kills").status == 200; }));
    Visitor viewer(port);
    viewer.get("/v1/boards/kills/live");
    viewer.event();
    viewer.retry = 0;
    const auto clients = [&] {
      std::uint64_t count = 0;
      game.act([&](Registry&, Publisher& publisher) { count = publisher.stats().clients; });
      return count;
    };
    CHECK(clients() == 1);
    const Time begin = steady_now();
    program.signal(signal);
    CHECK(program.status() == 0);
    CHECK(steady_now() - begin < kSecond);
    CHECK_FALSE(viewer.has_event(1000));
    CHECK(viewer.retry > 0);
    CHECK(holds_soon([&] { return clients() == 0; }));
  }
}

TEST_CASE("it says its version and its options") {
  Program version({"--version"});
  CHECK(version.output().starts_with("laurel-web 0."));
  CHECK(version.status() == 0);
  Program help({"--help"});
  const std::string text = help.output();
  CHECK(help.status() == 0);
  for (const std::string_view option :
       {"--connect", "--token-file", "--listen", "--boards", "--rate", "--viewers",
        "--viewers-per-address", "--metrics", "--origin", "--behind-proxy"}) {
    CHECK(text.find(option) != std::string::npos);
  }
}

}  // namespace
}  // namespace laurel::test
