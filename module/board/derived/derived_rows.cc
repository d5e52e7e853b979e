#include "board/derived/derived_rows.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/memory_guarantee.h"
#include "board/board.h"
#include "engine/ranked/ranked_engine.h"

namespace laurel {

ScoreEngine& DerivedRows::engine() const { return static_cast<ScoreEngine&>(*board_.engine_); }

void DerivedRows::put(const Player& player, const RowKey& row) {
  std::optional<EngineRow> held;
  engine().find_held(player, board_.judged_, held);
  if (held && held->score == row.score && held->at == row.at) return;
  const ScoreKey better = held ? std::min(held->score, row.score) : row.score;
  // Only a row keeps the handle: the source's may be gone, and another board's may, too.
  const Player known = held ? player : board_.look_up(player.id);
  const auto change = [&] { engine().put(known, {known.id, row.score, row.at, std::nullopt}); };
  board_.change_row(known, change, &row);
  board_.forget_top(better);
  board_.list_changed();
}

void DerivedRows::erase(const Player& player) { board_.erase(player); }

void DerivedRows::prefetch_player(PlayerHandle player) const {
  engine().prefetch_players({&player, 1});
}

void DerivedRows::prefetch_row(PlayerHandle player) const { engine().prefetch_rows({&player, 1}); }

void DerivedRows::prefetch_place(ScoreKey score) const { engine().prefetch_paths({&score, 1}); }

void DerivedRows::outdate() { board_.touched(); }

std::unique_ptr<ScoreEngine> DerivedRows::make() const {
  return std::make_unique<RankedEngine>(board_.context_.players, board_.spec_->ties);
}

bool DerivedRows::are_stored() const { return is_of_groups(*board_.spec_); }

// A loop over the entries has to hear of each row that differs, and the store, too.
void DerivedRows::replace(std::unique_ptr<ScoreEngine> rows) {
  if (are_stored() && rows->size() == 0 && !board_.has_cursors()) return empty();
  if (board_.has_cursors() || are_stored()) return take_differences(*rows);
  const MemoryGuarantee guaranteed(0, MemoryGuarantee::Frees::yes);
  std::unique_ptr<Engine> others = std::move(rows);
  std::swap(board_.engine_, others);
  board_.show(board_.engine_.get());
  board_.context_.reclaimer.take(std::move(others));
  board_.touched();
}

// Their space is freed later.
void DerivedRows::empty() {
  if (board_.size() == 0) return;
  Board::PlacedEngine other = board_.make_empty_engine(board_.context_.timestamps.now());
  const MemoryGuarantee guaranteed(0, MemoryGuarantee::Frees::yes);
  board_.context_.reclaimer.take(board_.swap_engine(std::move(other)));
  board_.save();
  board_.touched();
}

// If memory ends, some rows are as in `rows`, and the caller tries again.
void DerivedRows::take_differences(const ScoreEngine& rows) {
  std::vector<std::string> gone;
  Arena arena;
  board_.engine_->each_packed([&](std::string_view id, std::string_view) {
    arena.clear();
    if (!rows.find(board_.look_up(id), arena)) gone.emplace_back(id);
  });
  for (const std::string& id : gone) {
    const MemoryGuarantee guaranteed;
    erase(board_.look_up(id));
  }
  rows.each_packed([&](std::string_view id, std::string_view) {
    arena.clear();
    const Player player = board_.look_up(id);
    const std::optional<EngineRow> row = rows.find(player, arena);
    const MemoryGuarantee guaranteed;
    put(player, {row->score, row->at});
  });
}

void DerivedRows::follow_season(const Season& season) {
  if (board_.season_.number == season.number && board_.season_.started == season.started) return;
  const MemoryGuarantee guaranteed;
  board_.season_ = season;
  board_.save();
  board_.list_changed();
}

void DerivedRows::end_season(Time ended, const Season& next) {
  board_.end_season(ended, next.started, board_.make_empty_engine(ended));
  follow_season(next);
}

}  // namespace laurel
