// A rolling board: activity in a bucket instead of a score.
#include "base/text.h"
#include "board/results/board_results.h"
#include "board/submission/judge.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

namespace {

Refusal outside_window(const Spec& spec, double at, std::string_view why) {
  if (!spec.zone.is_utc()) {
    return {Code::outside_window,
            "the time {:.6f} is {}; the board counts {} days of zone \"{}\"",
            at,
            why,
            spec.window.buckets,
            spec.zone.name()};
  }
  return {Code::outside_window,
          "the time {:.6f} is {}; the board counts {} buckets of {} s",
          at,
          why,
          spec.window.buckets,
          seconds_from_time(spec.window.length)};
}

}  // namespace

Refusal Board::Judge::rule_sets_score() const {
  return {Code::unsupported, "rule \"{}\" sets a score; a rolling board adds activity",
          board_.spec_->rule};
}

Refusal Board::Judge::activity_out_of_range(const Submission& submission) {
  return {Code::out_of_range, "with {}, a sum of player \"{}\" would be out of range",
          submission.score, escaped(submission.player)};
}

Status Board::Judge::decide_activity(const SubmissionContext& context) const {
  const Submission& submission = context.submission;
  Decision& decision = context.decision;
  const std::optional<ScoreKey> amount = board_.form().key(submission.score);
  if (!amount) {
    return Refusal(Code::out_of_range, "the amount {} is out of range", submission.score);
  }
  Activity activity{.bucket = board_.rolling_->running(),
                    .amount = *amount,
                    .at = decision.at,
                    .data = submission.data};
  if (submission.at) {
    activity.bucket = board_.rolling_->bucket_of(decision.at);
    if (decision.at > board_.context_.timestamps.now()) {
      return outside_window(*board_.spec_, *submission.at, "later than now");
    }
    if (!board_.rolling_->in_window(activity.bucket)) {
      return outside_window(*board_.spec_, *submission.at, "before the window");
    }
  }
  decision.held = board_.rolling_->find(decision.player, context.arena);
  decision.activity = activity;
  if (board_.results_) reach_rule(*amount, nullptr);
  if (!board_.spec_->rule.empty()) {
    const Result<Verdict> verdict = ask_rule(context, board_.form().score(*amount), Judging::first);
    if (!verdict) return verdict.refusal();
    if (verdict->score) return rule_sets_score();
  }
  const std::optional<ScoreKey> sum = board_.rolling_->sum_with(decision.player, activity);
  if (!sum) return activity_out_of_range(submission);
  decision.score = *sum;
  decision.changed = board_.form().score(*amount) != 0 || submission.data.has_value();
  return Done{};
}

}  // namespace laurel
