// judging.h - applies a board's rule to scores that are written to a remote. The held entry is
// read, the rule judges locally, and the result is written if nothing changed in between. Otherwise
// the cycle is repeated.
//
//   rule     the registry's. It sees and returns the same as on a local board, but it is called
//            before the remote checks whether the player may submit.
//   moment   a submission without one gets the registry's next timestamp before it is judged.
//   again    at most kJudgementsMax times, then `unavailable`.
//   changed  of the rule is called for changes that were judged locally, at the tick that brings
//            the answer. It is not called for a join.
//   threads  the registry's caller.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "board/rules.h"
#include "remote/asks.h"

namespace laurel {

// Why a submission is refused on any board: not_finite, bad_player, bad_data, out_of_range.
Status check_values(const Spec& spec, Writing how, const OwnedSubmission& what);

// One submission that passes its board's rule and is then written, or joins with its score.
class Judged : public std::enable_shared_from_this<Judged> {
 public:
  using What = std::variant<ask::Write, ask::Join>;

  // `done` is called like the callback of an ask. Asks and site must live until it is done or
  // cancelled.
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
  What what_;   // as given
  What ruled_;  // as it is written
  Time deadline_;
  Asks::Completion done_;
  RequestId request_ = 0;
  std::optional<RuleId> rule_;
  bool report_ = false;  // the caller asked for a report
  int judgements_ = 0;
};

// Several submissions, independent of each other. Those of one player are judged in sequence, those
// of different players concurrently.
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
