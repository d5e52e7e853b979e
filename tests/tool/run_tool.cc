#include "tool/run_tool.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "board/spec/spec_change.h"
#include "control/control_socket.h"
#include "folder.h"

namespace laurel::test {

namespace {

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void become(const char* file, int descriptor, int flags) {
  const int opened = ::open(file, flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

Ran run(std::vector<std::string> words, const std::string& input) {
  const Folder folder("run");
  folder.write("in", input);
  const std::string in = folder / "in";
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    become(in.c_str(), 0, O_RDONLY);
    become(out.c_str(), 1, O_WRONLY | O_CREAT | O_TRUNC);
    become(err.c_str(), 2, O_WRONLY | O_CREAT | O_TRUNC);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  Ran ran{.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          .out = content_of(out),
          .err = content_of(err)};
  return ran;
}

}  // namespace

Ran run_tool(const std::vector<std::string>& words, const std::string& input) {
  std::vector<std::string> all = {LAUREL_TOOL};
  all.insert(all.end(), words.begin(), words.end());
  return run(std::move(all), input);
}

Ran run_shell(const std::string& command) {
  return run({"/bin/bash", "-c", "laurel='" LAUREL_TOOL "'\n" + command}, "");
}

void make_boards(const std::string& directory, const std::function<void(Registry&)>& fill) {
  RegistryOptions options;
  options.path = directory;
  auto registry = Registry::open(std::move(options));
  REQUIRE_MESSAGE(registry, registry.refusal().c_str());
  fill(**registry);
  REQUIRE((*registry)->close());
}

BoardHandle open_board(Registry& registry, std::string_view name,
                       const std::vector<std::pair<std::string, FieldValue>>& fields) {
  SpecChange change;
  for (const auto& [field, value] : fields) REQUIRE(change.set(field, value));
  const auto board = registry.open(name, change);
  REQUIRE_MESSAGE(board, board.refusal().c_str());
  return *board;
}

void submit(Registry& registry, BoardHandle board, std::string_view player, double score,
            std::optional<std::string_view> data, std::optional<double> at) {
  const Submission submission{.player = player, .score = score, .data = data, .at = at};
  const auto done = registry.get(board)->submit(WriteMode::submit, submission);
  REQUIRE_MESSAGE(done, done.refusal().c_str());
}

struct Server::Shared {
  std::atomic<std::uint64_t> commits{0};
};

Server::Server(const std::string& directory, const Fill& fill, const Fill& change, Control control)
    : shared_(new (::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared) {
  pid_ = ::fork();
  REQUIRE(pid_ >= 0);
  if (pid_ > 0) {
    wait_for_commits(1);
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    serve(directory, fill, change, control);
  } catch (...) {  // a REQUIRE of `fill`, in a process that must not continue with tests
  }
  ::_exit(1);
}

void Server::serve(const std::string& directory, const Fill& fill, const Fill& change,
                   Control control) {
  RegistryOptions options;
  options.path = directory;
  if (control == Control::yes) options.control = make_control_socket(directory);
  auto registry = Registry::open(std::move(options));
  if (!registry) return;
  fill(**registry);
  if (!(*registry)->flush()) return;
  ++shared_->commits;
  while (!change) ::pause();
  for (;;) {
    change(**registry);
    (*registry)->tick();
    if (!(*registry)->flush()) return;
    ++shared_->commits;
  }
}

Server::~Server() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::munmap(shared_, sizeof(Shared));
}

void Server::wait_for_commits(std::uint64_t more) const {
  const std::uint64_t wanted = shared_->commits + more;
  while (shared_->commits < wanted) {
    REQUIRE(::waitpid(pid_, nullptr, WNOHANG) == 0);
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace laurel::test
