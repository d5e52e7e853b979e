// script_api.h - the globals of a hosted script: `laurel`, `boards` and `print`.
#pragma once

struct lua_State;

namespace laurel {

class ScriptRunner;
struct ScriptVersion;

// Pushes the environment of a version, and below it that version's table `laurel`; stores in the
// version the boards that were lent to it. Expects the module's table on the stack and above it the
// table for laurel.state, and pops both. May raise.
void push_script_environment(lua_State* L, ScriptRunner& runner, ScriptVersion& version);

// Pushes a `print` that writes to the log, with `name` in front.
void push_print(lua_State* L, ScriptRunner& runner, const char* name);

// Pushes a message handler that stores an error's text in runner.message() and returns a traceback,
// of a coroutine if that is its second argument. Expects debug.traceback on top of the stack, and
// pops it.
void push_explain(lua_State* L, ScriptRunner& runner);

}  // namespace laurel
