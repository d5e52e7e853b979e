#include "server_process.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <doctest/doctest.h>

#include "base/steady_clock.h"

namespace laurel {

ServerProcess::ServerProcess(Options options, std::vector<SharedBoard> boards)
    : options_(std::move(options)), boards_(std::move(boards)) {
  start();
}

void ServerProcess::start() {
  const auto or_none = [](const std::string& word) { return word.empty() ? "-" : word; };
  process_ = std::make_unique<Process>(
      "server.lua", std::vector<std::string>{LAUREL_LIBRARY, options_.name,
                                             options_.durability.empty() ? "-" : folder_ / "boards",
                                             or_none(options_.durability), or_none(options_.remote),
                                             notes(), std::to_string(options_.frame_ms)});
  std::string openings;  // in one write, so that all run in one frame
  for (const SharedBoard& board : boards_) openings += board.opening() + "\n";
  if (!openings.empty()) openings.pop_back();
  tell(openings);
}

void ServerProcess::play(std::uint64_t seed, const Playing& playing) {
  std::string list;
  for (const SharedBoard& board : boards_) list += board.playing() + ", ";
  tell(fmt::format("play({}, {}, {}, {}, {}, {{ {} }})", seed, playing.each, playing.count,
                   playing.players, playing.at_once, list));
}

void ServerProcess::pause() {
  tell("pause()");
  wait_for("paused");
}

// By the last state that it printed for each board.
bool ServerProcess::all_are(std::string_view state) const {
  std::map<std::string, std::string> states;
  for (const std::string& line : process_->said()) {
    std::istringstream words(line);
    std::string word;
    std::string board;
    if (words >> word >> board && word == "state") words >> states[board];
  }
  return states.size() == boards_.size() &&
         std::all_of(states.begin(), states.end(),
                     [&](const auto& each) { return each.second.starts_with(state); });
}

void ServerProcess::wait_until(std::string_view state, Time within) {
  const Time until = steady_now() + within;
  while (!all_are(state)) {
    if (steady_now() > until) FAIL("server " << options_.name << " is not " << state);
    process_->listen(20'000);
  }
}

void ServerProcess::settle(Time within) {
  tell("settle()");
  wait_for("settled", within);
}

std::vector<ShownEntry> ServerProcess::dump(const std::string& board) {
  tell(fmt::format("dump(\"{}\")", board));
  std::vector<ShownEntry> entries;
  for (const std::string& line : process_->wait_for_all("entry", "dumped")) {
    std::istringstream words(line);
    ShownEntry& entry = entries.emplace_back();
    words >> entry.rank >> entry.player >> entry.score;
  }
  return entries;
}

int ServerProcess::refused() {
  tell("refusals()");
  return std::stoi(wait_for("refusals"));
}

void ServerProcess::finish() {
  CHECK(process_->finish() == 0);
  for (const std::string& line : process_->said()) {
    if (line.starts_with("log error")) FAIL_CHECK(line);
  }
}

std::vector<Posted> merged(const std::vector<std::unique_ptr<ServerProcess>>& servers) {
  std::vector<Posted> all;
  for (const auto& server : servers) {
    for (Posted& post : server->posted()) all.push_back(std::move(post));
  }
  return all;
}

void check_boards(const std::vector<std::unique_ptr<ServerProcess>>& servers,
                  const std::vector<SharedBoard>& boards, const std::set<std::string>& banned) {
  for (const auto& server : servers) server->settle();
  const std::vector<Posted> posted = merged(servers);
  for (const SharedBoard& board : boards) {
    CAPTURE(board.opening());
    const std::vector<ShownEntry> shown = servers.front()->dump(board.name);
    CHECK(wrong_with(board, posted, shown, banned) == "");
    for (const auto& other : servers) {
      if (other != servers.front()) CHECK(other->dump(board.name) == shown);
    }
  }
}

}  // namespace laurel
