// judging.h - a board's rule and the scores that are about to be written elsewhere: the held score
// is read, judged here, and the result written if nothing changed in between, else all of it again.
//
//   rule      the registry's; what it sees and what it may say is as on a local board, but that it
//             is asked before the remote says who may play.
//   moment    a submission without one has that of its judging.
//   again     at most kJudgementsMax times, then `unavailable`.
//   changed   of the rule is told of what it let pass here, at the tick that brings the answer; of
//             a join it hears nothing.
//   threads   the registry's caller.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "board/rules.h"
#include "remote/asks.h"

namespace laurel {

// What the values of a submission are refused with, wherever its board lives: not_finite,
// bad_player, bad_data, out_of_range.
Status check_values(const Spec& spec, Writing how, const OwnedSubmission& what);

// A submission on its way through its board's rule: to be written, or to join with.
class Judged : public std::enable_shared_from_this<Judged> {
 public:
  using What = std::variant<ask::Write, ask::Join>;

  // `done` is called as of an ask of its own. The asks and the site outlive it, or its cancelling.
  static std::shared_ptr<Judged> begin(Asks& asks, Site& site, Target target, What what,
                                       Time deadline, Asks::Completion done);
  void cancel();

 private:
  Judged(Asks& asks, Site& site, Target target, What what, Time deadline, Asks::Completion done);

  OwnedSubmission& submission();
  Writing& how();
  void read_held();
  void judge(const Seen& held);
  Result<Verdict> ask_rule(double score, const Seen& held);
  Status hold(const Verdict& verdict);
  void write(const Seen& held);
  void written(Result<Value> value);
  void end(Result<Value> value);

  Asks& asks_;
  Site& site_;
  Target target_;
  What what_;   // as it was handed in
  What ruled_;  // as it is written
  Time deadline_;
  Asks::Completion done_;
  RequestId request_ = 0;
  std::optional<RuleId> rule_;
  bool report_ = false;  // asked for by the submitter
  int judgements_ = 0;
};

// Several, each for itself. A player's are judged one after the other, those of different players
// at once.
class JudgedAll : public std::enable_shared_from_this<JudgedAll> {
 public:
  static std::shared_ptr<JudgedAll> begin(Asks& asks, Site& site, Target target, ask::WriteAll what,
                                          Time deadline, Asks::Completion done);
  void cancel();

 private:
  JudgedAll(Asks& asks, Site& site, Target target, ask::WriteAll what, Time deadline,
            Asks::Completion done);
  void next_round();
  void answered(std::size_t index, Result<Value> value);

  Asks& asks_;
  Site& site_;
  Target target_;
  ask::WriteAll what_;
  Time deadline_;
  Asks::Completion done_;
  std::vector<std::size_t> left_;  // indices, in order
  std::vector<std::shared_ptr<Judged>> under_way_;
  std::size_t waiting_ = 0;
  WrittenAll all_;
};

}  // namespace laurel
