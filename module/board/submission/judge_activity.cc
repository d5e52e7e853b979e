// Writing to a rolling board: activity in a bucket instead of a score.
#include "base/text.h"
#include "board/board.h"
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

Refusal Board::rule_sets_score() const {
  return {Code::unsupported, "rule \"{}\" sets a score; a rolling board adds activity",
          spec_->rule};
}

Refusal Board::activity_out_of_range(const Submission& submission) {
  return {Code::out_of_range, "with {}, a sum of player \"{}\" would be out of range",
          submission.score, escaped(submission.player)};
}

Status Board::decide_activity(const SubmissionContext& context) {
  const Submission& submission = context.submission;
  Decision& decision = context.decision;
  const std::optional<ScoreKey> amount = form().key(submission.score);
  if (!amount) {
    return Refusal(Code::out_of_range, "the amount {} is out of range", submission.score);
  }
  Activity activity{
      .bucket = rolling_->running(), .amount = *amount, .at = decision.at, .data = submission.data};
  if (submission.at) {
    activity.bucket = rolling_->bucket_of(decision.at);
    if (decision.at > context_.timestamps.now()) {
      return outside_window(*spec_, *submission.at, "later than now");
    }
    if (!rolling_->in_window(activity.bucket)) {
      return outside_window(*spec_, *submission.at, "before the window");
    }
  }
  decision.held = rolling_->find(decision.player, context.arena);
  decision.activity = activity;
  if (results_) reach_rule(*amount, nullptr);
  if (!spec_->rule.empty()) {
    const Result<Verdict> verdict = ask_rule(context, form().score(*amount), Judging::first);
    if (!verdict) return verdict.refusal();
    if (verdict->score) return rule_sets_score();
  }
  const std::optional<ScoreKey> sum = rolling_->sum_with(decision.player, activity);
  if (!sum) return activity_out_of_range(submission);
  decision.score = *sum;
  decision.changed = form().score(*amount) != 0 || submission.data.has_value();
  return Done{};
}

}  // namespace laurel
