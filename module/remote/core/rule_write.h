// rule_write.h - applies a board's rule to scores that are written to a remote. The held entry is
// read, the rule judges locally, and the result is written if nothing changed in between. Otherwise
// the cycle is repeated.
//
//   rule     the registry's. It sees and returns the same as on a local board, but it is called
//            before the remote checks whether the player may submit.
//   moment   a submission without one gets the registry's next timestamp before it is judged.
//   id       of a result that was accepted before: nothing is judged or written.
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
#include "remote/core/pending_requests.h"

namespace laurel {

// Why a submission is refused on any board: not_finite, bad_player, bad_data, out_of_range.
Status check_values(const Spec& spec, WriteMode how, const OwnedSubmission& what);

// One submission that passes its board's rule and is then written, or joins with its score.
class RuleWrite : public std::enable_shared_from_this<RuleWrite> {
 public:
  using What = std::variant<request::Write, request::Join>;

  // `done` is called like the callback of a request. The pending requests and the remote must live
  // until it is done or cancelled.
  static std::shared_ptr<RuleWrite> begin(PendingRequests& requests, NamedRemote& remote,
                                          Target target, What what, Time deadline,
                                          PendingRequests::Completion done);
  void cancel();

 private:
  RuleWrite(PendingRequests& requests, NamedRemote& remote, Target target, What what, Time deadline,
            PendingRequests::Completion done);

  OwnedSubmission& submission();
  WriteMode& how();
  void read_held();
  void repeated(const HeldEntry& held);
  void judge(const HeldEntry& held);
  Result<Verdict> ask_rule(double score, const HeldEntry& held);
  Status hold(const Verdict& verdict);
  void write(const HeldEntry& held);
  void written(Result<Value> value);
  void end(Result<Value> value);

  PendingRequests& requests_;
  NamedRemote& remote_;
  Target target_;
  What what_;   // as given
  What ruled_;  // as it is written
  Time deadline_;
  PendingRequests::Completion done_;
  RequestId request_ = 0;
  std::optional<RuleId> rule_;
  bool report_ = false;  // the caller asked for a report
  int judgements_ = 0;
};

// Several submissions, independent of each other. Those of one player, or with one id, are judged
// in sequence, others concurrently.
class RuleWriteAll : public std::enable_shared_from_this<RuleWriteAll> {
 public:
  static std::shared_ptr<RuleWriteAll> begin(PendingRequests& requests, NamedRemote& remote,
                                             Target target, request::WriteAll what, Time deadline,
                                             PendingRequests::Completion done);
  void cancel();

 private:
  RuleWriteAll(PendingRequests& requests, NamedRemote& remote, Target target,
               request::WriteAll what, Time deadline, PendingRequests::Completion done);
  void next_round();
  void answered(std::size_t index, Result<Value> value);

  PendingRequests& requests_;
  NamedRemote& remote_;
  Target target_;
  request::WriteAll what_;
  Time deadline_;
  PendingRequests::Completion done_;
  std::vector<std::size_t> left_;  // indices, in order
  std::vector<std::shared_ptr<RuleWrite>> under_way_;
  std::size_t waiting_ = 0;
  WrittenAll all_;
};

}  // namespace laurel
