// Submissions take one hot path: functions called from one place are inline, and refusals are built
// out of line. Results with several fields are built in place: copying a struct right after writing
// its fields would stall until the submission's earlier stores complete.
#include "board/submission/judge.h"

#include "base/limits.h"
#include "board/refusals.h"
#include "board/results/board_results.h"
#include "board/validate.h"

namespace laurel {

namespace {

Refusal score_out_of_range(const ScoreForm& form, double score) {
  return out_of_range(form, fmt::format("the score {}", score));
}

Refusal sum_out_of_range(const ScoreForm& form, ScoreKey held, ScoreKey offered) {
  return out_of_range(form,
                      fmt::format("the sum of {} and {}", form.score(held), form.score(offered)));
}

Refusal cannot_add() {
  return {Code::unsupported,
          "a capped board does not keep the score of every player, so it cannot add"};
}

// Decides to hold this score. The same score keeps its moment, and its data unless there is new
// data; another score gets the submission's moment and data.
void hold(ScoreKey score, const std::optional<std::string_view>& data, Board::Decision& decision) {
  decision.score = score;
  if (const auto& held = decision.held; held && held->score == score) {
    decision.changed = data && data != held->data;
    decision.at = held->at;
    if (held->data) decision.data = *held->data;
  } else {
    decision.changed = true;
  }
  if (data) decision.data = *data;
}

}  // namespace

Status Board::check_fits(ScoreKey score) const {
  if (!has_limits_) return Done{};
  if (columns()) {
    if (columns()->is_whole(form().score(score))) return Done{};
    return no_score_of_columns(form().score(score));
  }
  if (scores_->fits(score)) return Done{};
  return does_not_fit(form().score(score), spec_->digits);
}

Result<Verdict> Board::Judge::ask_rule(const SubmissionContext& context, double score,
                                       Judging how) const {
  if (!board_.rule_) {
    return Refusal(Code::unavailable, "rule \"{}\" cannot load: no rules directory was given",
                   board_.spec_->rule);
  }
  RuleCase the_case{.board = board_.name_,
                    .player = context.submission.player,
                    .score = score,
                    .data = context.submission.data,
                    .at = context.decision.at,
                    .held = std::nullopt,
                    .columns = board_.columns().get(),
                    .differences = context.submission.columns};
  if (const auto& held = context.decision.held) {
    the_case.held = Held{board_.form().score(held->score), held->at, held->data};
  }
  return how == Judging::again
             ? board_.context_.rules->judge_again(*board_.rule_, the_case,
                                                  board_.spec_->rule_failure)
             : board_.context_.rules->judge(*board_.rule_, the_case, board_.spec_->rule_failure);
}

// If the rule does not read the held entry, it is looked up after the rule ran: by then its
// memory has been fetched.
Status Board::Judge::decide_by_rule(const SubmissionContext& context, ScoreKey offered) const {
  const auto& [mode, submission, engine, in_engine, arena, decision] = context;
  const bool shows_held = (board_.rule_ && board_.context_.rules->wants_held(*board_.rule_)) ||
                          board_.spec_->journal != 0;
  if (shows_held) engine->find_held(in_engine, arena, decision.held);
  const Result<Verdict> verdict = ask_rule(context, board_.form().score(offered), Judging::first);
  if (!verdict) return verdict.refusal();
  if (!shows_held) engine->find_held(in_engine, arena, decision.held);
  if (!verdict->score && submission.columns) return add_values(context, *submission.columns);
  if (!verdict->score) return decide_by_keep(context, offered);
  if (auto problem = follow_verdict(*verdict, submission.data, decision)) {
    return board_.context_.rules->overrule(*board_.rule_, board_.name_, submission.player,
                                           std::move(*problem));
  }
  return Done{};
}

// Decides as the rule has. Returns why the board cannot hold that, if so. REQUIRES: a score.
std::optional<std::string> Board::Judge::follow_verdict(const Verdict& verdict,
                                                        const std::optional<std::string_view>& data,
                                                        Decision& decision) const {
  const std::optional<ScoreKey> ruled = board_.form().key(*verdict.score);
  if (!ruled || !board_.scores_->fits(*ruled)) {
    return fmt::format("score returned {}, which is out of range", *verdict.score);
  }
  if (!verdict.data) {
    hold(*ruled, data, decision);
    return std::nullopt;
  }
  if (verdict.data->size() > kDataBytesMax) {
    return fmt::format("score returned data of {} bytes; at most {} are allowed",
                       verdict.data->size(), kDataBytesMax);
  }
  hold(*ruled, verdict.data, decision);
  decision.ruled_data = std::string(*verdict.data);
  return std::nullopt;
}

inline Status Board::Judge::decide_by_keep(const SubmissionContext& context,
                                           ScoreKey offered) const {
  Decision& decision = context.decision;
  const auto& data = context.submission.data;
  const auto& held = decision.held;
  switch (held ? what_to_keep(board_.spec_->keep, context.mode, held->score, offered)
               : KeptScore::offered) {
    case KeptScore::held: hold(held->score, std::nullopt, decision); return Done{};
    case KeptScore::offered: hold(offered, data, decision); return Done{};
    case KeptScore::sum: break;
  }
  if (board_.columns())
    return add_values(context, board_.columns()->values(board_.form().score(offered)));
  const std::optional<ScoreKey> sum = board_.form().sum(held->score, offered);
  if (!sum) return sum_out_of_range(board_.form(), held->score, offered);
  hold(*sum, data, decision);
  return Done{};
}

// Adds column by column; min and max bound what is held afterwards.
[[gnu::noinline, gnu::cold]] Status Board::Judge::add_values(
    const SubmissionContext& context, const ColumnValues& differences) const {
  std::optional<double> before;
  if (const auto& held = context.decision.held) before = board_.form().score(held->score);
  const Result<double> sum = board_.columns()->sum(before, differences);
  if (!sum) return sum.refusal();
  hold(*board_.form().key(*sum), context.submission.data, context.decision);
  return Done{};
}

[[gnu::noinline, gnu::cold]] Status Board::Judge::decide_values(
    const SubmissionContext& context) const {
  const auto& [mode, submission, engine, in_engine, arena, decision] = context;
  if (!adds(board_.spec_->keep, mode)) {
    const Result<double> whole = board_.columns()->number(*submission.columns);
    if (!whole) return whole.refusal();
    Submission with_score = submission;
    with_score.score = *whole;
    with_score.columns = nullptr;
    return decide_score({mode, with_score, engine, in_engine, arena, decision});
  }
  const Result<ColumnValues> differences = board_.columns()->differences(*submission.columns);
  if (!differences) return differences.refusal();
  Submission rounded = submission;
  rounded.columns = &*differences;
  if (board_.results_) reach_rule(0, rounded.columns);
  const SubmissionContext with_rounded{mode, rounded, engine, in_engine, arena, decision};
  if (!board_.spec_->rule.empty()) return decide_by_rule(with_rounded, 0);
  engine->find_held(in_engine, arena, decision.held);
  return add_values(with_rounded, *differences);
}

Result<ScoreKey> Board::Judge::key_of(const Submission& submission) const {
  double score = submission.score;
  if (submission.columns != nullptr) {
    const Result<double> whole = board_.columns()->number(*submission.columns);
    if (!whole) return whole.refusal();
    score = *whole;
  }
  const std::optional<ScoreKey> key = board_.form().key(score);
  if (!key) return score_out_of_range(board_.form(), score);
  return *key;
}

[[gnu::always_inline]] inline Status Board::Judge::decide_score(
    const SubmissionContext& context) const {
  const auto& [mode, submission, engine, in_engine, arena, decision] = context;
  const Spec& spec = *board_.spec_;
  if (mode == WriteMode::add && board_.is_capped_) return cannot_add();
  if (submission.columns != nullptr) [[unlikely]]
    return decide_values(context);
  ScoreKey offered = 0;
  if (!board_.form().find_key(submission.score, offered)) {
    return score_out_of_range(board_.form(), submission.score);
  }
  const bool is_checked = board_.has_limits_ && (board_.columns() || !adds(spec.keep, mode));
  if (is_checked) {
    if (Status fits = board_.check_fits(offered); !fits) return fits;
  }
  if (board_.results_) [[unlikely]]
    reach_rule(offered, nullptr);
  Status decided = Done{};
  if (spec.rule.empty()) {
    engine->find_held(in_engine, arena, decision.held);
    decided = decide_by_keep(context, offered);
  } else {
    decided = decide_by_rule(context, offered);
  }
  if (decided && board_.has_limits_ && !(is_checked && decision.score == offered)) {
    decided = board_.check_fits(decision.score);
  }
  return decided;
}

inline Status Board::Judge::admit(const Player& player, bool moderator) const {
  if (!moderator && board_.has_hours_) {
    if (Status open = board_.check_open(); !open) return open;
  }
  if (board_.is_banned(player.handle)) return laurel::banned(player.id, board_.name_);
  if (board_.spec_->join == Join::required &&
      !board_.membership_.has(Membership::List::joined, player.handle))
    return not_joined(player.id, board_.name_);
  return Done{};
}

// An id that has a handle was checked when the handle was made.
inline Status Board::Judge::admit_submission(const SubmissionContext& context) const {
  const Player& player = context.decision.player;
  if (player.handle == kNoPlayer) {
    if (Status valid = check_player(player.id); !valid) return valid;
  }
  if (Status valid = check_values(context.submission); !valid) return valid;
  return admit(player, false);
}

Status Board::Judge::judge(const SubmissionContext& context, const Status& open) const {
  if (!open) return open;
  if (Status admitted = admit_submission(context); !admitted) return admitted;
  if (board_.results_) [[unlikely]] {
    if (Status admitted = admit_result(context.decision.player); !admitted) return admitted;
  }
  return context.engine == nullptr ? decide_activity(context) : decide_score(context);
}

[[gnu::noinline]] void Board::Judge::count_refusal(Code code) const {
  ++board_.counts_.refused;
  board_.context_.submissions.count_reason(code);
}

Status Board::Judge::decide_set(const Submission& submission, Decision& decision) const {
  board_.judged_.clear();
  decision.player = board_.look_up(submission.player);
  Status decided =
      board_.results_ ? judge_set_kept(submission, decision) : judge_set(submission, decision);
  if (!decided) count_refusal(decided.refusal().code());
  return decided;
}

Status Board::Judge::judge_set(const Submission& submission, Decision& decision) const {
  if (Status valid = check_submission(submission); !valid) return valid;
  if (board_.rolling_ != nullptr) {
    return Refusal(Code::unsupported, "a rolling board holds activity: it takes add, not set");
  }
  if (Status open = board_.may_change(); !open) return open;
  if (Status admitted = admit(decision.player, true); !admitted) return admitted;
  const Result<ScoreKey> score = key_of(submission);
  if (!score) return score.refusal();
  if (Status fits = board_.check_fits(*score); !fits) return fits;
  if (board_.results_) reach_rule(*score, nullptr);
  decision.held = board_.scores_->held(decision.player, board_.judged_);
  hold(*score, submission.data, decision);
  return Done{};
}

// ---- results of the past (take_back.cc, rehearsal.cc)

Status Board::Judge::decide_again_by_keep(WriteMode mode, const Submission& submission,
                                          Decision& decision) const {
  Arena arena;  // nothing is looked up
  const SubmissionContext context{mode,  submission, board_.scores_, decision.player,
                                  arena, decision};
  if (submission.columns != nullptr && adds(board_.spec_->keep, mode)) {
    return add_values(context, *submission.columns);
  }
  const Result<ScoreKey> offered = key_of(submission);
  if (!offered) return offered.refusal();
  const Status decided = decide_by_keep(context, *offered);
  return decided ? board_.check_fits(decision.score) : decided;
}

Status Board::Judge::decide_again(WriteMode mode, const Submission& submission, Decision& decision,
                                  bool& by_rule) const {
  if (mode == WriteMode::set) {
    const Result<ScoreKey> score = key_of(submission);
    if (!score) return score.refusal();
    hold(*score, submission.data, decision);
    return Done{};
  }
  if (board_.spec_->rule.empty()) return decide_again_by_keep(mode, submission, decision);
  const Result<Verdict> verdict =
      ask_rule({mode, submission, board_.scores_, decision.player, board_.judged_, decision},
               submission.score, Judging::again);
  if (verdict && !verdict->score) return decide_again_by_keep(mode, submission, decision);
  by_rule = true;
  if (!verdict) return verdict.refusal();
  if (const auto problem = follow_verdict(*verdict, submission.data, decision)) {
    return Refusal(Code::rejected, "{}", *problem);
  }
  return Done{};
}

}  // namespace laurel
