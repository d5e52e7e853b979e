// server_process.h - a game server that is a process of its own, with boards that others share.
//
//   life     from a start to a kill or an end; what it posted, in all of them, is in its notes.
//   threads  one caller.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "remote/processes/posted.h"
#include "remote/processes/process.h"
#include "remote/temporary_folder.h"

namespace laurel {

class ServerProcess {
 public:
  struct Options {
    std::string name;
    std::string remote;                 // empty: its boards live in the process
    std::string durability = "always";  // empty: they live in memory, and so do its posts
    int frame_ms = 4;
  };

  // Starts it, with the boards open.
  ServerProcess(Options options, std::vector<SharedBoard> boards);

  Process& process() { return *process_; }
  void tell(const std::string& line) const { process_->tell(line); }
  std::string wait_for(const std::string& word, Time within = kPatience) {
    return process_->wait_for(word, within);
  }

  // Posts, `each` a frame, to all boards, by this seed; after so many it says "played".
  //   at_once   holds back while more posts than that wait.
  struct Playing {
    int each = 4;
    int count = 1'000'000'000;
    int players = 25;
    int at_once = 1'000'000'000;
  };
  void play(std::uint64_t seed, const Playing& playing);
  void pause();
  // Until all boards are "up", or all are "down", as it says itself.
  void wait_until(std::string_view state, Time within = kPatience);
  // Until no post waits any more.
  void settle(Time within = kPatience);
  // Every entry, best first. Nobody writes meanwhile.
  std::vector<ShownEntry> dump(const std::string& board);
  // How many posts the board refused when their turn came, over all boards.
  int refused();
  std::vector<Posted> posted() const { return read_posted(notes()); }
  std::string name() const { return options_.name; }

  void kill() { process_->kill(); }
  // Another life, with what the last one left on its disk.
  void start();
  // Ends it, which must go well.
  void finish();

 private:
  std::string notes() const { return folder_ / "notes"; }
  bool all_are(std::string_view state) const;

  Options options_;
  std::vector<SharedBoard> boards_;
  TemporaryFolder folder_;
  std::unique_ptr<Process> process_;
};

// The posts of all of them, one server's behind the other's.
std::vector<Posted> merged(const std::vector<std::unique_ptr<ServerProcess>>& servers);

// Every server settles, and reads of every board exactly what all posts together make of it.
void check_boards(const std::vector<std::unique_ptr<ServerProcess>>& servers,
                  const std::vector<SharedBoard>& boards, const std::set<std::string>& banned = {});

}  // namespace laurel
