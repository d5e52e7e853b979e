// A board's seasons: ending the running one, and keeping those that ended.
#include <utility>

#include "base/text.h"
#include "board/board.h"

namespace laurel {

void Board::start_engine(Time now) {
  const EngineContext context = shared_.engines();
  if (spec_.engine == EngineKind::rolling) {
    auto rolling = std::make_unique<RollingEngine>(spec_, context);
    rolling->advance(now);
    rolling_ = rolling.get();
    engine_ = std::move(rolling);
  } else {
    auto scores = make_score_engine(spec_, context);
    scores_ = scores.get();
    engine_ = std::move(scores);
  }
  is_capped_ = spec_.engine == EngineKind::capped;
  has_limits_ = keys_are_padded(spec_);
  show(engine_.get());
}

std::unique_ptr<Engine> Board::swap_engine() {
  std::unique_ptr<Engine> engine = std::move(engine_);
  start_engine(shared_.moments.now());
  return engine;
}

void Board::present(Time now) {
  if (const std::optional<Time> due = season_clock_.passed(now)) {
    const Time started = season_clock_.latest(now).value_or(*due);
    if (written_) {
      end_season(*due, started);
    } else {
      season_.started = started;
    }
  }
  if (rolling_ != nullptr) move_window(now);
}

void Board::move_window(Time now) {
  switch (rolling_->advance(now)) {
    case Advance::none:
    case Advance::behind: break;  // a clock that goes back is logged where moments are given
    case Advance::next: touched(); break;
    case Advance::anew:
      touched();
      shared_.log.warn("board \"{}\": the clock went back by more than the window; it begins anew",
                       escaped(name_));
      break;
  }
}

void Board::end_season(Time ended, Time started) {
  drop_all_hidden();
  season_.ended = ended;
  archives_.push_front(
      std::make_unique<ArchivedSeason>(shared_.players, season_, spec_, swap_engine()));
  trim_archives();
  season_ = {.number = season_.number + 1, .started = started, .ended = std::nullopt};
  written_ = false;
  touched();
}

void Board::trim_archives() {
  while (archives_.size() > spec_.archive) {
    shared_.reclaimer.take(archives_.back()->take_engine());
    archives_.pop_back();
  }
}

std::uint64_t Board::reset() {
  const Time now = shared_.moments.now();
  const std::uint64_t ended = season_.number;
  end_season(now, now);
  return ended;
}

std::vector<std::uint64_t> Board::seasons() const {
  std::vector<std::uint64_t> numbers = {season_.number};
  for (const auto& season : archives_) numbers.push_back(season->season().number);
  return numbers;
}

const ArchivedSeason* Board::archived(std::uint64_t number) const {
  for (const auto& season : archives_) {
    if (season->season().number == number) return season.get();
  }
  return nullptr;
}

}  // namespace laurel
