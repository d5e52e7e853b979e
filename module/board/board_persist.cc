// A board in a durable store: its rows other than entries, and loading.
#include <utility>

#include "board/board.h"
#include "board/marks/board_marks.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"
#include "engine/engine_factory.h"

namespace laurel {

Status Board::load(const Engine::LoadProgress& progress) {
  const auto make = [this](const Spec& spec, SpaceNumber first, Time ended) {
    return make_engine(spec, first, ended);
  };
  if (Status past = past_.load(make, progress); !past) return past;
  membership_.load();
  engine_->load(progress);
  if (Status marks = load_marks(progress); !marks) return marks;
  if (Status cohorts = load_cohorts(progress); !cohorts) return cohorts;
  derive_orders();
  if (BoardResults::has_rows(space_)) keep_results();
  return results_ ? results_->load(progress) : Status(Done{});
}

void Board::each_space(
    const std::function<void(SpaceNumber first, SpaceNumber count)>& visit) const {
  visit(space_.number(), 1);
  visit(engine_space_, spaces_of(*spec_));
  for (const auto& season : past_) visit(season->engine_space(), spaces_of(season->spec()));
  if (results_) results_->each_space(visit);
  if (marks_) marks_->each_space(*spec_, visit);
  const auto visit_cohorts = [&visit](const BoardCohorts* cohorts) {
    if (cohorts != nullptr && cohorts->space()) visit(*cohorts->space(), 1);
  };
  visit_cohorts(cohorts_.get());
  for (const auto& season : past_) visit_cohorts(std::as_const(*season).cohorts());
}

void Board::save() const {
  if (!context_.store->is_durable()) return;
  BoardForm form{.name = name_,
                 .created = created_,
                 .running = {season_, *spec_, engine_space_},
                 .due = season_clock_.due(),
                 .written = written_,
                 .turned = std::nullopt};
  if (rolling_ != nullptr) form.turned = turned_;
  const std::string packed = pack_board(form);
  // Avoids a write if nothing changed: scripts open the same board with its spec again and again.
  if (space_.get({&kBoardLetter, 1}) != packed)
    PersistentRows(space_, kBoardLetter).put("", packed);
}

}  // namespace laurel
