// The progress bar of words that take longer than a second.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "folder.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

TEST_CASE("work over a second shows a bar on a terminal, which is erased at the end") {
  const Folder folder("boards");
  make_boards(folder / "from", [](Registry& registry) { open_board(registry, "kills"); });
  const std::string lines = run_tool({"export", folder / "from", "-"}).out;
  const std::string to = folder / "to";
  int input[2] = {-1, -1};
  int errors[2] = {-1, -1};  // the terminal's two ends
  REQUIRE(::pipe2(input, O_CLOEXEC) == 0);
  REQUIRE(::openpty(&errors[0], &errors[1], nullptr, nullptr, nullptr) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::dup2(input[0], 0) < 0 || ::dup2(errors[1], 2) < 0) ::_exit(126);
    ::execl(LAUREL_TOOL, "laurel", "import", to.c_str(), "-", nullptr);
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(errors[1]);
  REQUIRE(::fcntl(errors[0], F_SETFL, O_NONBLOCK) == 0);
  std::string shown;
  const auto read_more = [&] {
    char bytes[256];
    for (;;) {
      const ssize_t got = ::read(errors[0], bytes, sizeof bytes);
      if (got <= 0) return;
      shown.append(bytes, static_cast<std::size_t>(got));
    }
  };
  // It waits for the file, so that its work takes as long as this test wants.
  const Time end = steady_now() + 20 * kSecond;
  while (shown.find('#') == std::string::npos && steady_now() < end) {
    pollfd waiting{.fd = errors[0], .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, 100);
    read_more();
  }
  CHECK_MESSAGE(shown.find("] writing") != std::string::npos, shown);
  CHECK(::write(input[1], lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()));
  ::close(input[1]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  read_more();
  ::close(errors[0]);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK_MESSAGE(shown.ends_with("\r\x1b[K"), shown);
  CHECK(run_tool({"boards", to, "--json"}).json().size() == 1);
}
