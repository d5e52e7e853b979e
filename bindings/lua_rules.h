// lua_rules.h - board rules written in Lua, in a state of their own, reloaded while the server
// runs.
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "board/rules.h"

namespace laurel {

// A rule that fails kRuleFailuresMax times in a row is switched off, with one line in the log. It
// is back when its file changes into something that loads, or when reload_all() loads it again.
//
// Rules from `<directory>/<name>.lua`. The directory may be missing or empty until a board names a
// rule in it. Problems with rules go to the log, with file and line.
std::unique_ptr<Rules> open_lua_rules(std::string directory, Log log);

}  // namespace laurel
