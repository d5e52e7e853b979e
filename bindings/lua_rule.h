// lua_rule.h - one board rule: a sandboxed Lua state of its own and the version in force in it.
//
//   failure   a judgement that the rule got wrong: an error, a budget spent, a result that is none.
//             A refusal by its own word is no failure.
//   version   what one content of the rule's file returned. A new one comes into force whole or not
//             at all; until one has, the rule cannot judge.
//   apart     each rule has its own state: one that fills its memory harms itself only.
//   cost      a short rule: see tests/bench/bench_rules.cc.
//   threads   none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bindings/rule_judge.h"
#include "bindings/rule_state.h"
#include "board/rules.h"

namespace laurel {

class LuaRule {
 public:
  explicit LuaRule(Metering metering = Metering::by_allocator, std::int64_t time_ns = kRuleTimeNs)
      : state_(metering, time_ns) {}

  // Puts what `source` returns in force. `place` is what errors call the file: "rules/season.lua".
  // Returns nothing, or why the version in force stays: a sentence with file and line.
  std::optional<std::string> load(std::string_view source, const std::string& place);

  bool in_force() const { return loads_ > 0; }
  // The file's own word, or how many loads there were.
  const std::string& version() const { return version_; }
  bool wants_changes() const { return wants_changes_; }

  // Whether the version in force can tell what is held from nothing; what it cannot see may be left
  // out of a case.
  bool wants_held() const { return judges_ && shown_.old; }

  enum class Ruling : std::uint8_t {
    passed,    // verdict()
    rejected,  // by the rule's own word: reason()
    failed,    // the rule went wrong: reason()
  };
  // REQUIRES: in_force().
  Ruling judge(const RuleCase& the_case);
  const Verdict& verdict() const { return verdict_; }  // data valid until the next judgement
  const std::string& reason() const { return reason_; }

  // Returns nothing, or what went wrong. REQUIRES: wants_changes().
  std::optional<std::string> tell(const Change& change);

  // What was passed last cannot be held: that was a failure too.
  void overrule(std::string reason);

  std::size_t bytes() const { return state_.bytes(); }
  // That the last judgement allocated; where the allocator counts.
  std::size_t call_bytes() const { return state_.call_bytes(); }

  // Failures since the last judgement that was none, or since the version came into force.
  std::uint64_t failures_in_a_row() const { return failures_in_a_row_; }

 private:
  void push_case(const RuleCase& the_case);
  void push_board(std::string_view name);
  Ruling conclude();
  Ruling reject();
  Ruling fail(std::string reason);

  RuleState state_;
  bool judges_ = false;
  Shown shown_;  // to the version in force
  bool wants_changes_ = false;
  std::string version_;
  std::uint64_t loads_ = 0;
  std::uint64_t failures_in_a_row_ = 0;
  std::uint64_t failures_before_ = 0;  // the last judgement
  std::optional<std::string> board_;   // of the last judgement: kept in the state as a string
  Verdict verdict_;
  std::string data_;
  std::string reason_;
};

}  // namespace laurel
