// script_api.h - what a hosted script sees: its globals `laurel`, `boards` and `print`.
#pragma once

struct lua_State;

namespace laurel {

class ScriptRunner;
struct ScriptVersion;

// Pushes the environment of a version, and below it that version's table `laurel`; notes in the
// version which boards it was lent. Expects on top of the stack, and takes off, the module's table
// and, above it, the table that is laurel.state. May raise.
void push_script_environment(lua_State* L, ScriptRunner& runner, ScriptVersion& version);

// Pushes the `print` that writes to the log under a name.
void push_print(lua_State* L, ScriptRunner& runner, const char* name);

// Pushes the message handler that keeps an error's text in runner.message() and returns a
// traceback; of another coroutine where that is its second argument. Expects debug.traceback on top
// of the stack and takes it off.
void push_explain(lua_State* L, ScriptRunner& runner);

}  // namespace laurel
