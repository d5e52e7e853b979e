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
#include "metrics/cycle_histogram.h"
#include "metrics/families.h"
#include "metrics/metric_set.h"

namespace laurel {

namespace {

// The id of an invalid name, or of a rule above kRulesMax: it judges like a rule that never loaded.
constexpr RuleId kNoRule = 0xFFFFFFFF;

class LuaTrial final : public RuleTrial {
 public:
  LuaRule& rule() { return rule_; }

  Ruling judge(const RuleCase& the_case) override { return rule_.judge(the_case); }
  const Verdict& verdict() const override { return rule_.verdict(); }
  const std::string& reason() const override { return rule_.reason(); }
  std::string overrule(std::string why) override {
    rule_.overrule(std::move(why));
    return rule_.reason();
  }

 private:
  LuaRule rule_;
};

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
    failed_ = false;
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
    const LuaRule::Ruling ruling = file.rule.judge(the_case);
    if (file.rule.judges()) file.times.observe(0, file.rule.ticks());
    switch (ruling) {
      case LuaRule::Ruling::passed: return file.rule.verdict();
      case LuaRule::Ruling::rejected: ++stats_.rejected; break;
      case LuaRule::Ruling::failed:
        failed_ = true;
        note_failure(file, the_case.board, the_case.player);
        break;
    }
    return Refusal(Code::rejected, "{}", file.rule.reason());
  }

  bool failed() const override { return failed_; }

  Result<Verdict> judge_again(RuleId id, const RuleCase& the_case, RuleFailure without) override {
    if (id == kNoRule) return judge(id, the_case, without);
    File& file = files_[id];
    if (file.off && without == RuleFailure::keep) return Verdict{};
    if (file.off || !file.rule.in_force()) return Refusal(Code::unavailable, "{}", file.problem);
    if (!file.rule.scores()) return Verdict{};
    if (file.rule.judge_again(the_case) == LuaRule::Ruling::passed) return file.rule.verdict();
    return Refusal(Code::rejected, "{}", file.rule.reason());
  }

  Result<std::shared_ptr<RuleTrial>> trial(std::string_view name) override {
    if (!is_rule_name(name)) {
      return Refusal(Code::unknown,
                     "\"{}\" is not the name of a rule: 1 to {} letters, digits, "
                     "\"_\" or \"-\"",
                     escaped(name, kRuleNameBytesMax), kRuleNameBytesMax);
    }
    const std::string place = fmt::format("{}/{}.lua", label_, name);
    FileWatch watch(fmt::format("{}/{}.lua", directory_, name), kRuleFileBytesMax);
    switch (watch.poll()) {
      case FileNews::changed: break;
      case FileNews::unreadable:
        return Refusal(Code::unavailable, "{}: {}", place, watch.problem());
      default: return Refusal(Code::unknown, "{}: there is no such file", place);
    }
    auto version = std::make_shared<LuaTrial>();
    if (const auto problem = version->rule().load(watch.content(), place)) {
      return Refusal(Code::unavailable, "{}", *problem);
    }
    return std::shared_ptr<RuleTrial>(std::move(version));
  }

  std::vector<Candidate> candidates() const override {
    std::vector<Candidate> all;
    if (candidates_ == 0) return all;
    for (std::size_t id = 0; id < files_.size(); ++id) {
      if (files_[id].candidate) all.push_back({static_cast<RuleId>(id), files_[id].candidate});
    }
    return all;
  }

  std::optional<RuleError> settle(RuleId id, const std::optional<std::string>& problem) override {
    File& file = files_[id];
    if (!file.candidate) return std::nullopt;
    const std::string version = file.candidate->rule().version();
    const std::string source = std::move(file.candidate_source);
    drop_candidate(file);
    const bool taken =
        problem
            ? fail(file, fmt::format("{}: version {} {}", file.place, escaped(version), *problem))
            : take(file, source);
    if (taken) return std::nullopt;
    return RuleError{.rule = file.name, .error = file.problem};
  }

  Refusal overrule(RuleId id, std::string_view board, std::string_view player,
                   std::string reason) override {
    failed_ = true;
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

  void collect(MetricSet& set) const override {
    for (const File& file : files_) {
      set.add(Family::rule_failures, {file.name}, static_cast<double>(file.failures));
      set.add(Family::rule_off, {file.name}, file.off ? 1 : 0);
      if (const Histogram* const times = file.times.read()) {
        set.add(Family::rule_seconds, {file.name}, *times);
      }
      set.add(Family::memory_bytes, {"rules"}, static_cast<double>(file.rule.bytes()));
    }
  }

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
    // A version that waits for its rehearsal, and its source; null if there is none.
    std::shared_ptr<LuaTrial> candidate;
    std::string candidate_source;
    std::string problem;  // why the newest content is not in force, or the rule is off
    bool off = false;
    std::uint64_t failures = 0;
    CycleHistogram times{kRuleBounds};  // of judgements
    LogRateLimit lines{kRuleLinesPerTick};
  };

  // Puts a changed content in force, or keeps it for a rehearsal, or logs why not. Returns false if
  // the file is newly missing or unreadable, or does not load.
  bool take_news(File& file) {
    switch (file.watch.poll()) {
      case FileNews::same: return true;
      case FileNews::gone: return fail(file, fmt::format("{}: there is no such file", file.place));
      case FileNews::unreadable:
        return fail(file, fmt::format("{}: {}", file.place, file.watch.problem()));
      case FileNews::changed: break;
    }
    drop_candidate(file);
    const std::string_view source = file.watch.content();
    if (file.rule.in_force() && source.find("rehearse") != std::string_view::npos) {
      auto version = std::make_shared<LuaTrial>();
      if (const auto problem = version->rule().load(source, file.place))
        return fail(file, *problem);
      if (version->rule().wants_rehearsal()) {
        file.candidate = std::move(version);
        file.candidate_source = source;
        ++candidates_;
        return true;
      }
    }
    return take(file, source);
  }

  void drop_candidate(File& file) {
    if (std::exchange(file.candidate, nullptr)) --candidates_;
    file.candidate_source.clear();
  }

  // Puts a version in force, or says why not.
  bool take(File& file, std::string_view source) {
    if (const auto problem = file.rule.load(source, file.place)) return fail(file, *problem);
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
    ++file.failures;
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
  std::size_t candidates_ = 0;  // of all files
  bool failed_ = false;         // the last judgement
  RuleStats stats_;
};

}  // namespace

bool is_rule_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kRuleNameBytesMax && std::ranges::all_of(name, allowed);
}

std::unique_ptr<Rules> open_lua_rules(std::string directory, Log log) {
  return std::make_unique<LuaRules>(std::move(directory), std::move(log));
}

}  // namespace laurel
