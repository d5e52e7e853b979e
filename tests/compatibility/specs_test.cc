// Runs the specifications of this room inside this program, so that sanitizers check both sides.
#include <doctest/doctest.h>

#include "bindings/lua_state.h"

using laurel::test::run_specs;

TEST_CASE("Lua: a directory and an export of 0.1.0") {
  run_specs(LAUREL_COMPATIBILITY "/directory_spec.lua");
}

TEST_CASE("Lua: the client of 0.1.0") { run_specs(LAUREL_COMPATIBILITY "/client_spec.lua"); }
