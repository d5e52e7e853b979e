// rule_registry.h - board rules in Lua, each in its own state, reloaded while the server runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "board/rules.h"

namespace laurel {

// Opens rules from `<directory>/<name>.lua`. The directory may be missing or empty until a board
// names a rule in it. Errors of rules are logged with file and line.
//
// A rule that fails kRuleFailuresMax times in a row is switched off, with one line in the log. It
// is switched on when a changed file loads, or when reload_all() loads it again.
std::unique_ptr<Rules> open_lua_rules(std::string directory, Log log);

// A name becomes part of a path, and must not lead out of the directory: 1 to kRuleNameBytesMax
// letters, digits, "_" or "-".
bool is_rule_name(std::string_view name);

}  // namespace laurel
