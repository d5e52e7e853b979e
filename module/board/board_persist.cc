// A board in a durable store: its rows other than entries, and loading.
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "board/board.h"
#include "board/marks/board_marks.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"
#include "engine/engine_factory.h"

namespace laurel {

Status Board::load(const Engine::LoadProgress& progress) {
  std::vector<SeasonForm> past;  // oldest first, as their keys sort
  Status status = Done{};
  PersistentRows(space_, kSeasonLetter).each([&](std::string_view, std::string_view form) {
    Result<SeasonForm> season = unpack_season(form);
    if (season) {
      past.push_back(std::move(*season));
    } else {
      status = season.refusal();
    }
  });
  if (!status) return status;
  for (const SeasonForm& form : past) {
    const Time ended = form.season.ended.value_or(form.season.started);
    auto engine = make_engine(form.spec, form.engine, ended);
    engine->load(progress);
    archives_.insert(archives_.begin(),
                     std::make_unique<ArchivedSeason>(context_.players, form.season, form.spec,
                                                      std::move(engine), form.engine));
  }
  if (Status ends = load_ends(); !ends) return ends;
  load_copies();
  joined_.load();
  banned_.load();
  ban_exempt_.load();
  hidden_rows_.each(
      [this](std::string_view player, std::string_view packed) { hold_hidden(player, packed); });
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
  visit(engine_space_, spaces_of(spec_));
  for (const auto& season : archives_) visit(season->engine_space(), spaces_of(season->spec()));
  if (results_) results_->each_space(visit);
  if (marks_) marks_->each_space(spec_, visit);
  const auto visit_cohorts = [&visit](const BoardCohorts* cohorts) {
    if (cohorts != nullptr && cohorts->space()) visit(*cohorts->space(), 1);
  };
  visit_cohorts(cohorts_.get());
  for (const auto& season : archives_) visit_cohorts(std::as_const(*season).cohorts());
}

void Board::save() const {
  if (!context_.store->is_durable()) return;
  BoardForm form{.name = name_,
                 .created = created_,
                 .running = {season_, spec_, engine_space_},
                 .due = season_clock_.due(),
                 .written = written_,
                 .turned = std::nullopt};
  if (rolling_ != nullptr) form.turned = turned_;
  const std::string packed = pack_board(form);
  // Avoids a write if nothing changed: scripts open the same board with its spec again and again.
  if (space_.get({&kBoardLetter, 1}) != packed)
    PersistentRows(space_, kBoardLetter).put("", packed);
}

void Board::save_season(const ArchivedSeason& season) const {
  if (!context_.store->is_durable()) return;
  const SeasonForm form{season.season(), season.spec(), season.engine_space()};
  PersistentRows(space_, kSeasonLetter).put(sortable(form.season.number), pack_season(form));
}

}  // namespace laurel
