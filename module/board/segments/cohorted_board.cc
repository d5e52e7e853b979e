// A board's cohorts, and those of its past seasons. Out of line: few boards have any.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "board/board.h"
#include "board/segments/board_cohorts.h"
#include "board/spec/cohort_form.h"

namespace laurel {

std::unique_ptr<BoardCohorts> Board::make_cohorts(const Spec& spec, std::uint64_t season,
                                                  const EngineView& order,
                                                  CohortPlaces::Named named) const {
  if (spec.cohorts.empty()) return nullptr;
  return std::make_unique<BoardCohorts>(
      BoardCohorts::Context{context_.part(space_), context_.profiles, context_.log, name_}, season,
      cohorts_of(spec), SegmentForm{form(), spec.ties, spec.ranking, spec.columns}, order, named);
}

// With those on the board, who enter in the order of their moments.
std::unique_ptr<BoardCohorts> Board::make_other_cohorts(const Spec& spec) const {
  auto cohorts = make_cohorts(spec, season_.number, *engine_, CohortPlaces::Named::later);
  if (cohorts) cohorts->take_all();
  return cohorts;
}

void Board::replace_cohorts(std::unique_ptr<BoardCohorts> cohorts) {
  if (cohorts_) cohorts_->dismantle();
  cohorts_ = std::move(cohorts);
  if (cohorts_) cohorts_->name();
  note_told();
}

// The season that begins has these.
void Board::begin_cohorts() {
  cohorts_ = make_cohorts(*spec_, season_.number, *engine_, CohortPlaces::Named::at_once);
  note_told();
}

Status Board::load_cohorts(const Engine::LoadProgress& progress) {
  begin_cohorts();
  if (cohorts_) {
    if (Status loaded = cohorts_->load(progress); !loaded) return loaded;
  }
  for (const auto& season : past_) {
    keep_cohorts(*season);
    if (season->cohorts() == nullptr) continue;
    if (Status loaded = season->cohorts()->load(progress); !loaded) return loaded;
  }
  return Done{};
}

// A past season gets its cohorts, without places.
void Board::keep_cohorts(ArchivedSeason& season) const {
  season.keep(make_cohorts(season.spec(), season.season().number, season.engine(),
                           CohortPlaces::Named::at_once));
}

Result<const BoardCohorts*> Board::cohorts(std::uint64_t season) const {
  const bool is_running = season == 0 || season == season_.number;
  const ArchivedSeason* const past = is_running ? nullptr : archived(season);
  if (!is_running && past == nullptr) {
    return Refusal(Code::unknown, "board \"{}\" keeps no season {}", escaped(name_, 64), season);
  }
  if (const BoardCohorts* const found = is_running ? cohorts_.get() : past->cohorts()) return found;
  if (!has_ranked_rows(*spec_)) {
    return Refusal(Code::unsupported,
                   "board \"{}\" has no cohorts: its engine is neither \"ranked\", nor \"sharded\" "
                   "with shards of \"ranked\"",
                   escaped(name_, 64));
  }
  if (is_running) return Refusal(Code::unknown, "board \"{}\" has no cohorts", escaped(name_, 64));
  return Refusal(Code::unknown, "season {} of board \"{}\" had no cohorts", season,
                 escaped(name_, 64));
}

Result<const Standings*> Board::part(const SegmentName& name) const {
  if (name.cohort == 0) return segment(name.attribute, name.value);
  const Result<const BoardCohorts*> found = cohorts();
  if (!found) return found.refusal();
  return &(*found)->board(name.cohort);
}

// Whether this or a past season has a place of the player.
bool Board::has_place_of(std::string_view player) const {
  if (cohorts_ && cohorts_->number_of(player) != 0) return true;
  return std::ranges::any_of(past_, [&](const auto& season) {
    return season->cohorts() != nullptr && season->cohorts()->number_of(player) != 0;
  });
}

void Board::forget_places(std::string_view player) {
  if (cohorts_) cohorts_->forget(player);
  for (const auto& season : past_) {
    if (season->cohorts() != nullptr) season->cohorts()->forget(player);
  }
}

}  // namespace laurel
