#include "board/seasons.h"

#include <utility>

namespace laurel {

ArchivedSeason::ArchivedSeason(const Players& players, const Season& season, const Spec& spec,
                               std::unique_ptr<Engine> engine, SpaceNumber first)
    : Standings(players, ScoreForm(spec.order, spec.decimals), spec.ties, spec.ranking,
                engine.get(), spec.columns),
      season_(season),
      spec_(spec),
      engine_(std::move(engine)),
      engine_space_(first) {}

bool ArchivedSeason::rename(std::string_view from, std::string_view to) {
  const std::optional<std::string> packed = engine_->pack(look_up(from));
  if (!packed) return false;
  erase(look_up(from));
  change_row(to, [&] { engine_->unpack(look_up(to), *packed); });
  return true;
}

void SeasonClock::follow(const std::optional<Schedule>& schedule, Time now) {
  schedule_ = schedule ? std::make_unique<const Schedule>(*schedule) : nullptr;
  looked_ = now;
  due_ = schedule_ ? schedule_->next(now) : std::nullopt;
}

void SeasonClock::resume(const std::optional<Schedule>& schedule, std::optional<Time> due) {
  schedule_ = schedule ? std::make_unique<const Schedule>(*schedule) : nullptr;
  looked_ = INT64_MAX;  // the clock may have gone back since
  due_ = schedule_ ? due : std::nullopt;
}

bool SeasonClock::moves(Time now) {
  if (!schedule_) return false;
  if (now < looked_ || is_due(now)) return true;
  looked_ = now;
  return false;
}

std::optional<Time> SeasonClock::passed(Time now) {
  if (!schedule_) return std::nullopt;
  const bool went_back = now < std::exchange(looked_, now);
  const bool is_due = due_ && now >= *due_;
  if (!went_back && !is_due) return std::nullopt;
  const std::optional<Time> was_due = is_due ? due_ : std::nullopt;
  due_ = schedule_->next(now);
  return was_due;
}

std::optional<Time> SeasonClock::latest(Time now) const {
  return schedule_ ? schedule_->last(now) : std::nullopt;
}

}  // namespace laurel
