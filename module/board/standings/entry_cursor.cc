#include "board/standings/entry_cursor.h"

#include <algorithm>
#include <vector>

#include "base/limits.h"
#include "engine/gather/row_merge.h"

namespace laurel {

EntryCursor::EntryCursor(const Standings& standings, std::size_t first)
    : standings_(&standings), rows_(std::min(first, standings.size())) {
  standings.attach(*this);
  if (rows_ == 0) return;
  Arena arena;
  std::vector<EngineRow> rows;
  standings.view_->read(rows_ - 1, 1, arena, rows);
  place_ = Place{rows[0].score, rows[0].at, std::string(rows[0].player)};
  better_ = standings.view_->count_better(rows[0].score);
}

EntryCursor::~EntryCursor() {
  if (standings_ != nullptr) standings_->detach(*this);
}

bool EntryCursor::is_behind(const EngineRow& row) const {
  return !place_ || stands_before(place_->row(), row, standings_->ties_);
}

// Counts a row before the place in, or out.
void EntryCursor::count(const EngineRow& row, std::int64_t by) {
  const auto add = static_cast<std::uint64_t>(by);  // modulo 2^64
  if (!is_behind(row)) rows_ += add;
  if (!place_) return;
  if (row.score < place_->score) better_ += add;
  if (row.score <= place_->score) {
    if (not_worse_) *not_worse_ += add;
    distinct_better_.reset();
  }
}

void EntryCursor::row_changed(std::string_view player, const std::optional<EngineRow>& before,
                              const std::optional<EngineRow>& after) {
  const EngineView& engine = *standings_->view_;
  const bool was_marked = marks_.unmark(engine, player);
  const bool is_to_come = before && is_behind(*before) != was_marked;
  if (before) count(*before, -1);
  if (!after) return;
  count(*after, 1);
  if (is_behind(*after) != is_to_come && !marks_.mark(engine, player)) too_many_ = true;
}

void EntryCursor::emptied() {
  marks_.clear();
  rows_ = 0;
  better_ = 0;
  not_worse_.reset();
  distinct_better_.reset();
}

void EntryCursor::rewind() {
  constexpr std::size_t kRowsAtOnce = 256;
  const EngineView& engine = *standings_->view_;
  Arena arena;
  std::vector<EngineRow> rows;
  for (std::size_t first = 0; first < rows_; first += kRowsAtOnce) {
    arena.clear();
    rows.clear();
    engine.read(first, std::min(kRowsAtOnce, rows_ - first), arena, rows);
    for (const EngineRow& row : rows) {
      if (!marks_.unmark(engine, row.player) && !marks_.mark(engine, row.player)) too_many_ = true;
    }
  }
  place_.reset();
  rows_ = 0;
}

void EntryCursor::end() {
  marks_.clear();
  standings_ = nullptr;
}

void EntryCursor::expire() {
  end();
  expired_ = true;
}

// Counts the rows up to the place again, by a binary search among rows of its score.
void EntryCursor::recount() {
  const EngineView& engine = *standings_->view_;
  better_ = engine.count_better(place_->score);
  not_worse_ = engine.count_not_worse(place_->score);
  Arena arena;
  std::vector<EngineRow> rows;
  std::size_t low = better_;
  std::size_t high = std::min<std::size_t>(*not_worse_, engine.size());
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    rows.clear();
    engine.read(middle, 1, arena, rows);
    if (is_behind(rows[0])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  rows_ = low;
}

// The row is the first one behind the place.
void EntryCursor::move_to(const EngineRow& row) {
  if (!place_) {
    place_ = Place{};
    better_ = 0;
    not_worse_.reset();
    distinct_better_ = 0;
  } else if (row.score != place_->score) {
    better_ = rows_;
    not_worse_.reset();
    if (distinct_better_) ++*distinct_better_;
  }
  place_->score = row.score;
  place_->at = row.at;
  place_->player.assign(row.player);
  ++rows_;
}

std::uint64_t EntryCursor::not_worse_at_place() {
  const ScoreKey score = place_->score;
  if (!not_worse_) not_worse_ = better_ + standings_->view_->count_between(score, score);
  return *not_worse_;
}

Rank EntryCursor::rank_at_place() {
  switch (standings_->ranking_) {
    case Ranking::competition: return better_ + 1;
    case Ranking::modified: return not_worse_at_place();
    case Ranking::fractional: return Rank::mean(better_ + 1, not_worse_at_place());
    case Ranking::dense:
      if (!distinct_better_) distinct_better_ = standings_->view_->distinct_better(place_->score);
      return *distinct_better_ + 1;
    case Ranking::ordinal: break;
  }
  return rows_;
}

// Marked players are done: the place moves past them.
bool EntryCursor::next_behind(Entries& out) {
  const EngineView& engine = *standings_->view_;
  std::vector<EngineRow> rows;
  for (;;) {
    rows.clear();
    std::optional<EngineRow> place;
    if (place_ && engine.drops_rows()) recount();
    if (place_) place = place_->row();
    engine.read_behind(place ? &*place : nullptr, rows_, 1, out.arena(), rows);
    if (rows.empty()) return false;
    move_to(rows[0]);
    if (marks_.unmark(engine, rows[0].player)) continue;
    Entry& entry = *out.add(1);
    standings_->fill(entry, rows[0]);
    entry.rank = rank_at_place();
    return true;
  }
}

// A marked player may have been dropped by a capped board.
bool EntryCursor::next_marked(Entries& out) {
  const EngineView& engine = *standings_->view_;
  for (;;) {
    const std::string_view id = marks_.first(out.arena());
    if (id.empty()) return false;
    marks_.unmark(engine, id);
    const Player player = standings_->look_up(id);
    const std::optional<EngineRow> row = engine.find(player, out.arena());
    if (!row) continue;
    Entry& entry = *out.add(1);
    standings_->fill(entry, *row);
    entry.rank = *engine.rank(player, standings_->ranking_);
    return true;
  }
}

Status EntryCursor::next(Entries& out) {
  if (expired_) {
    return Refusal(Code::unavailable, "{} loops over this board were begun or used since",
                   kCursorsMax);
  }
  if (standings_ == nullptr) return Done{};
  standings_->touch(*this);
  if (too_many_) {
    return Refusal(
        Code::unavailable,
        "more than {} players moved across the place of a loop over a board in the store",
        kCursorIdsMax);
  }
  if (!next_behind(out)) (void)next_marked(out);
  return Done{};
}

}  // namespace laurel
