#include "remote/dynamodb/decide.h"

#include "board/refusals.h"
#include "board/validate.h"

namespace laurel::dynamodb {

namespace {

// The same score again keeps its moment, and also its data unless new data was given.
void hold(ScoreKey score, const OwnedSubmission& what, bool take_data,
          const std::optional<Row>& held, Time at, Decision& decision) {
  const std::optional<std::string> data = take_data ? what.data : std::nullopt;
  decision.row = {what.player, score, at, data};
  decision.changed = true;
  if (!held || held->score != score) return;
  decision.changed = data && data != held->data;
  decision.row.at = held->at;
  if (!data) decision.row.data = held->data;
}

}  // namespace

Status Judge::check(const OwnedSubmission& what) const { return check_submission(what.view()); }

Status Judge::admit(std::string_view player, const Admission& admission,
                    const RunningSeason* season, Time now) const {
  if (season != nullptr) {
    if (const Status open = check_hours(spec_, board_, *season, now); !open) return open;
  }
  if (admission.banned) return banned(player, board_);
  if (spec_.join == Join::required && !admission.joined) {
    return not_joined(player, board_);
  }
  return Done{};
}

Status Judge::check_fits(ScoreKey score) const {
  if (PaddedKeys(spec_).fits(score)) return Done{};
  const double number = ScoreForm(spec_.order, spec_.decimals).score(score);
  return spec_.columns ? no_score_of_columns(number) : does_not_fit(number, spec_.digits);
}

// The score that is offered. Fails with out_of_range.
Result<ScoreKey> Judge::key_of(const OwnedSubmission& what) const {
  double score = what.score;
  if (spec_.columns) {
    const Result<double> whole = whole_score_of(*spec_.columns, what);
    if (!whole) return whole.refusal();
    score = *whole;
  }
  const ScoreForm form(spec_.order, spec_.decimals);
  const std::optional<ScoreKey> key = form.key(score);
  if (!key) return out_of_range(form, fmt::format("the score {}", score));
  return *key;
}

// What is held after a difference was added. Fails with out_of_range.
Result<ScoreKey> Judge::sum(const OwnedSubmission& what, const std::optional<Row>& held) const {
  const ScoreForm form(spec_.order, spec_.decimals);
  if (spec_.columns) {
    const Result<ColumnValues> differences = differences_of(*spec_.columns, what);
    if (!differences) return differences.refusal();
    std::optional<double> before;
    if (held) before = form.score(held->score);
    const Result<double> whole = spec_.columns->sum(before, *differences);
    if (!whole) return whole.refusal();
    return *form.key(*whole);
  }
  const Result<ScoreKey> offered = key_of(what);
  if (!offered || !held) return offered;
  const std::optional<ScoreKey> sum = form.sum(held->score, *offered);
  if (sum) return *sum;
  return out_of_range(
      form, fmt::format("the sum of {} and {}", form.score(held->score), form.score(*offered)));
}

Result<Decision> Judge::decide(WriteMode how, const OwnedSubmission& what,
                               const std::optional<Row>& held, Time default_at) const {
  const bool adds_up = adds(spec_.keep, how);
  const Result<ScoreKey> offered = adds_up ? sum(what, held) : key_of(what);
  if (!offered) return offered.refusal();
  if (const Status fits = check_fits(*offered); !fits) return fits.refusal();
  const Time at = what.at ? time_from_seconds(*what.at).value_or(0) : default_at;
  const bool stays =
      held && !adds_up && what_to_keep(spec_.keep, how, held->score, *offered) == KeptScore::held;
  Decision decision;
  hold(stays ? held->score : *offered, what, !stays, held, at, decision);
  if (const Status fits = check_fits(decision.row.score); !fits) return fits.refusal();
  return decision;
}

bool Judge::sees(const HeldEntry& seen, const std::optional<Row>& held) const {
  if (!held) return !seen.score;
  const double score = ScoreForm(spec_.order, spec_.decimals).score(held->score);
  return seen.score == score && seen.at == held->at && seen.data == held->data;
}

}  // namespace laurel::dynamodb
