// rule.h - one board rule: its sandboxed Lua state, and the version in force.
//
//   failure   a call of the rule that raised an error, used up a budget or returned an invalid
//             result. A rejection by the rule is not a failure.
//   version   what the rule's file returned when it was loaded. A new version comes into force
//             completely or not at all; before the first one the rule cannot judge.
//   apart     each rule has its own state: a rule that fills its memory harms only itself.
//   cost      a short rule: see tests/bench/bench_rules.cc.
//   threads   none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bindings/sandbox/rule_trampoline.h"
#include "bindings/sandbox/sandbox.h"
#include "board/rules.h"

namespace laurel {

class LuaRule {
 public:
  explicit LuaRule(Metering metering = Metering::by_allocator, std::int64_t time_ns = kRuleTimeNs)
      : state_(metering, time_ns) {}

  // Puts the rule that `source` returns in force. `place` is the file's name in errors:
  // "rules/season.lua". On failure the old version stays in force and the reason is returned: a
  // sentence with file and line.
  std::optional<std::string> load(std::string_view source, const std::string& place);

  bool in_force() const { return loads_ > 0; }
  // The `version` that the file gives, or else the number of loads.
  const std::string& version() const { return version_; }
  bool wants_changes() const { return wants_changes_; }

  // True if the version in force reads the entry that the player holds. If not, a case may leave it
  // out.
  bool wants_held() const { return judges_ && shown_.old; }

  // True if the version in force asks to be rehearsed before it replaces another one.
  bool wants_rehearsal() const { return wants_rehearsal_; }
  // True if it has `score`.
  bool scores() const { return scores_; }

  // passed: verdict(); rejected, the rule said no, or failed, a failure of the rule: reason()
  using Ruling = RuleTrial::Ruling;
  // REQUIRES: in_force().
  Ruling judge(const RuleCase& the_case);
  // Asks `score` alone; does not count failures. REQUIRES: scores().
  Ruling judge_again(const RuleCase& the_case);
  const Verdict& verdict() const { return verdict_; }  // data valid until the next judgement
  const std::string& reason() const { return reason_; }

  // Calls `changed` of the rule. Returns nothing, or the error. REQUIRES: wants_changes().
  std::optional<std::string> tell(const Change& change);

  // Call if the last verdict cannot be applied: it then counts as a failure.
  void overrule(std::string reason);

  std::size_t bytes() const { return state_.bytes(); }
  // Whether the last judgement called the rule, and how many ticks of the cycle counter it took.
  bool judges() const { return judges_; }
  std::uint64_t ticks() const { return state_.ticks(); }
  // Bytes that the last judgement allocated; only with Metering::by_allocator.
  std::size_t call_bytes() const { return state_.call_bytes(); }

  // Failures since the last judgement without failure, or since the version came into force.
  std::uint64_t failures_in_a_row() const { return failures_in_a_row_; }

 private:
  Ruling ask(int judge, const RuleCase& the_case);
  void push_case(const RuleCase& the_case);
  void push_board(std::string_view name);
  Ruling conclude(const RuleCase& the_case);
  Ruling reject();
  Ruling fail(std::string reason);

  RuleState state_;
  bool judges_ = false;
  Shown shown_;  // what the version in force reads
  bool wants_changes_ = false;
  bool wants_rehearsal_ = false;
  bool scores_ = false;
  std::string version_;
  std::uint64_t loads_ = 0;
  std::uint64_t failures_in_a_row_ = 0;
  std::uint64_t failures_before_ = 0;  // failures_in_a_row_ before the last judgement
  std::optional<std::string> board_;   // of the last judgement; the state caches it as a string
  Verdict verdict_;
  std::string data_;
  std::string reason_;
};

}  // namespace laurel
