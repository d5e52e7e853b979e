// Several Lua states in one process, each with its own registries and one caller at a time.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "folder.h"
#include "lifetime/host_state.h"

using laurel::test::Folder;
using laurel::test::HostState;

namespace {

#ifdef LAUREL_SANITIZED
constexpr int kRoundsOfEach = 10;
#else
constexpr int kRoundsOfEach = 100;
#endif

const char* const kOpen = R"(
  local laurel = require "laurel"
  boards = laurel.open { path = FOLDER .. "/" .. NAME, rules = FOLDER, log = function() end }
  race = boards:board("race", { keep = "sum", rule = "limit" })
  live = assert(boards:serve { port = 0, rate = 1000 })
  live:publish(race, { top = 10 })
  client = laurel.connect { port = live:port() }
  client:subscribe("race", 3, function(entries) top = entries end)
  return "open")";

const char* const kPlayNamed = R"(
  top = nil
  local held = assert(race:submit(NAME, 1))
  local deadline = os.time() + 20
  repeat
    boards:tick()
    client:tick()
    assert(os.time() < deadline, "nothing was shown")
  until top and top[1] and top[1].score == held
  assert(#top == 1 and top[1].player == NAME)
  return "played")";

}  // namespace

TEST_CASE("two states in one thread have separate registries, and either may end first") {
  const Folder folder;
  folder.write("limit.lua", "return {}");
  for (const bool first_ends : {true, false}) {
    auto one = std::make_unique<HostState>();
    auto other = std::make_unique<HostState>();
    one->set("NAME", "one");
    other->set("NAME", "other");
    for (HostState* host : {one.get(), other.get()}) {
      host->set("FOLDER", folder.path());
      REQUIRE(host->text(kOpen) == "open");
    }
    CHECK(one->text(kPlayNamed) == "played");
    CHECK(other->text(kPlayNamed) == "played");
    (first_ends ? one : other).reset();
    CHECK((first_ends ? other : one)->text(kPlayNamed) == "played");
  }
}

TEST_CASE("two states cannot open one directory; the second can after the first has ended") {
  const Folder folder;
  auto one = std::make_unique<HostState>();
  HostState other;
  const char* const open = "boards = require('laurel').open { path = FOLDER } return 'open'";
  one->set("FOLDER", folder.path());
  other.set("FOLDER", folder.path());
  CHECK(one->text(open) == "open");
  CHECK(other.text(open).find("is open already, in this process") != std::string::npos);
  one.reset();
  CHECK(other.text(open) == "open");
}

TEST_CASE("threads with a state each load, play and end at the same time") {
  const Folder folder;
  folder.write("limit.lua", "return { accept = function(s) return s.score < 1e6 end }");
  std::atomic<int> played{0};
  std::vector<std::string> failures(3);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRoundsOfEach && failures[i].empty(); ++round) {
        HostState host;
        host.set("FOLDER", folder.path());
        host.set("NAME", "host" + std::to_string(i));
        if (const std::string text = host.text(kOpen); text != "open") failures[i] = text;
        for (int game = 0; game < 3 && failures[i].empty(); ++game) {
          if (const std::string text = host.text(kPlayNamed); text != "played") failures[i] = text;
        }
        ++played;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) CHECK(failure == "");
  CHECK(played == kRoundsOfEach * static_cast<int>(failures.size()));
}

TEST_CASE("one state may be called from several threads in turn") {
  const Folder folder;
  folder.write("limit.lua", "return {}");
  HostState host;
  host.set("FOLDER", folder.path());
  host.set("NAME", "wanderer");
  std::string opened;
  std::thread([&] { opened = host.text(kOpen); }).join();
  CHECK(opened == "open");
  for (int i = 0; i < 5; ++i) {
    std::string played;
    std::thread([&] { played = host.text(kPlayNamed); }).join();
    CHECK(played == "played");
  }
}
