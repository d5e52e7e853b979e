// server_process.h - a game server in a process of its own, with boards that it shares with others.
//
//   life     from a start to a kill or an end. Its notes have the posts of all its lives.
//   threads  one caller.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "folder.h"
#include "posted.h"
#include "process.h"

namespace laurel {

class ServerProcess {
 public:
  struct Options {
    std::string name;
    std::string remote;                 // empty: its boards are local
    std::string durability = "always";  // empty: its boards and pending posts are in memory only
    int frame_ms = 4;
  };

  // Starts it, with the boards open.
  ServerProcess(Options options, std::vector<SharedBoard> boards);

  Process& process() { return *process_; }
  void tell(const std::string& line) const { process_->tell(line); }
  std::string wait_for(const std::string& word, Time within = kPatience) {
    return process_->wait_for(word, within);
  }

  // Posts to all boards, `each` times a frame, drawn from the seed. After `count` posts it prints
  // "played".
  //   at_once   it pauses while more posts than this wait.
  struct Playing {
    int each = 4;
    int count = 1'000'000'000;
    int players = 25;
    int at_once = 1'000'000'000;
  };
  void play(std::uint64_t seed, const Playing& playing);
  void pause();
  // Waits until all boards are "up", or all are "down", as the server reports.
  void wait_until(std::string_view state, Time within = kPatience);
  // Waits until no post is pending.
  void settle(Time within = kPatience);
  // Every entry, best first. No server may write meanwhile.
  std::vector<ShownEntry> dump(const std::string& board);
  // The number of posts that the remote refused, over all boards.
  int refused();
  std::vector<Posted> posted() const { return read_posted(notes()); }
  std::string name() const { return options_.name; }

  void kill() { process_->kill(); }
  // Starts another life, with what the last one left on its disk.
  void start();
  // Ends it, and requires that this succeeds.
  void finish();

 private:
  std::string notes() const { return folder_ / "notes"; }
  bool all_are(std::string_view state) const;

  Options options_;
  std::vector<SharedBoard> boards_;
  test::Folder folder_;
  std::unique_ptr<Process> process_;
};

// The posts of all servers, one server after the other.
std::vector<Posted> merged(const std::vector<std::unique_ptr<ServerProcess>>& servers);

// Waits until no post is pending, and checks that every server reads exactly what all posts
// together result in.
void check_boards(const std::vector<std::unique_ptr<ServerProcess>>& servers,
                  const std::vector<SharedBoard>& boards, const std::set<std::string>& banned = {});

}  // namespace laurel
