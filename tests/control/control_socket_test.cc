// The socket by which the command reaches a server.
#include "control/control_socket.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "board/fixture.h"
#include "control/control_client.h"
#include "control/socket_file.h"
#include "folder.h"

using namespace laurel;
using namespace std::chrono_literals;
using Kind = Moderation::Kind;

namespace {

// A registry with a socket, which ticks while a client on another thread asks it.
struct Served {
  explicit Served(const std::string& directory) {
    Result<std::unique_ptr<Registry>> opened =
        Registry::open({.path = directory,
                        .log = Log([this](Level level, std::string_view line) {
                          lines.push_back(fmt::format("{}: {}", word(level), line));
                        }),
                        .control = make_control_socket(directory)});
    REQUIRE_MESSAGE(opened, opened.refusal().c_str());
    registry = std::move(*opened);
  }

  // Ticks until the call on another thread has returned.
  template <typename Call>
  void during(Call call) {
    std::atomic<bool> ended{false};
    std::thread other([&] {
      call();
      ended = true;
    });
    while (!ended) registry->tick();
    other.join();
  }

  std::string ask(const std::string& directory, const Moderation& order) {
    std::string answer;
    during([&] {
      const auto given = ask_server(directory, order, 10s);
      if (!given) {
        answer = "no server";
      } else {
        answer = *given ? **given : std::string(given->refusal().text());
      }
    });
    return answer;
  }

  std::unique_ptr<Registry> registry;
  std::vector<std::string> lines;
};

// A connection that says what the test wants.
class RawClient {
 public:
  explicit RawClient(const std::string& directory)
      : folder_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY)),
        socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    const sockaddr_un address = control_address(folder_.get());
    REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
            0);
  }
  void say(std::string_view bytes) const {
    (void)!::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  // What has come; nothing if the connection has ended.
  std::optional<std::string> heard() const {
    char bytes[4096];
    const ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return std::nullopt;
    return std::string(bytes, got < 0 ? 0 : static_cast<std::size_t>(got));
  }

 private:
  FileDescriptor folder_;
  FileDescriptor socket_;
};

}  // namespace

TEST_CASE("an order is carried out at a tick, logged, and answered when it is on the disk") {
  const test::Folder folder("boards");
  Served served(folder.path());
  const auto board = served.registry->open("b", SpecChange());
  REQUIRE(served.registry->get(*board)->submit(WriteMode::submit, {.player = "eve", .score = 5}));
  CHECK(served.ask(folder.path(), {.kind = Kind::ban, .player = "eve"}) ==
        "player \"eve\" is banned on every board");
  CHECK(served.registry->disk_progress()->waiting_writes == 0);
  CHECK(served.lines.back() ==
        fmt::format("info: control: ban: player \"eve\" is banned on every board (user {}, "
                    "process {})",
                    ::getuid(), ::getpid()));
  CHECK(served.ask(folder.path(), {.kind = Kind::ban, .player = "eve"}) ==
        "player \"eve\" is banned on every board, and was so already");
  CHECK(served.ask(folder.path(), {.kind = Kind::reset, .board = "c"}) ==
        "unknown: no board is called \"c\"");
  CHECK(served.ask(folder.path(), {.kind = Kind::set, .board = "b", .player = "x", .value = "7"}) ==
        "player \"x\" has 7 on board \"b\"");
  REQUIRE(served.registry->close());
  const auto again = Registry::open({.path = folder.path()});
  REQUIRE(again);
  CHECK((*again)->banned() == std::vector<std::string>{"eve"});
  CHECK((*again)->get(*(*again)->find("b"))->score("x") == 7);
}

TEST_CASE("the socket is for its user alone, and is gone when the registry is closed") {
  const test::Folder folder("boards");
  const mode_t before = ::umask(0);
  {
    const Served served(folder.path());
    struct stat facts {};
    REQUIRE(::stat((folder / kControlSocket).c_str(), &facts) == 0);
    CHECK(S_ISSOCK(facts.st_mode));
    CHECK((facts.st_mode & 0777) == 0600);
  }
  ::umask(before);
  CHECK(!std::filesystem::exists(folder / kControlSocket));
  CHECK(!ask_server(folder.path(), {.player = "eve"}, 1s));
}

TEST_CASE("a directory whose path is longer than an address of a socket has one, too") {
  const test::Folder folder("boards");
  const std::string deep = folder / (std::string(100, 'a') + "/" + std::string(100, 'b'));
  Served served(deep);
  CHECK(served.ask(deep, {.kind = Kind::ban, .player = "eve"}) ==
        "player \"eve\" is banned on every board");
}

TEST_CASE("a socket that a crash left is replaced, and is no server before") {
  const test::Folder folder("boards");
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto registry =
        Registry::open({.path = folder.path(), .control = make_control_socket(folder.path())});
    ::_exit(registry ? 0 : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(std::filesystem::exists(folder / kControlSocket));
  CHECK(!ask_server(folder.path(), {.player = "eve"}, 1s));
  Served served(folder.path());
  CHECK(served.ask(folder.path(), {.kind = Kind::ban, .player = "eve"}) ==
        "player \"eve\" is banned on every board");
}

TEST_CASE("if no socket can be made, that is logged once, and the registry works") {
  const test::Folder folder("boards");
  std::filesystem::create_directories(folder / (std::string(kControlSocket) + "/in the way"));
  Served served(folder.path());
  served.registry->tick();
  served.registry->tick();
  REQUIRE(served.lines.size() == 1);
  CHECK(served.lines[0].find("no socket for the command laurel could be made") !=
        std::string::npos);
}

TEST_CASE("a server that does not tick is told of with its process, and the order still happens") {
  const test::Folder folder("boards");
  Served served(folder.path());
  const auto given = ask_server(folder.path(), {.kind = Kind::ban, .player = "eve"}, 50ms);
  REQUIRE(given);
  REQUIRE(!*given);
  CHECK(given->refusal().text() ==
        fmt::format("unavailable: the server does not answer (pid {}); the order may still be "
                    "carried out",
                    ::getpid()));
  served.registry->tick();
  CHECK(served.registry->banned() == std::vector<std::string>{"eve"});
}

TEST_CASE("a registry that closes answers what waits for the disk") {
  const test::Folder folder("boards");
  Served served(folder.path());
  const RawClient client(folder.path());
  client.say(line_of({.kind = Kind::ban, .player = "eve"}) + "\n");
  served.registry->tick();
  REQUIRE(served.registry->banned().size() == 1);
  REQUIRE(served.registry->close());
  CHECK(client.heard() == "{\"done\":\"player \\\"eve\\\" is banned on every board\"}\n");
}

TEST_CASE("a connection may give several orders, in parts and together") {
  const test::Folder folder("boards");
  Served served(folder.path());
  const RawClient client(folder.path());
  const std::string line = line_of({.kind = Kind::ban, .player = "eve"}) + "\n";
  std::string heard;
  for (const char byte : line) {
    client.say({&byte, 1});
    served.registry->tick();
  }
  client.say(line + "nonsense\n");
  const Time began = steady_now();
  while (std::ranges::count(heard, '\n') < 3 && steady_now() < began + 10 * kSecond) {
    served.registry->tick();
    heard += client.heard().value_or("");
  }
  CHECK(std::ranges::count(heard, '\n') == 3);
  CHECK(heard.find("was so already") != std::string::npos);
  CHECK(heard.find("{\"refused\":\"bad_data: ") != std::string::npos);
}

TEST_CASE("a line without an end closes its connection, and others are served") {
  const test::Folder folder("boards");
  Served served(folder.path());
  const RawClient endless(folder.path());
  const std::string bytes(1024, 'x');
  const Time began = steady_now();
  while (endless.heard() && steady_now() < began + 10 * kSecond) {
    endless.say(bytes);
    served.registry->tick();
  }
  CHECK(!endless.heard());
  CHECK(served.ask(folder.path(), {.kind = Kind::ban, .player = "eve"}) ==
        "player \"eve\" is banned on every board");
}

TEST_CASE("clients beyond the limit wait, and get their turn when others leave") {
  const test::Folder folder("boards");
  Served served(folder.path());
  std::vector<std::unique_ptr<RawClient>> idle;
  for (std::size_t i = 0; i < kControlClientsMax; ++i) {
    idle.push_back(std::make_unique<RawClient>(folder.path()));
  }
  const RawClient late(folder.path());
  late.say(line_of({.kind = Kind::ban, .player = "eve"}) + "\n");
  for (int i = 0; i < 10; ++i) served.registry->tick();
  CHECK(served.registry->banned().empty());
  idle.pop_back();
  for (int i = 0; i < 10; ++i) served.registry->tick();
  CHECK(served.registry->banned().size() == 1);
}

TEST_CASE("a client that is gone before its answer costs nothing") {
  const test::Folder folder("boards");
  Served served(folder.path());
  {
    const RawClient client(folder.path());
    client.say(line_of({.kind = Kind::ban, .player = "eve"}) + "\n");
  }
  for (int i = 0; i < 10; ++i) served.registry->tick();
  CHECK(served.registry->banned().size() == 1);
  CHECK(served.ask(folder.path(), {.kind = Kind::unban, .player = "eve"}) ==
        "player \"eve\" is not banned on every board");
}

TEST_CASE("a forked child that ends leaves the socket to its parent") {
  const test::Folder folder("boards");
  Served served(folder.path());
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    served.registry.reset();
    ::_exit(0);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(served.ask(folder.path(), {.kind = Kind::ban, .player = "eve"}) ==
        "player \"eve\" is banned on every board");
}
