#include "board/segments/segment.h"

#include <algorithm>
#include <array>
#include <span>

namespace laurel {

void SegmentRows::cut(std::size_t& rows, Releases releases) {
  std::array<Row, 256> last;
  while (rows > 0 && tree_.size() > 0) {
    const std::size_t n = std::min({last.size(), tree_.size(), rows});
    tree_.read(tree_.size() - n, std::span(last).first(n));
    for (std::size_t i = n; i-- > 0;) {
      tree_.erase(last[i].player);
      if (releases == Releases::yes) players_.release(last[i].player);
    }
    rows -= n;
  }
}

void SegmentRows::show(const Row& row, Arena& arena, EngineRow& out) const {
  fill(row, players_.id(row.player, arena), out);
}

void SegmentRows::fill(const Row& row, std::string_view id, EngineRow& out) const {
  out.player = id;
  out.score = row.score;
  out.at = row.at;
  out.data.reset();
  if (!order_.has_data()) return;
  Arena unused;  // the engines with segments are in memory, and return views of it
  const std::optional<EngineRow> held = order_.find({id, row.player}, unused);
  if (held) out.data = held->data;
}

std::optional<EngineRow> SegmentRows::find(const Player& player, Arena&) const {
  std::optional<EngineRow> found;
  if (player.handle == kNoPlayer) return found;
  if (const std::optional<Row> row = tree_.find(player.handle)) {
    fill(*row, player.id, found.emplace());
  }
  return found;
}

void SegmentRows::read(std::size_t first, std::size_t n, Arena& arena,
                       std::vector<EngineRow>& out) const {
  if (first >= size()) return;
  n = std::min(n, size() - first);
  out.reserve(out.size() + n);
  RowCursor row = tree_.from(first, n);
  for (; n > 0; --n, row.next()) show(tree_.order().row(row.place()), arena, out.emplace_back());
}

void Segment::put(std::string_view id, const Row& row) {
  if (!board_) {
    rows_.put(row);
    return;
  }
  const std::optional<Row> held = rows_.row_of(row.player);
  const ScoreKey best = held ? std::min(held->score, row.score) : row.score;
  board_->change_member(id, best, [&] { rows_.put(row); });
}

void Segment::erase(std::string_view id, PlayerHandle player) {
  if (!board_) {
    rows_.erase(player);
    return;
  }
  const ScoreKey score = rows_.row_of(player)->score;
  board_->change_member(id, score, [&] { rows_.erase(player); });
}

const SegmentBoard& Segment::board(const Players& players, const SegmentForm& form) const {
  if (!board_) board_ = std::make_unique<SegmentBoard>(players, form, rows_);
  return *board_;
}

}  // namespace laurel
