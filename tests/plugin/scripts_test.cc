// Hosted scripts of a host without a Lua, through the C interface.
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "laurel/laurel.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Folder;
using laurel::test::Host;

namespace {

// What scripts emitted, as text.
struct Heard {
  static void on_emit(void* context, const char* event, const laurel_value* values, size_t count) {
    std::string line = event;
    for (size_t i = 0; i < count; ++i) {
      const laurel_value& value = values[i];
      if (value.type == LAUREL_STRING) {
        line += fmt::format(" {}", std::string(value.string, value.string_size));
      } else if (value.type == LAUREL_NUMBER) {
        line += fmt::format(" {}", value.number);
      } else {
        line += value.number != 0 ? " true" : " false";
      }
    }
    static_cast<Heard*>(context)->lines.push_back(line);
  }

  laurel_scripts* host(Host& on, const char* directory) {
    laurel_scripts_config config{};
    config.struct_size = sizeof config;
    config.directory = directory;
    config.context = this;
    config.on_emit = on_emit;
    config.instructions = instructions;
    return api().host_scripts(on.boards, &config, &on.error);
  }

  uint64_t instructions = 0;
  std::vector<std::string> lines;
};

laurel_value text(const char* value) { return {LAUREL_STRING, 0, value, std::strlen(value)}; }

}  // namespace

TEST_CASE("hosted scripts share the host's boards, handle its events, and emit answers") {
  const Folder scripts;
  scripts.write("goals.lua", R"(
    local goals = boards:board("goals", { keep = "sum" })
    laurel.on("goal", function(player, points, own_goal)
      if own_goal then return end
      laurel.emit("banner", player, goals:submit(player, points))
    end))");
  Host host;
  Heard heard;
  laurel_scripts* hosted = heard.host(host, scripts.c_str());
  REQUIRE(hosted != nullptr);
  laurel_value goal[3] = {
      text("ada"), {LAUREL_NUMBER, 2, nullptr, 0}, {LAUREL_BOOLEAN, 0, nullptr, 0}};
  CHECK(api().emit(hosted, "goal", goal, 3) == 1);
  CHECK(api().emit(hosted, "nothing", goal, 3) == 0);
  goal[2].number = 1;
  CHECK(api().emit(hosted, "goal", goal, 3) == 1);
  CHECK(heard.lines == std::vector<std::string>{"banner ada 2 true"});

  laurel_board goals{};
  REQUIRE(api().find(host.boards, "goals", &goals) == 1);
  CHECK(api().size(host.boards, goals) == 1);
  api().scripts_close(hosted);
  CHECK(api().size(host.boards, goals) == 1);
}

TEST_CASE("a failing script does not stop the server and is logged with file and line") {
  const Folder scripts;
  scripts.write("bad.lua", "laurel.on('goal', function() error('no such player') end)\n");
  scripts.write("broken.lua", "local = 5\n");
  scripts.write("good.lua", "laurel.on('goal', function() laurel.emit('fine') end)\n");
  Host host;
  Heard heard;
  laurel_scripts* hosted = heard.host(host, scripts.c_str());
  REQUIRE(hosted != nullptr);
  CHECK(api().emit(hosted, "goal", nullptr, 0) == 2);
  CHECK(heard.lines == std::vector<std::string>{"fine"});
  const std::string log = host.logged();
  CAPTURE(log);
  CHECK(log.find("broken.lua:1") != std::string::npos);
  CHECK(log.find("bad.lua:1: no such player") != std::string::npos);
}

TEST_CASE("a missing directory of scripts is refused") {
  Host host;
  Heard heard;
  CHECK(heard.host(host, "/nonexistent/scripts") == nullptr);
  CHECK(host.error.code == LAUREL_UNAVAILABLE);
}

TEST_CASE("a script that loops for ever is interrupted if the host set a budget") {
  const Folder scripts;
  scripts.write("bad.lua", "laurel.on('goal', function()\n  while true do end\nend)\n");
  scripts.write("good.lua", "laurel.on('goal', function() laurel.emit('fine') end)\n");
  Host host;
  Heard heard;
  heard.instructions = 100'000;
  laurel_scripts* hosted = heard.host(host, scripts.c_str());
  REQUIRE(hosted != nullptr);
  CHECK(api().emit(hosted, "goal", nullptr, 0) == 2);
  CHECK(heard.lines == std::vector<std::string>{"fine"});
  const std::string log = host.logged();
  CAPTURE(log);
  CHECK(log.find("bad.lua:2: interrupted after 100000 instructions of one call") !=
        std::string::npos);
}

TEST_CASE("a budget out of range is refused, with the allowed range") {
  const Folder scripts;
  Host host;
  Heard heard;
  for (const uint64_t wrong : {uint64_t{1}, uint64_t{9'999}, uint64_t{1'000'000'001}}) {
    heard.instructions = wrong;
    CHECK(heard.host(host, scripts.c_str()) == nullptr);
    CHECK(host.error.code == LAUREL_INVALID);
    CHECK(std::string(host.error.text).find("it takes 10000 to 1000000000") != std::string::npos);
  }
}

TEST_CASE("an older host has no budget") {
  const Folder scripts;
  scripts.write("a.lua", "for i = 1, 1e7 do end laurel.emit('done', jit.on ~= nil)");
  Host host;
  Heard heard;
  laurel_scripts_config config{};
  config.struct_size = offsetof(laurel_scripts_config, instructions);
  config.directory = scripts.c_str();
  config.context = &heard;
  config.on_emit = Heard::on_emit;
  config.instructions = 10'000;
  REQUIRE(api().host_scripts(host.boards, &config, &host.error) != nullptr);
  CHECK(heard.lines == std::vector<std::string>{"done true"});
}

TEST_CASE("the counters of scripts count loads, calls, failures and events") {
  const Folder scripts;
  scripts.write("a.lua",
                "laurel.on('e', function() laurel.emit('out') end) laurel.every(1, print)");
  scripts.write("b.lua", "laurel.on('e', function() error('no') end)");
  scripts.write("c.lua", "laurel.on('e', function() while true do end end)");
  scripts.write("d.lua", "error('no')");
  Host host;
  Heard heard;
  heard.instructions = 10'000;
  laurel_scripts* hosted = heard.host(host, scripts.c_str());
  REQUIRE(hosted != nullptr);
  api().emit(hosted, "e", nullptr, 0);
  const std::map<std::string, double> expected = {
      {"scripts", 3}, {"handlers", 3}, {"timers", 1},      {"loaded", 3}, {"load_failed", 1},
      {"calls", 3},   {"failed", 2},   {"interrupted", 1}, {"emitted", 1}};
  std::map<std::string, double> counted;
  api().script_stats(hosted, laurel::test::count_into, &counted);
  CHECK(counted == expected);
}

TEST_CASE("two directories of scripts share the boards and nothing else") {
  const Folder one, two;
  one.write("a.lua",
            "shared = 1 package.loaded.shared = 1 boards:board('b', {}) laurel.on('e', print)");
  two.write("a.lua",
            "laurel.emit('two', shared == nil, package.loaded.shared == nil, "
            "boards:board('b') ~= nil)");
  Host host;
  Heard heard;
  laurel_scripts* first = heard.host(host, one.c_str());
  heard.instructions = 10'000;
  laurel_scripts* second = heard.host(host, two.c_str());
  REQUIRE(second != nullptr);
  CHECK(heard.lines == std::vector<std::string>{"two true true true"});
  CHECK(api().emit(first, "e", nullptr, 0) == 1);
  CHECK(api().emit(second, "e", nullptr, 0) == 0);
  api().scripts_close(first);
  api().tick(host.boards);
  CHECK(api().emit(second, "e", nullptr, 0) == 0);
}
