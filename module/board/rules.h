// rules.h - what a board asks of its rule, and a registry of all rules. The boards know no more of
// rules than this; they are written in another language and run in another room.
//
//   rule      named by a board's spec; judges results before the board's `keep` does.
//   verdict   what a rule says of one submission that it lets pass.
//   failure   a judgement that a rule got wrong; a refusal by its own word is none.
//   off       after kRuleFailuresMax failures in a row, until a version of it comes into force
//             again. A rule that is off judges nobody, hears of nothing, and has no version.
//   threads   the game thread only. A rule never reaches back into a board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/change.h"
#include "board/spec.h"

namespace laurel {

using RuleId = std::uint32_t;

// What a player holds on the board while a rule judges.
struct Held {
  double score = 0;
  Time at = 0;
  std::optional<std::string_view> data;
};

// The case before a rule.
struct RuleCase {
  std::string_view board;
  std::string_view player;
  double score = 0;  // for `add` the difference
  std::optional<std::string_view> data;
  Time at = 0;
  std::optional<Held> held;  // nothing, too, where the rule does not want it
};

struct Verdict {
  std::optional<double> score;           // the score to hold in place of `keep`; finite
  std::optional<std::string_view> data;  // the data to hold with it; valid until the next judgement
};

struct RuleError {
  std::string rule;
  std::string error;  // with file and line
};

struct RuleStats {
  std::uint64_t judged = 0;       // submissions that a rule saw
  std::uint64_t rejected = 0;     // of those, refused by the rule's own word
  std::uint64_t failed = 0;       // of those, refused since the rule failed
  std::uint64_t unavailable = 0;  // refused since no version was in force
  std::uint64_t bypassed = 0;     // let by while their rule was off: rule_failure = "keep"
  std::uint64_t off = 0;          // rules that are off now
  std::uint64_t loaded = 0;       // versions that came into force
  std::uint64_t load_failed = 0;
};

class Rules {
 public:
  virtual ~Rules() = default;

  // The rule of that name, loaded now if no board named it before. Never fails: while no version
  // has loaded, judge refuses with `unavailable`.
  virtual RuleId open(std::string_view name) = 0;

  // Whether the rule, as it stands, can tell what is held from nothing; otherwise the next case
  // need not say it.
  virtual bool wants_held(RuleId rule) const = 0;

  // While the rule is off, `without` says what becomes of the case: refused, or passed without a
  // score. Fails with  rejected     the rule refuses, or went wrong
  //                    unavailable  no version of the rule has ever loaded, or it is off
  virtual Result<Verdict> judge(RuleId rule, const RuleCase& the_case, RuleFailure without) = 0;
  // The board cannot hold what judge() passed last, for that player: a failure of the rule. Returns
  // the refusal, `rejected`.
  virtual Refusal overrule(RuleId rule, std::string_view board, std::string_view player,
                           std::string reason) = 0;

  // Whether the version in force wants to hear of changes, and telling it of one.
  virtual bool wants_changes(RuleId rule) const = 0;
  virtual void changed(RuleId rule, const Change& change) = 0;

  // The version in force; empty while none is.
  virtual std::string version(RuleId rule) const = 0;

  // Looks for files that changed, and puts those that load in force, rules that were off included.
  // Called once a tick.
  virtual void reload_changed() = 0;
  // Tries every file again, changed or not; returns those that failed.
  virtual std::vector<RuleError> reload_all() = 0;

  virtual RuleStats stats() const = 0;
};

}  // namespace laurel
