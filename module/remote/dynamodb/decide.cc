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
  return does_not_fit(ScoreForm(spec_.order, spec_.decimals).score(score), spec_.digits);
}

Result<Decision> Judge::decide(WriteMode how, const OwnedSubmission& what,
                               const std::optional<Row>& held, Time default_at) const {
  const ScoreForm form(spec_.order, spec_.decimals);
  const std::optional<ScoreKey> offered = form.key(what.score);
  if (!offered) return out_of_range(form, fmt::format("the score {}", what.score));
  if (!adds(spec_.keep, how)) {
    if (const Status fits = check_fits(*offered); !fits) return fits.refusal();
  }
  const Time at = what.at ? time_from_seconds(*what.at).value_or(0) : default_at;
  const KeptScore kept =
      held ? what_to_keep(spec_.keep, how, held->score, *offered) : KeptScore::offered;
  ScoreKey score = kept == KeptScore::held ? held->score : *offered;
  if (kept == KeptScore::sum) {
    const std::optional<ScoreKey> sum = form.sum(held->score, *offered);
    if (!sum) {
      return out_of_range(
          form, fmt::format("the sum of {} and {}", form.score(held->score), form.score(*offered)));
    }
    score = *sum;
  }
  Decision decision;
  hold(score, what, kept != KeptScore::held, held, at, decision);
  if (const Status fits = check_fits(decision.row.score); !fits) return fits.refusal();
  return decision;
}

bool Judge::sees(const HeldEntry& seen, const std::optional<Row>& held) const {
  if (!held) return !seen.score;
  const double score = ScoreForm(spec_.order, spec_.decimals).score(held->score);
  return seen.score == score && seen.at == held->at && seen.data == held->data;
}

}  // namespace laurel::dynamodb
