// Decides what a submission does: checks, joins and bans, the board's rule, then `keep`. Nothing
// changes.
//
// Submissions take one hot path: functions called from one place are inline, and refusals are built
// out of line. Results with several fields are built in place: copying a struct right after writing
// its fields would stall until the submission's earlier stores complete.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "base/limits.h"
#include "board/board.h"
#include "board/marks/board_marks.h"
#include "board/refusals.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/board_segments.h"
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

Result<Verdict> Board::ask_rule(const SubmissionContext& context, double score, Judging how) {
  if (!rule_) {
    return Refusal(Code::unavailable, "rule \"{}\" cannot load: no rules directory was given",
                   spec_->rule);
  }
  RuleCase the_case{.board = name_,
                    .player = context.submission.player,
                    .score = score,
                    .data = context.submission.data,
                    .at = context.decision.at,
                    .held = std::nullopt,
                    .columns = columns().get(),
                    .differences = context.submission.columns};
  if (const auto& held = context.decision.held) {
    the_case.held = Held{form().score(held->score), held->at, held->data};
  }
  return how == Judging::again ? context_.rules->judge_again(*rule_, the_case, spec_->rule_failure)
                               : context_.rules->judge(*rule_, the_case, spec_->rule_failure);
}

// If the rule does not read the held entry, it is looked up after the rule ran: by then its
// memory has been fetched.
Status Board::decide_by_rule(const SubmissionContext& context, ScoreKey offered) {
  const auto& [mode, submission, engine, in_engine, arena, decision] = context;
  const bool shows_held = (rule_ && context_.rules->wants_held(*rule_)) || spec_->journal != 0;
  if (shows_held) engine->find_held(in_engine, arena, decision.held);
  const Result<Verdict> verdict = ask_rule(context, form().score(offered), Judging::first);
  if (!verdict) return verdict.refusal();
  if (!shows_held) engine->find_held(in_engine, arena, decision.held);
  if (!verdict->score && submission.columns) return add_values(context, *submission.columns);
  if (!verdict->score) return decide_by_keep(context, offered);
  if (auto problem = follow_verdict(*verdict, submission.data, decision)) {
    return context_.rules->overrule(*rule_, name_, submission.player, std::move(*problem));
  }
  return Done{};
}

// Decides as the rule has. Returns why the board cannot hold that, if so. REQUIRES: a score.
std::optional<std::string> Board::follow_verdict(const Verdict& verdict,
                                                 const std::optional<std::string_view>& data,
                                                 Decision& decision) const {
  const std::optional<ScoreKey> ruled = form().key(*verdict.score);
  if (!ruled || !scores_->fits(*ruled)) {
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

inline Status Board::decide_by_keep(const SubmissionContext& context, ScoreKey offered) const {
  Decision& decision = context.decision;
  const auto& data = context.submission.data;
  const auto& held = decision.held;
  switch (held ? what_to_keep(spec_->keep, context.mode, held->score, offered)
               : KeptScore::offered) {
    case KeptScore::held: hold(held->score, std::nullopt, decision); return Done{};
    case KeptScore::offered: hold(offered, data, decision); return Done{};
    case KeptScore::sum: break;
  }
  if (columns()) return add_values(context, columns()->values(form().score(offered)));
  const std::optional<ScoreKey> sum = form().sum(held->score, offered);
  if (!sum) return sum_out_of_range(form(), held->score, offered);
  hold(*sum, data, decision);
  return Done{};
}

// Adds column by column; min and max bound what is held afterwards.
[[gnu::noinline, gnu::cold]] Status Board::add_values(const SubmissionContext& context,
                                                      const ColumnValues& differences) const {
  std::optional<double> before;
  if (const auto& held = context.decision.held) before = form().score(held->score);
  const Result<double> sum = columns()->sum(before, differences);
  if (!sum) return sum.refusal();
  hold(*form().key(*sum), context.submission.data, context.decision);
  return Done{};
}

[[gnu::noinline, gnu::cold]] Status Board::decide_values(const SubmissionContext& context) {
  const auto& [mode, submission, engine, in_engine, arena, decision] = context;
  if (!adds(spec_->keep, mode)) {
    const Result<double> whole = columns()->number(*submission.columns);
    if (!whole) return whole.refusal();
    Submission with_score = submission;
    with_score.score = *whole;
    with_score.columns = nullptr;
    return decide_score({mode, with_score, engine, in_engine, arena, decision});
  }
  const Result<ColumnValues> differences = columns()->differences(*submission.columns);
  if (!differences) return differences.refusal();
  Submission rounded = submission;
  rounded.columns = &*differences;
  if (results_) reach_rule(0, rounded.columns);
  const SubmissionContext with_rounded{mode, rounded, engine, in_engine, arena, decision};
  if (!spec_->rule.empty()) return decide_by_rule(with_rounded, 0);
  engine->find_held(in_engine, arena, decision.held);
  return add_values(with_rounded, *differences);
}

Result<ScoreKey> Board::key_of(const Submission& submission) const {
  double score = submission.score;
  if (submission.columns != nullptr) {
    const Result<double> whole = columns()->number(*submission.columns);
    if (!whole) return whole.refusal();
    score = *whole;
  }
  const std::optional<ScoreKey> key = form().key(score);
  if (!key) return score_out_of_range(form(), score);
  return *key;
}

Status Board::check_fits(ScoreKey score) const {
  if (!has_limits_) return Done{};
  if (columns()) {
    if (columns()->is_whole(form().score(score))) return Done{};
    return no_score_of_columns(form().score(score));
  }
  if (scores_->fits(score)) return Done{};
  return does_not_fit(form().score(score), spec_->digits);
}

[[gnu::always_inline]] inline Status Board::decide_score(const SubmissionContext& context) {
  const auto& [mode, submission, engine, in_engine, arena, decision] = context;
  const Spec& spec = *spec_;
  if (mode == WriteMode::add && is_capped_) return cannot_add();
  if (submission.columns != nullptr) [[unlikely]]
    return decide_values(context);
  ScoreKey offered = 0;
  if (!form().find_key(submission.score, offered)) {
    return score_out_of_range(form(), submission.score);
  }
  const bool is_checked = has_limits_ && (columns() || !adds(spec.keep, mode));
  if (is_checked) {
    if (Status fits = check_fits(offered); !fits) return fits;
  }
  if (results_) [[unlikely]]
    reach_rule(offered, nullptr);
  Status decided = Done{};
  if (spec.rule.empty()) {
    engine->find_held(in_engine, arena, decision.held);
    decided = decide_by_keep(context, offered);
  } else {
    decided = decide_by_rule(context, offered);
  }
  if (decided && has_limits_ && !(is_checked && decision.score == offered)) {
    decided = check_fits(decision.score);
  }
  return decided;
}

inline Status Board::admit(const Player& player, bool moderator) const {
  if (!moderator && has_hours_) {
    if (Status open = check_open(); !open) return open;
  }
  if (is_banned(player.handle)) return laurel::banned(player.id, name_);
  if (spec_->join == Join::required && !joined_.contains(player.handle))
    return not_joined(player.id, name_);
  return Done{};
}

// An id that has a handle was checked when the handle was made.
inline Status Board::admit_submission(const SubmissionContext& context) const {
  const Player& player = context.decision.player;
  if (player.handle == kNoPlayer) {
    if (Status valid = check_player(player.id); !valid) return valid;
  }
  if (Status valid = check_values(context.submission); !valid) return valid;
  return admit(player, false);
}

Status Board::judge(const SubmissionContext& context, const Status& open) {
  if (!open) return open;
  if (Status admitted = admit_submission(context); !admitted) return admitted;
  if (results_) [[unlikely]] {
    if (Status admitted = admit_result(context.decision.player); !admitted) return admitted;
  }
  return context.engine == nullptr ? decide_activity(context) : decide_score(context);
}

Status Board::decide_found(WriteMode mode, const Submission& submission, const Status& open,
                           Decision& decision) {
  judged_.clear();
  const SubmissionContext context{mode, submission, scores_, decision.player, judged_, decision};
  Status decided = results_ || submission.id ? judge_kept(context, open) : judge(context, open);
  if (!decided) count_refusal(decided.refusal().code());
  return decided;
}

[[gnu::noinline]] void Board::count_refusal(Code code) {
  ++counts_.refused;
  context_.submissions.count_reason(code);
}

// Looks up the player of one submission, and prefetches what Board::prefetch does for several.
// `kMore`: the board keeps something of results, or others are made from it.
template <bool kMore>
inline PlayerHandle Board::find_with_prefetch(const Submission& submission, Decision& decision) {
  Players& players = context_.players;
  const std::uint64_t hash = players.prefetch(submission.player);
  if (kMore && results_) decision.id = results_->prefetch(submission, hash);
  ScoreKey key = 0;
  if (find_likely_key(submission.score, key)) {
    scores_->prefetch_paths({&key, 1});
    if (kMore && marks_) marks_->prefetch_paths({&key, 1});
  }
  const PlayerHandle likely = players.prefetch_record(hash);
  scores_->prefetch_players({&likely, 1});
  if (kMore && results_) results_->prefetch(likely);
  if (kMore) prefetch_told_players({&likely, 1});
  const PlayerHandle player = players.find(submission.player, hash, likely);
  scores_->prefetch_rows({&player, 1});
  if (kMore) prefetch_told_rows({&player, 1});
  return player;
}

// For what is kept beside the board's own order, and is told of changes: what it has of players.
void Board::prefetch_told_players(std::span<const PlayerHandle> players) const {
  if (marks_) marks_->prefetch_players(players);
  for (const PlayerHandle player : players) {
    if (segments_) segments_->prefetch_player(player);
    if (cohorts_) cohorts_->prefetch_player(player);
    if (listener() != nullptr) listener()->prefetch_player(player);
  }
}

// After that, their rows.
void Board::prefetch_told_rows(std::span<const PlayerHandle> players) const {
  for (const PlayerHandle player : players) {
    if (segments_) segments_->prefetch_row(player);
    if (cohorts_) cohorts_->prefetch_row(player);
    if (listener() != nullptr) listener()->prefetch_row(player);
  }
}

[[gnu::noinline]] PlayerHandle Board::find_with_more_prefetch(const Submission& submission,
                                                              Decision& decision) {
  return find_with_prefetch<true>(submission, decision);
}

Status Board::decide(WriteMode mode, const Submission& submission, Decision& decision) {
  assert(mode != WriteMode::hold && "only a rule holds");
  if (mode == WriteMode::set) [[unlikely]]
    return decide_set(submission, decision);
  decision.player.id = submission.player;
  if (!wants_prefetch()) {
    decision.player.handle = context_.players.find(submission.player);
  } else if (results_ || is_told()) [[unlikely]] {
    decision.player.handle = find_with_more_prefetch(submission, decision);
  } else {
    decision.player.handle = find_with_prefetch<false>(submission, decision);
  }
  return decide_found(mode, submission, may_write(), decision);
}

Status Board::decide_set(const Submission& submission, Decision& decision) {
  judged_.clear();
  decision.player = look_up(submission.player);
  Status decided = results_ || submission.id ? judge_set_kept(submission, decision)
                                             : judge_set(submission, decision);
  if (!decided) count_refusal(decided.refusal().code());
  return decided;
}

Status Board::judge_set(const Submission& submission, Decision& decision) {
  if (Status valid = check_submission(submission); !valid) return valid;
  if (rolling_ != nullptr) {
    return Refusal(Code::unsupported, "a rolling board holds activity: it takes add, not set");
  }
  if (Status open = may_change(); !open) return open;
  if (Status admitted = admit(decision.player, true); !admitted) return admitted;
  const Result<ScoreKey> score = key_of(submission);
  if (!score) return score.refusal();
  if (Status fits = check_fits(*score); !fits) return fits;
  if (results_) reach_rule(*score, nullptr);
  decision.held = scores_->held(decision.player, judged_);
  hold(*score, submission.data, decision);
  return Done{};
}

// ---- results of the past (take_back.cc, rehearsal.cc)

Status Board::decide_again_by_keep(WriteMode mode, const Submission& submission,
                                   Decision& decision) const {
  Arena arena;  // nothing is looked up
  const SubmissionContext context{mode, submission, scores_, decision.player, arena, decision};
  if (submission.columns != nullptr && adds(spec_->keep, mode)) {
    return add_values(context, *submission.columns);
  }
  const Result<ScoreKey> offered = key_of(submission);
  if (!offered) return offered.refusal();
  const Status decided = decide_by_keep(context, *offered);
  return decided ? check_fits(decision.score) : decided;
}

Status Board::decide_again(WriteMode mode, const Submission& submission, Decision& decision,
                           bool& by_rule) {
  if (mode == WriteMode::set) {
    const Result<ScoreKey> score = key_of(submission);
    if (!score) return score.refusal();
    hold(*score, submission.data, decision);
    return Done{};
  }
  if (spec_->rule.empty()) return decide_again_by_keep(mode, submission, decision);
  const Result<Verdict> verdict =
      ask_rule({mode, submission, scores_, decision.player, judged_, decision}, submission.score,
               Judging::again);
  if (verdict && !verdict->score) return decide_again_by_keep(mode, submission, decision);
  by_rule = true;
  if (!verdict) return verdict.refusal();
  if (const auto problem = follow_verdict(*verdict, submission.data, decision)) {
    return Refusal(Code::rejected, "{}", *problem);
  }
  return Done{};
}

}  // namespace laurel
