// Runs the specs in tests/bindings/api inside this program, so that sanitizers see both sides.
#include <string>

#include <doctest/doctest.h>

#include "bindings/lua_state.h"

namespace {

void run_specs(const std::string& name, const std::string& before = "") {
  laurel::test::run_specs(LAUREL_SPECS "/" + name + "_spec.lua", before);
}

}  // namespace

TEST_CASE("Lua: types raise") { run_specs("types"); }
TEST_CASE("Lua: opening boards") { run_specs("opening"); }
TEST_CASE("Lua: tasks") { run_specs("task"); }
TEST_CASE("Lua: writing") { run_specs("writing"); }
TEST_CASE("Lua: ids, attempts and capacity") { run_specs("results"); }
TEST_CASE("Lua: reading") { run_specs("reading"); }
TEST_CASE("Lua: every engine") { run_specs("engines"); }
TEST_CASE("Lua: capped boards") { run_specs("capped"); }
TEST_CASE("Lua: scores of several columns") { run_specs("orders/columns"); }
TEST_CASE("Lua: boards with columns answer as a sorted list does") {
  run_specs("orders/columns_history");
}
TEST_CASE("Lua: rolling boards") { run_specs("rolling"); }
TEST_CASE("Lua: seasons") { run_specs("seasons/seasons"); }
TEST_CASE("Lua: zones, and seasons with a duration") { run_specs("seasons/zones"); }
TEST_CASE("Lua: past seasons") { run_specs("seasons/archived"); }
TEST_CASE("Lua: kept results and rehearsals") { run_specs("history"); }
TEST_CASE("Lua: players, sessions, export and import") { run_specs("players"); }
TEST_CASE("Lua: one event with a score for each board") { run_specs("submit_each"); }
TEST_CASE("Lua: the data of an entry alone") { run_specs("set_data"); }
TEST_CASE("Lua: a player gets another id") { run_specs("rename"); }
TEST_CASE("Lua: names in entries, and scores on other boards") { run_specs("names"); }
TEST_CASE("Lua: watching, the clock and the log") { run_specs("watching"); }
TEST_CASE("Lua: which objects keep others alive") { run_specs("lifetime"); }
TEST_CASE("Lua: serving and following") { run_specs("live/live"); }
TEST_CASE("Lua: lists of boards, columns, rank changes and gateways") { run_specs("live/channel"); }
TEST_CASE("Lua: the pure-Lua client reads the same messages as the native one") {
  run_specs("live/overlay_vectors");
}
TEST_CASE("Lua: the pure-Lua client next to the native one") { run_specs("live/overlay"); }
TEST_CASE("Lua: the pure-Lua client as a replacement of the native one") {
  run_specs("live/overlay_parity");
}
TEST_CASE("Lua: what the pure-Lua client promises") { run_specs("live/overlay_client"); }
TEST_CASE("Lua: the pure-Lua client shows tokens") { run_specs("live/overlay_tokens"); }
TEST_CASE("Lua: the pure-Lua client on a bad network") { run_specs("live/overlay_network"); }
TEST_CASE("Lua: the pure-Lua client in version 2 of the protocol") {
  run_specs("live/overlay_version_2");
}

TEST_CASE("Lua: the specs pass with an aggressive garbage collector") {
  const std::string eager = "collectgarbage('setpause', 0) collectgarbage('setstepmul', 400)";
  for (const std::string name :
       {"opening", "task", "writing", "watching", "lifetime", "seasons/seasons", "seasons/archived",
        "capped", "players", "live/overlay"}) {
    CAPTURE(name);
    run_specs(name, eager);
  }
}

TEST_CASE("Lua: the specs pass without the JIT compiler") {
  for (const std::string name : {"types", "writing", "watching", "live/overlay_vectors"}) {
    CAPTURE(name);
    run_specs(name, "jit.off()");
  }
}

TEST_CASE("Lua: the editor annotations name exactly what exists") {
  run_specs("annotations", "ANNOTATIONS = '" LAUREL_ANNOTATIONS "'");
}
