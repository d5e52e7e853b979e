// The word `rules`.
#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "base/file_watch.h"
#include "base/limits.h"
#include "base/text.h"
#include "bindings/sandbox/rule.h"
#include "bindings/sandbox/rule_registry.h"
#include "tool/words.h"

namespace laurel::tool {

namespace {

constexpr std::string_view kEnding = ".lua";

// Loads a file as open_lua_rules() does; sets the version, or returns what is wrong.
std::optional<std::string> load(const std::string& file, std::string& version) {
  const std::string_view last = last_name(file);
  const bool is_lua = last.ends_with(kEnding);
  if (!is_lua || !is_rule_name(last.substr(0, last.size() - kEnding.size()))) {
    return fmt::format(
        "{}: a rule's file is called NAME.lua; the name has 1 to {} letters, digits, "
        "\"_\" or \"-\"",
        escaped(file), kRuleNameBytesMax);
  }
  FileWatch watch(file, kRuleFileBytesMax);
  switch (watch.poll()) {
    case FileNews::changed: break;
    case FileNews::unreadable: return fmt::format("{}: {}", escaped(file), watch.problem());
    default: return fmt::format("{}: there is no such file", escaped(file));
  }
  LuaRule rule;
  if (std::optional<std::string> problem = rule.load(watch.content(), file)) {
    if (problem->starts_with(file)) return problem;
    return fmt::format("{}: {}", escaped(file), *problem);
  }
  version = rule.version();
  return std::nullopt;
}

}  // namespace

Answer try_rules(const std::vector<std::string>& files) {
  Answer answer;
  answer.json = Json::array();
  for (const std::string& file : files) {
    Json result{{"file", json_text(file)}};
    std::string version;
    if (const std::optional<std::string> problem = load(file, version)) {
      result["ok"] = false;
      result["error"] = json_text(*problem);
      answer.problems.push_back(*problem);
    } else {
      result["ok"] = true;
      result["version"] = json_text(version);
    }
    answer.json.push_back(std::move(result));
  }
  answer.tables.push_back({.columns = {{"file", "file"}, {"loads", "ok"}, {"version", "version"}},
                           .rows = answer.json});
  return answer;
}

}  // namespace laurel::tool
