// A board's running season: its engine, its clock, and its end.
#include <algorithm>
#include <new>
#include <utility>

#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/board.h"
#include "board/marks/board_marks.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/board_segments.h"
#include "board/standings/derivation.h"
#include "engine/engine_factory.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

std::unique_ptr<Engine> Board::make_engine(const Spec& spec, SpaceNumber first, Time now) const {
  if (spec.engine != EngineKind::rolling) {
    return make_score_engine(spec, context_.engines(), first);
  }
  auto rolling = std::make_unique<RollingEngine>(spec, context_.engines(), first);
  rolling->advance(now);
  return rolling;
}

Board::PlacedEngine Board::make_empty_engine(Time now) const {
  const SpaceNumber first = context_.last_space + 1;
  context_.last_space += spaces_of(*spec_);
  return {make_engine(*spec_, first, now), first, now};
}

std::unique_ptr<Engine> Board::swap_engine(PlacedEngine other) {
  empty_cursors();
  std::swap(engine_, other.engine);
  engine_space_ = other.first;
  turned_ = other.turned;
  scores_ = is_derived(*spec_) ? nullptr : dynamic_cast<ScoreEngine*>(engine_.get());
  rolling_ = dynamic_cast<RollingEngine*>(engine_.get());
  is_capped_ = spec_->engine == EngineKind::capped;
  has_limits_ = keys_are_padded(*spec_) || spec_->columns;
  show(engine_.get());
  tell_all_changed();
  if (segments_) segments_->follow(*engine_);
  if (cohorts_) cohorts_->follow(*engine_);
  return std::move(other.engine);
}

void Board::present(Time now) {
  if (derivation_ != nullptr) return derivation_->present(now);
  if (season_clock_.moves(now)) move_season(now);
  if (rolling_ != nullptr) move_window(now);
  if (marks_ && marks_->moves(now)) move_mark(now);
}

void Board::move_season(Time now) {
  std::optional<PlacedEngine> next;
  if (written_ && season_clock_.is_due(now)) {
    tell_season_will_end();
    next = make_empty_engine(context_.timestamps.now());
  }
  const MemoryGuarantee guaranteed(membership_.hidden_bytes());
  if (const std::optional<Time> due = season_clock_.passed(now)) {
    const Time started = season_clock_.latest(now).value_or(*due);
    if (next) {
      end_season(*due, started, std::move(*next));
    } else {
      season_.started = started;
      if (results_) results_->season_ended();  // grants end with it
    }
  }
  due_.move(season_clock_.due());
  save();
}

void Board::move_window(Time now) {
  // While there is no memory, what has ended is not freed, so that the board can be read.
  const bool moves = rolling_->bucket_of(now) != rolling_->running();
  const MemoryGuarantee guaranteed(std::nothrow);
  if (!guaranteed.stands()) {
    if (!moves) return;
    throw std::bad_alloc();
  }
  if (moves && has_cursors()) rewind_cursors();
  const Advance advance = rolling_->advance(now);
  if (advance == Advance::next || advance == Advance::restart) {
    turned_ = now;
    save();
  }
  switch (advance) {
    case Advance::none:
    case Advance::behind: break;  // the timestamp source logs a clock that goes back
    case Advance::next: touched(); break;
    case Advance::restart:
      touched();
      context_.log.warn(
          "board \"{}\": the clock went back by more than the window; the board starts again, "
          "empty",
          escaped(name_));
      break;
  }
}

void Board::tell_season_will_end() {
  if (hearer() != nullptr) hearer()->season_will_end();
}

void Board::end_season(Time ended, Time started, PlacedEngine next) {
  membership_.drop_all_hidden();
  if (results_) results_->season_ended();
  season_.ended = ended;
  const SpaceNumber space = engine_space_;
  std::unique_ptr<BoardCohorts> cohorts = std::move(cohorts_);  // it stays with its order
  auto past = std::make_unique<ArchivedSeason>(context_.players, season_, spec_,
                                               swap_engine(std::move(next)), space);
  past->keep(std::move(cohorts));
  ArchivedSeason& added = past_.add(std::move(past));
  if (context_.season_ends != nullptr) context_.season_ends->on_end(*this, added);
  past_.trim();
  season_ = {.number = season_.number + 1, .started = started, .ended = std::nullopt};
  if (marks_) marks_->begin_season(started);
  begin_cohorts();
  written_ = false;
  save();
  touched();
  if (hearer() != nullptr) hearer()->season_ended(ended);
}

Result<std::uint64_t> Board::reset() {
  if (const Status open = may_change(); !open) return open.refusal();
  const Time now = context_.timestamps.now();
  const std::uint64_t ended = season_.number;
  tell_season_will_end();
  PlacedEngine next = make_empty_engine(now);
  const MemoryGuarantee guaranteed(membership_.hidden_bytes());
  end_season(now, start_of_season(now), std::move(next));
  return ended;
}

Time Board::start_of_season(Time now) const {
  return spec_->duration ? season_clock_.latest(now).value_or(now) : now;
}

std::optional<Time> Board::resets_at() const {
  const Board* const source = derivation_ != nullptr ? derivation_->seasons_of() : nullptr;
  return source != nullptr ? source->resets_at() : season_clock_.due();
}

// A reset may come earlier, and so may `closes`.
std::optional<Time> Board::closes_at() const {
  const Board* const source = derivation_ != nullptr ? derivation_->seasons_of() : nullptr;
  if (source != nullptr) return source->closes_at();
  if (!spec_->duration) return std::nullopt;
  const Time closes = season_.started + *spec_->duration;
  return std::min({closes, season_clock_.due().value_or(closes), spec_->closes.value_or(closes)});
}

std::vector<std::uint64_t> Board::seasons() const {
  std::vector<std::uint64_t> numbers = {season_.number};
  for (const auto& season : past_) numbers.push_back(season->season().number);
  return numbers;
}

}  // namespace laurel
