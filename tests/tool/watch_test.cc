// laurel watch, beside a server with a live channel.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <memory>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "folder.h"
#include "live/server/publisher.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

namespace {

// The program with its standard output on a pipe, or on a terminal of this size.
class Watching {
 public:
  explicit Watching(const std::vector<std::string>& words, const winsize* terminal = nullptr) {
    std::vector<std::string> all = {LAUREL_TOOL, "watch"};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2] = {-1, -1};
    if (terminal != nullptr) {
      REQUIRE(::openpty(&ends[0], &ends[1], nullptr, nullptr, terminal) == 0);
    } else {
      REQUIRE(::pipe(ends) == 0);
    }
    REQUIRE(::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    const std::string errors = folder_ / "err";
    pid_ = ::fork();
    if (pid_ == 0) {
      const int file = ::open(errors.c_str(), O_WRONLY | O_CREAT, 0600);
      if (::dup2(ends[1], 1) < 0 || ::dup2(file, 2) < 0) ::_exit(126);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Watching() {
    if (status_ == kRuns) end(SIGKILL);
    ::close(output_);
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  // What it wrote so far.
  const std::string& text() {
    char bytes[4096];
    for (;;) {
      const ssize_t got = ::read(output_, bytes, sizeof bytes);
      if (got <= 0) return text_;
      text_.append(bytes, static_cast<std::size_t>(got));
    }
  }
  bool ended() {
    int status = 0;
    if (status_ == kRuns && ::waitpid(pid_, &status, WNOHANG) == pid_) keep(status);
    return status_ != kRuns;
  }
  // The status of the exit; -N: by signal N.
  int end(int signal) {
    ::kill(pid_, signal);
    int status = 0;
    if (status_ == kRuns && ::waitpid(pid_, &status, 0) == pid_) keep(status);
    return status_;
  }
  int status() const { return status_; }
  std::string errors() const {
    std::string text;
    std::ifstream in(folder_ / "err");
    std::getline(in, text, '\0');
    return text;
  }

 private:
  static constexpr int kRuns = 1000;

  void keep(int status) { status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

  Folder folder_{"watch"};
  pid_t pid_ = -1;
  int output_ = -1;
  int status_ = kRuns;
  std::string text_;
};

// A server with a board.
struct Game {
  explicit Game(const ServerOptions& options = {}) {
    auto started = Publisher::start(options);
    REQUIRE_MESSAGE(started, started.refusal().text());
    live = started->get();
    registry.attach(std::move(*started));
    board = open_board(registry, "kills");
  }
  void publish() { REQUIRE(live->publish(registry, board, {})); }
  std::string address() const { return fmt::format("127.0.0.1:{}", live->port()); }
  // Ticks until that is so.
  bool until(const std::function<bool()>& holds) {
    const Time end = steady_now() + 20 * kSecond;
    while (steady_now() < end) {
      registry.tick();
      if (holds()) return true;
      ::poll(nullptr, 0, 5);  // the pace of a game loop
    }
    return false;
  }

  Registry registry{RegistryOptions{}};
  Publisher* live = nullptr;
  BoardHandle board;
};

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
       at = end + 1) {
    lines.push_back(Json::parse(text.substr(at, end - at)));
  }
  return lines;
}

}  // namespace

TEST_CASE("watch writes each state of the board as a line of JSON, and ends with 0 on SIGINT") {
  Game game;
  submit(game.registry, game.board, "ada", 10, {}, 1000);
  game.publish();
  Watching watching({game.address(), "kills", "-n", "2"});
  REQUIRE(game.until([&] { return lines_of(watching.text()).size() == 1; }));
  submit(game.registry, game.board, "bob", 20.5, {}, 1001);
  submit(game.registry, game.board, "cleo", 5, {}, 1002);
  REQUIRE(game.until([&] { return lines_of(watching.text()).size() == 2; }));
  CHECK(watching.end(SIGINT) == 0);
  CHECK(watching.errors().empty());
  const std::vector<Json> lines = lines_of(watching.text());
  CHECK(lines[0]["board"] == "kills");
  CHECK(lines[0]["size"] == 1);
  CHECK(lines[0]["entries"].dump() == R"([{"player":"ada","score":10,"rank":1,"at":1000}])");
  CHECK(lines[1]["size"] == 3);
  CHECK(lines[1]["entries"].dump() == R"([{"player":"bob","score":20.5,"rank":1,"at":1001},)"
                                      R"({"player":"ada","score":10,"rank":2,"at":1000}])");
  CHECK(lines[1]["version"] > lines[0]["version"]);
}

TEST_CASE("watch continues after the server was away") {
  auto game = std::make_unique<Game>();
  const std::uint16_t port = game->live->port();
  submit(game->registry, game->board, "ada", 10);
  game->publish();
  Watching watching({game->address(), "kills"});
  REQUIRE(game->until([&] { return lines_of(watching.text()).size() == 1; }));
  game.reset();
  ServerOptions options;
  options.port = port;
  game = std::make_unique<Game>(options);
  submit(game->registry, game->board, "bob", 20);
  game->publish();
  REQUIRE(game->until([&] { return lines_of(watching.text()).size() == 2; }));
  CHECK(lines_of(watching.text())[1]["entries"][0]["player"] == "bob");
  CHECK(watching.end(SIGTERM) == 0);
}

TEST_CASE("watch of a board that is not published ends with 1 and names it") {
  Game game;
  Watching watching({game.address(), "kills"});
  REQUIRE(game.until([&] { return watching.ended(); }));
  CHECK(watching.status() == 1);
  CHECK(watching.text().empty());
  CHECK(watching.errors().starts_with("laurel: unknown: "));
  CHECK(watching.errors().find("kills") != std::string::npos);
}

TEST_CASE("watch gives the server the token of a file, and says why it was refused without") {
  ServerOptions options;
  options.auth = Auth::token;
  Game game(options);
  submit(game.registry, game.board, "ada", 10);
  game.publish();
  Watching stranger({game.address(), "kills"});
  REQUIRE(game.until([&] { return stranger.ended(); }));
  CHECK(stranger.status() == 1);
  CHECK(stranger.errors().starts_with("laurel: unavailable: the server refused the connection: "));

  const Result<Token> token = game.live->token(game.registry, "ada", 60, 1);
  REQUIRE(token);
  const Folder folder("token");
  folder.write("token", to_text(*token) + "\n");
  Watching watching({game.address(), "kills", "--token-file", folder / "token"});
  REQUIRE(game.until([&] { return lines_of(watching.text()).size() == 1; }));
  CHECK(watching.end(SIGINT) == 0);

  const Ran missing = run_tool({"watch", game.address(), "kills", "--token-file", folder / "none"});
  CHECK(missing.status == 1);
  CHECK(missing.complains());
  CHECK(missing.err.find("No such file") != std::string::npos);
}

TEST_CASE("on a terminal, watch draws a table in place, as high as the terminal is") {
  Game game;
  for (int i = 0; i < 8; ++i) {
    submit(game.registry, game.board, fmt::format("player_{}", i), 100 - i, {}, 1000);
  }
  game.publish();
  winsize size{};
  size.ws_row = 10;
  size.ws_col = 80;
  Watching watching({game.address(), "kills"}, &size);
  REQUIRE(
      game.until([&] { return watching.text().find("kills: 8 players") != std::string::npos; }));
  submit(game.registry, game.board, "new\x1b", 1000, {}, 1001);
  REQUIRE(
      game.until([&] { return watching.text().find("kills: 9 players") != std::string::npos; }));
  const std::string text = watching.text();
  const std::string frame = text.substr(text.rfind("\x1b[H"));
  CHECK(frame.find("1  new\\x1b ") != std::string::npos);
  CHECK(frame.find("5  player_3") != std::string::npos);
  CHECK(frame.find("player_4") == std::string::npos);
  CHECK(std::count(frame.begin(), frame.end(), '\n') == 8);
  CHECK(watching.end(SIGINT) == 0);
  CHECK(watching.text().ends_with("\x1b[?7h\x1b[?25h\x1b[?1049l"));
}

TEST_CASE("watch wants a host and a port, and a number of entries that the channel has") {
  for (const char* const address :
       {"localhost", ":7777", "localhost:", "localhost:0", "localhost:65536", "localhost:7x"}) {
    CAPTURE(address);
    const Ran ran = run_tool({"watch", address, "kills"});
    CHECK(ran.status == 2);
    CHECK(ran.complains());
    CHECK(ran.err.find("HOST:PORT") != std::string::npos);
  }
  const Ran ran = run_tool({"watch", "localhost:7777", "kills", "-n", "0"});
  CHECK(ran.status == 1);
  CHECK(ran.err.starts_with("laurel: out_of_range: "));
}
