// rules.h - the interface from boards to their rules. Rules are Lua, in bindings/; boards know only
// this.
//
//   rule      named by a board's spec; judges a submission before `keep` applies.
//   verdict   the answer to a submission that the rule accepts.
//   failure   an error in a rule. A refusal by the rule is not a failure.
//   candidate a version that asked for a rehearsal: it is loaded, but not in force until it has
//             judged what is in the journals of the boards with its rule
//             (submission/rehearsal.h).
//   off       the state after kRuleFailuresMax failures in a row, until a version is loaded again.
//             A rule that is off is not called and has no version.
//   threads   the game thread only. A rule never calls back into a board.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/spec/spec.h"
#include "board/standings/change.h"
#include "metrics/metric_set.h"

namespace laurel {

using RuleId = std::uint32_t;

// What the player holds on the board.
struct Held {
  double score = 0;
  Time at = 0;
  std::optional<std::string_view> data;
};

// The submission to judge.
struct RuleCase {
  std::string_view board;
  std::string_view player;
  double score = 0;  // for `add`: the difference
  std::optional<std::string_view> data;
  Time at = 0;
  std::optional<Held> held;  // absent also if wants_held() is false
  // On a board with columns: they, and the values of a score that is not a whole score:
  // differences.
  const ScoreColumns* columns = nullptr;
  const ColumnValues* differences = nullptr;
};

struct Verdict {
  std::optional<double> score;           // the score to hold instead of `keep`; finite
  std::optional<std::string_view> data;  // the data to hold with it; valid until the next judgement
};

// A version of a rule that is not in force, in a state of its own: it judges what is in a journal,
// and has no effect on a board or on the version that is in force.
class RuleTrial {
 public:
  virtual ~RuleTrial() = default;

  enum class Ruling : std::uint8_t { passed, rejected, failed };
  virtual Ruling judge(const RuleCase& the_case) = 0;
  // What the last judgement decided if it passed, else why it did not.
  virtual const Verdict& verdict() const = 0;
  virtual const std::string& reason() const = 0;
  // Returns the reason if the last verdict cannot be held, which is a failure.
  virtual std::string overrule(std::string why) = 0;
};

struct RuleError {
  std::string rule;
  std::string error;  // with file and line
};

struct RuleStats {
  std::uint64_t judged = 0;       // submissions passed to a rule
  std::uint64_t rejected = 0;     // of those, refused by the rule
  std::uint64_t failed = 0;       // of those, refused because the rule failed
  std::uint64_t unavailable = 0;  // refused because no version was loaded
  std::uint64_t bypassed = 0;     // accepted while the rule was off: rule_failure = "keep"
  std::uint64_t off = 0;          // rules that are off now
  std::uint64_t loaded = 0;       // versions loaded
  std::uint64_t load_failed = 0;
};

// The rules of one registry. What it does by default suits rules that are not loaded from files and
// hear of no changes.
class Rules {
 public:
  virtual ~Rules() = default;

  // The rule of that name; loads it if it is new. Never fails: while no version is loaded, judge
  // refuses with `unavailable`.
  virtual RuleId open(std::string_view name) = 0;

  // Whether the loaded version reads what is held; if not, RuleCase::held may be absent.
  virtual bool wants_held(RuleId rule) const = 0;

  // While the rule is off, `without` decides: the submission is refused, or left to `keep`.
  // Fails with  rejected     the rule refused, or failed
  //             unavailable  no version was ever loaded, or the rule is off
  virtual Result<Verdict> judge(RuleId rule, const RuleCase& the_case, RuleFailure without) = 0;
  // Called if the board cannot hold the score or data of the last verdict, for that player. Counts
  // as a failure of the rule. Returns the refusal, `rejected`.
  virtual Refusal overrule(RuleId /*rule*/, std::string_view /*board*/, std::string_view /*player*/,
                           std::string reason) {
    return {Code::rejected, "{}", reason};
  }

  // Whether the last judgement or overrule() was a failure of the rule.
  virtual bool failed() const { return false; }

  // As judge(), but asks score() alone, for a result that was accepted before. A failure does not
  // count against the rule.
  virtual Result<Verdict> judge_again(RuleId rule, const RuleCase& the_case, RuleFailure without) {
    return judge(rule, the_case, without);
  }

  // Loads a rule's file in a state of its own. Fails with  unknown      there is no such file
  //                                                         unavailable  it does not load
  virtual Result<std::shared_ptr<RuleTrial>> trial(std::string_view name) {
    return Refusal(Code::unknown, "there is no rule \"{}\"", name);
  }

  // Versions that wait until they are rehearsed. settle() puts one in force, or keeps it from that
  // because of a problem; it returns the error if the version is not in force.
  struct Candidate {
    RuleId rule = 0;
    std::shared_ptr<RuleTrial> version;
  };
  virtual std::vector<Candidate> candidates() const { return {}; }
  virtual std::optional<RuleError> settle(RuleId, const std::optional<std::string>& /*problem*/) {
    return std::nullopt;
  }

  // Whether the loaded version has changed(); changed() calls it with one change.
  virtual bool wants_changes(RuleId) const { return false; }
  virtual void changed(RuleId, const Change&) {}

  // The loaded version; empty if there is none.
  virtual std::string version(RuleId) const { return {}; }

  // Loads files that changed, also of rules that are off. Called once a tick.
  virtual void reload_changed() {}
  // Reloads every file, changed or not; returns those that failed. Registry::reload_rules also
  // rehearses what wants it.
  virtual std::vector<RuleError> reload_all() { return {}; }

  virtual RuleStats stats() const { return {}; }
  // Adds what is measured of each rule.
  virtual void collect(MetricSet&) const {}
};

}  // namespace laurel
