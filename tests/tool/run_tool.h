// run_tool.h - runs the real program `laurel`, and makes the directories that it reads.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

#include "registry/registry.h"

namespace laurel::test {

using Json = nlohmann::ordered_json;

struct Ran {
  int status = -1;  // of the exit; -N: ended by signal N
  std::string out;
  std::string err;

  Json json() const { return Json::parse(out); }
  // One line that begins as the program's complaints do.
  bool complains() const { return err.starts_with("laurel: ") && err.find('\n') + 1 == err.size(); }
};

Ran run_tool(const std::vector<std::string>& words, const std::string& input = "");
// By a shell, in which $laurel is the program.
Ran run_shell(const std::string& command);

// Opens the directory, lets `fill` write, and closes it.
void make_boards(const std::string& directory, const std::function<void(Registry&)>& fill);
BoardHandle open_board(Registry& registry, std::string_view name,
                       const std::vector<std::pair<std::string, FieldValue>>& fields = {});
void submit(Registry& registry, BoardHandle board, std::string_view player, double score,
            std::optional<std::string_view> data = {}, std::optional<double> at = {});

// A process that has the directory open. It fills it, says so, and then changes and commits for as
// long as it lives.
class Server {
 public:
  using Fill = std::function<void(Registry&)>;
  enum class Control : std::uint8_t { no, yes };  // whether it takes orders of moderators
  // REQUIRES: this process has no threads and no directory open.
  Server(const std::string& directory, const Fill& fill, const Fill& change = {},
         Control control = Control::no);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  pid_t pid() const { return pid_; }
  // Waits until it has done that many more commits.
  void wait_for_commits(std::uint64_t more) const;

 private:
  struct Shared;

  void serve(const std::string& directory, const Fill& fill, const Fill& change, Control control);

  pid_t pid_ = -1;
  Shared* shared_;
};

}  // namespace laurel::test
