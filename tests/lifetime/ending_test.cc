// Processes that end in every possible way while the writer and the live channel are at work.
#include <chrono>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>

#include <doctest/doctest.h>

#include "folder.h"
#include "lifetime/host_state.h"

extern "C" char** environ;

using laurel::test::Folder;
using laurel::test::HostState;

namespace {

#ifdef LAUREL_SANITIZED
constexpr int kTimes = 15;  // a sanitized process takes several times as long
#else
constexpr int kTimes = 100;
#endif
constexpr std::chrono::seconds kDeadline{30};  // a process takes about 20 ms
constexpr int kPointsPerFrame = 50;            // as in ending.lua

// The game of ending.lua in a separate process.
class Game {
 public:
  Game(const Folder& folder, int frames, const char* way) : out_(folder / "out") {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    std::string host = LAUREL_ENDING_HOST;
    std::string library = LAUREL_LIBRARY;
    std::string script = LAUREL_ENDING_SCRIPT;
    std::string directory = folder / "boards";
    std::string count = std::to_string(frames);
    std::string name = way;
    char* words[] = {host.data(),  library.data(), script.data(), directory.data(),
                     count.data(), name.data(),    nullptr};
    REQUIRE(posix_spawn(&pid_, host.c_str(), &actions, nullptr, words, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Game() {
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
  }
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  void signal(int number) const { kill(pid_, number); }

  // The number of points that the process reported as flushed; 0 before that.
  int flushed() const {
    std::ifstream out(out_);
    std::string word;
    int points = 0;
    out >> word >> points;
    return word == "flushed" && out.peek() == '\n' ? points : 0;
  }

  // Its exit code, or the negative number of the signal that ended it. INT_MIN if it does not end
  // in time.
  int wait() {
    int status = 0;
    if (!within_deadline([&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) return INT_MIN;
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  bool wait_for_flush() const {
    return within_deadline([this] { return flushed() > 0; });
  }

 private:
  template <class Condition>
  static bool within_deadline(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + kDeadline;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  std::string out_;
  pid_t pid_ = 0;
};

int points_kept(const Folder& folder) {
  HostState host;
  host.set("FOLDER", folder / "boards");
  const std::string points = host.text(R"(
    local boards = require("laurel").open { path = FOLDER }
    local points = boards:board("score"):score("all")
    local each = 0
    for entry in boards:board("score"):each() do
      if entry.player ~= "all" then each = each + entry.score end
    end
    assert(each == points, "a tick is torn")
    assert(boards:close())
    return points)");
  CAPTURE(points);
  REQUIRE(points.find_first_not_of("0123456789") == std::string::npos);
  return std::stoi(points);
}

struct Ending {
  int code;
  bool keeps_all;  // including what was played after the flush
};

void ends(const char* way, Ending expected) {
  for (int frames = 0; frames < kTimes; ++frames) {
    CAPTURE(way);
    CAPTURE(frames);
    const Folder folder("ending");
    Game game(folder, frames % 20, way);
    if (expected.code < 0) {
      REQUIRE(game.wait_for_flush());
      game.signal(-expected.code);
    }
    REQUIRE(game.wait() == expected.code);
    const int flushed = game.flushed();
    REQUIRE(flushed > 0);
    const int kept = points_kept(folder);
    REQUIRE(kept >= flushed);
    REQUIRE(kept % kPointsPerFrame == 0);
    if (expected.keeps_all) REQUIRE(kept == flushed + frames % 20 * kPointsPerFrame);
  }
}

}  // namespace

TEST_CASE("a closed Lua state loses no write, whatever was in progress") {
  ends("closed", {7, true});
}
TEST_CASE("a process may return from main with a state that is never closed") {
  ends("never_closed", {7, false});
}
TEST_CASE("a script may end the process with os.exit") { ends("os_exit", {7, false}); }
TEST_CASE("a script may end the process inside a tick") { ends("os_exit_in_a_watch", {7, false}); }
TEST_CASE("a script may end the process while its state closes") {
  ends("os_exit_while_the_state_closes", {7, false});
}
TEST_CASE("another thread may end the process while the game ticks") {
  ends("another_thread", {7, false});
}
TEST_CASE("an uncaught error ends the process with the host's exit code") {
  ends("error", {7, false});
}
TEST_CASE("a signal may end the process at any time") { ends("signal", {-SIGTERM, false}); }
