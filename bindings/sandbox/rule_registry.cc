#include "bindings/sandbox/rule_registry.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/file_watch.h"
#include "base/limits.h"
#include "base/log_rate_limit.h"
#include "base/text.h"
#include "bindings/sandbox/rule.h"

namespace laurel {

namespace {

// The id of an invalid name, or of a rule above kRulesMax: it judges like a rule that never loaded.
constexpr RuleId kNoRule = 0xFFFFFFFF;

// A name becomes part of a path: it must not lead out of the directory.
bool is_rule_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kRuleNameBytesMax && std::ranges::all_of(name, allowed);
}

class LuaRules final : public Rules {
 public:
  LuaRules(std::string directory, Log log)
      : directory_(std::move(directory)), label_(last_name(directory_)), log_(std::move(log)) {}

  RuleId open(std::string_view name) override {
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
    if (!is_rule_name(name)) {
      log_.error("rule \"{}\": a rule's name has 1 to {} letters, digits, \"_\" or \"-\"",
                 escaped(name), kRuleNameBytesMax);
      return kNoRule;
    }
    if (files_.size() == kRulesMax) {
      log_.error("rule \"{}\": there are {} rules already, and no more are allowed", name,
                 kRulesMax);
      return kNoRule;
    }
    const auto id = static_cast<RuleId>(files_.size());
    files_.emplace_back(fmt::format("{}/{}.lua", directory_, name),
                        fmt::format("{}/{}.lua", label_, name), std::string(name));
    by_name_.emplace(name, id);
    take_news(files_.back());
    return id;
  }

  bool wants_held(RuleId id) const override {
    return id != kNoRule && !files_[id].off && files_[id].rule.wants_held();
  }

  Result<Verdict> judge(RuleId id, const RuleCase& the_case, RuleFailure without) override {
    if (id == kNoRule) {
      ++stats_.unavailable;
      return Refusal(Code::unavailable, "the board's rule cannot be opened; the log says why");
    }
    File& file = files_[id];
    if (file.off && without == RuleFailure::keep) {
      ++stats_.bypassed;
      return Verdict{};
    }
    if (file.off || !file.rule.in_force()) {
      ++stats_.unavailable;
      return Refusal(Code::unavailable, "{}", file.problem);
    }
    ++stats_.judged;
    switch (file.rule.judge(the_case)) {
      case LuaRule::Ruling::passed: return file.rule.verdict();
      case LuaRule::Ruling::rejected: ++stats_.rejected; break;
      case LuaRule::Ruling::failed: note_failure(file, the_case.board, the_case.player); break;
    }
    return Refusal(Code::rejected, "{}", file.rule.reason());
  }

  Refusal overrule(RuleId id, std::string_view board, std::string_view player,
                   std::string reason) override {
    File& file = files_[id];
    file.rule.overrule(std::move(reason));
    note_failure(file, board, player);
    return {Code::rejected, "{}", file.rule.reason()};
  }

  bool wants_changes(RuleId id) const override {
    return id != kNoRule && !files_[id].off && files_[id].rule.wants_changes();
  }

  void changed(RuleId id, const Change& change) override {
    if (!wants_changes(id)) return;  // a newer version may have no `changed`
    File& file = files_[id];
    const std::optional<std::string> problem = file.rule.tell(change);
    if (problem && file.lines.take()) {
      log_.error("{}; in changed, told of player \"{}\" on board \"{}\"", file.placed(*problem),
                 escaped(change.player), escaped(change.board));
    }
  }

  std::string version(RuleId id) const override {
    return id == kNoRule || files_[id].off ? std::string() : files_[id].rule.version();
  }

  void reload_changed() override {
    for (File& file : files_) {
      if (const std::uint64_t suppressed = file.lines.refill()) {
        log_.error("{}: {} more failures since the last tick", file.place, suppressed);
      }
      take_news(file);
    }
  }

  std::vector<RuleError> reload_all() override {
    std::vector<RuleError> failed;
    for (File& file : files_) {
      file.watch.forget();
      if (!take_news(file)) failed.push_back({.rule = file.name, .error = file.problem});
    }
    return failed;
  }

  RuleStats stats() const override { return stats_; }

 private:
  struct File {
    File(std::string path, std::string place_, std::string name_)
        : name(std::move(name_)),
          place(std::move(place_)),
          watch(std::move(path), kRuleFileBytesMax) {}

    // Puts the file's name in front of the sentence, unless it begins with it.
    std::string placed(const std::string& sentence) const {
      return sentence.starts_with(place) ? sentence : fmt::format("{}: {}", place, sentence);
    }

    std::string name;
    std::string place;  // the file's name in errors: "rules/season.lua"
    FileWatch watch;
    LuaRule rule;
    std::string problem;  // why the newest content is not in force, or the rule is off
    bool off = false;
    LogRateLimit lines{kRuleLinesPerTick};
  };

  // Puts a changed content in force, or logs why not. Returns false if the file is newly missing or
  // unreadable, or does not load.
  bool take_news(File& file) {
    switch (file.watch.poll()) {
      case FileNews::same: return true;
      case FileNews::gone: return fail(file, fmt::format("{}: there is no such file", file.place));
      case FileNews::unreadable:
        return fail(file, fmt::format("{}: {}", file.place, file.watch.problem()));
      case FileNews::changed: break;
    }
    if (const auto problem = file.rule.load(file.watch.content(), file.place)) {
      return fail(file, *problem);
    }
    ++stats_.loaded;
    if (std::exchange(file.off, false)) --stats_.off;
    file.problem.clear();
    log_.info("{}: version {} is in force", file.place, escaped(file.rule.version()));
    return true;
  }

  bool fail(File& file, std::string problem) {
    ++stats_.load_failed;
    if (file.off) {
      log_.error("{}; it stays switched off", problem);
      file.problem = fmt::format("{}: switched off, and the next version does not load: {}",
                                 file.place, problem);
      return false;
    }
    file.problem = std::move(problem);
    if (file.rule.in_force()) {
      log_.error("{}; version {} stays in force", file.problem, escaped(file.rule.version()));
    } else {
      log_.error("{}; until it loads, its boards refuse", file.problem);
    }
    return false;
  }

  // Counts and logs the last failure of the rule.
  void note_failure(File& file, std::string_view board, std::string_view player) {
    ++stats_.failed;
    if (file.rule.failures_in_a_row() == kRuleFailuresMax) {
      switch_off(file);
    } else if (file.lines.take()) {
      log_.error("{}; refused \"{}\" on \"{}\"", file.placed(file.rule.reason()), escaped(player),
                 escaped(board));
    }
  }

  void switch_off(File& file) {
    file.off = true;
    ++stats_.off;
    file.lines.refill();  // the message below counts the suppressed lines too
    file.problem = fmt::format("{}: switched off after {} failures in a row, the last: {}",
                               file.place, kRuleFailuresMax, file.rule.reason());
    log_.error(
        "{}; until its file changes or boards:reload_rules() is called, its boards refuse "
        "submissions, or follow keep if rule_failure = \"keep\"",
        file.problem);
  }

  std::string directory_;
  std::string label_;  // the directory's last part: Lua shows only 59 bytes of a file's name
  Log log_;
  std::deque<File> files_;  // by id; a deque, since rule states must not move
  std::map<std::string, RuleId, std::less<>> by_name_;
  RuleStats stats_;
};

}  // namespace

std::unique_ptr<Rules> open_lua_rules(std::string directory, Log log) {
  return std::make_unique<LuaRules>(std::move(directory), std::move(log));
}

}  // namespace laurel
