#include "board/seasons/seasons.h"

#include <utility>

#include "board/segments/board_cohorts.h"

namespace laurel {

ArchivedSeason::ArchivedSeason(const Players& players, const Season& season, const SharedSpec& spec,
                               std::unique_ptr<Engine> engine, SpaceNumber first)
    : Standings(players, ScoreForm(spec->order, spec->decimals), spec->ties, spec->ranking,
                engine.get(), spec->columns),
      season_(season),
      spec_(spec),
      engine_(std::move(engine)),
      engine_space_(first) {}

ArchivedSeason::~ArchivedSeason() { detach_cursors(); }

// As change_row(), and tells cohorts of it.
template <typename Change>
auto ArchivedSeason::change(const Player& player, Change change) {
  std::optional<CohortChange> of_cohort;
  if (cohorts_) of_cohort.emplace(*cohorts_, player, nullptr);
  return change_row(player, change);
}

bool ArchivedSeason::erase(const Player& player) {
  forget_top();
  return change(player, [&] { return engine_->erase(player); });
}

bool ArchivedSeason::rename(std::string_view from, std::string_view to) {
  const std::optional<std::string> packed = engine_->pack(look_up(from));
  if (packed) erase(look_up(from));
  if (cohorts_) cohorts_->rename(from, to);
  if (!packed) return false;
  change({to}, [&] { engine_->unpack(look_up(to), *packed); });
  return true;
}

void ArchivedSeason::keep(std::unique_ptr<BoardCohorts> cohorts) {
  cohorts_ = std::move(cohorts);
  if (cohorts_) cohorts_->close();
}

std::size_t ArchivedSeason::bytes() const {
  return sizeof *this + engine_->bytes() + read_bytes() + (cohorts_ ? cohorts_->bytes() : 0);
}

std::unique_ptr<Engine> ArchivedSeason::take_engine() {
  detach_cursors();
  if (cohorts_) cohorts_->dismantle();
  cohorts_.reset();
  return std::move(engine_);
}

}  // namespace laurel
