// A board that keeps something of results (results/board_results.h). Out of line: few boards do.
#include "board/refusals.h"
#include "board/results/board_results.h"
#include "board/submission/judge.h"
#include "board/validate.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

namespace {

TakenResult taken_of(const Board::Decision& decision) {
  TakenResult taken{.player = decision.player,
                    .before = decision.held,
                    .score = decision.score,
                    .at = decision.at,
                    .data = decision.data};
  if (decision.ruled_data) taken.data = *decision.ruled_data;
  return taken;
}

}  // namespace

// Whether the id of the submission was accepted before. Then the decision says what is held.
Result<bool> Board::Judge::repeats(const Submission& submission, Decision& decision) const {
  if (const Status valid = check_identity(submission); !valid) return valid.refusal();
  const Time now =
      submission.at ? board_.context_.timestamps.now() : board_.context_.timestamps.reading();
  if (!board_.results_->has_id(*submission.id, decision.id, now)) return false;
  decision.repeats = true;
  decision.held = board_.held_row(decision.player, board_.judged_);
  if (decision.held) {
    decision.score = decision.held->score;
    decision.at = decision.held->at;
  }
  return true;
}

template <typename Decide>
Status Board::Judge::decide_kept(WriteMode mode, const Submission& submission, Decision& decision,
                                 Decide decide) const {
  if (is_derived(*board_.spec_)) return decide();
  if (submission.id) {
    const Result<bool> repeated = repeats(submission, decision);
    if (!repeated) return repeated.refusal();
    if (*repeated) return Done{};
  }
  board_.results_->begin(mode, board_.joining_, submission, decision.at);
  Status decided = decide();
  if (board_.results_->hears_decisions()) {
    board_.results_->decided(decided, taken_of(decision), board_.form(),
                             judged_by(mode, decided, decision));
  }
  return decided;
}

// The submission was checked, and reaches the rule if there is one.
void Board::Judge::reach_rule(ScoreKey offered, const ColumnValues* differences) const {
  // Else other threads may submit batches.
  if (board_.keeps_each_result()) board_.results_->admitted(offered, differences);
}

// By which rule, for what is kept of the result.
JudgedBy Board::Judge::judged_by(WriteMode mode, const Status& decided,
                                 const Decision& decision) const {
  JudgedBy judged;
  if (board_.rule_ && mode != WriteMode::set) {
    judged.version = board_.context_.rules->version(*board_.rule_);
    judged.failed = !decided && board_.context_.rules->failed();
  }
  if (decision.activity)
    judged.sum = board_.rolling_->sum_with(decision.player, *decision.activity);
  return judged;
}

Status Board::Judge::judge_kept(const SubmissionContext& context, const Status& open) const {
  return decide_kept(context.mode, context.submission, context.decision,
                     [&] { return judge(context, open); });
}

Status Board::Judge::judge_set_kept(const Submission& submission, Decision& decision) const {
  return decide_kept(WriteMode::set, submission, decision,
                     [&] { return judge_set(submission, decision); });
}

Status Board::Judge::admit_result(const Player& player) const {
  if (const Attempts* attempts = board_.results_->attempts()) {
    if (attempts->of(player.handle).left(board_.spec_->attempts) == 0) {
      return exhausted(player.id, board_.name_, board_.spec_->attempts);
    }
  }
  if (board_.spec_->capacity != 0 && board_.size() >= board_.spec_->capacity &&
      !board_.held_row(player, board_.judged_)) {
    return full(board_.name_, board_.spec_->capacity);
  }
  return Done{};
}

}  // namespace laurel
