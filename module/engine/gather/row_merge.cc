#include "engine/gather/row_merge.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/limits.h"

namespace laurel {

bool stands_before(const EngineRow& a, const EngineRow& b, Ties ties) {
  if (a.score != b.score) return a.score < b.score;
  if (ties == Ties::earliest && a.at != b.at) return a.at < b.at;
  if (ties == Ties::latest && a.at != b.at) return a.at > b.at;
  return ties == Ties::player_desc ? a.player > b.player : a.player < b.player;
}

Asking fair_share(std::size_t n, std::size_t parts) {
  const double share = static_cast<double>(n) / static_cast<double>(parts);
  const double deviation = std::sqrt(share);
  return {static_cast<std::size_t>(std::ceil(share + deviation)),
          static_cast<std::size_t>(std::ceil(deviation))};
}

RowMerge::RowMerge(const Parts& parts, std::size_t n, Asking asking, EngineReads& reads,
                   Arena& arena)
    : parts_(parts),
      again_(asking.again),
      reads_(reads),
      arena_(arena),
      left_(n),
      cursors_(parts.views.size()) {
  assert(parts.views.size() <= kGatherPartsMax && "more parts than a gather reads");
  assert(parts.starts.empty() || parts.starts.size() == parts.views.size());
  if (n == 0) return;
  rows_.reserve(std::min(asking.first, n) * cursors_.size());
  heads_.reserve(cursors_.size());
  for (std::uint32_t part = 0; part < cursors_.size(); ++part) {
    Cursor& cursor = cursors_[part];
    if (!parts.starts.empty()) cursor.position = parts.starts[part];
    cursor.ask = asking.first;
    fetch(part);
    if (cursor.row == cursor.end) continue;
    heads_.push_back({rows_[cursor.row].score, static_cast<std::uint32_t>(cursor.row), part});
  }
  std::make_heap(heads_.begin(), heads_.end(),
                 [this](const Head& a, const Head& b) { return before(b, a); });
}

void RowMerge::take_all(std::vector<EngineRow>& out) {
  for (const EngineRow* row = front(); row != nullptr; row = front()) {
    out.push_back(*row);
    take();
  }
}

// A part is asked again only here, when its last row was one of those wanted and more are: had it
// been worse than all of them, what stands behind it would be so too.
void RowMerge::take() {
  assert(front() != nullptr && "took a row where there was none");
  --left_;
  if (left_ == 0) return;
  Head& head = heads_.front();
  Cursor& cursor = cursors_[head.part];
  ++cursor.row;
  if (cursor.row == cursor.end) fetch(head.part);
  if (cursor.row == cursor.end) {
    head = heads_.back();
    heads_.pop_back();
    if (heads_.empty()) return;
  } else {
    head.row = static_cast<std::uint32_t>(cursor.row);
    head.score = rows_[cursor.row].score;
  }
  sink_first();
}

// Fewer rows than were asked for are the part's last.
void RowMerge::fetch(std::uint32_t part) {
  Cursor& cursor = cursors_[part];
  const std::size_t asked = std::min(cursor.ask, left_);
  if (asked == 0) {
    missed_ = missed_ || cursor.position < parts_.views[part]->size();
    return;
  }
  cursor.row = rows_.size();
  parts_.views[part]->read(cursor.position, asked, arena_, rows_);
  cursor.end = rows_.size();
  const std::size_t got = cursor.end - cursor.row;
  cursor.position += got;
  cursor.ask = got < asked ? 0 : cursor.questions == 0 ? again_ : cursor.ask * 2;
  reads_.entries += got;
  if (++cursor.questions > rounds_) {
    ++rounds_;
    ++reads_.rounds;
  }
}

bool RowMerge::before(const Head& a, const Head& b) const {
  if (a.score != b.score) [[likely]]
    return a.score < b.score;
  return stands_before(rows_[a.row], rows_[b.row], parts_.ties);
}

void RowMerge::sink_first() {
  const Head sinking = heads_.front();
  std::size_t hole = 0;
  for (std::size_t child = 1; child < heads_.size(); child = 2 * hole + 1) {
    if (child + 1 < heads_.size() && before(heads_[child + 1], heads_[child])) ++child;
    if (!before(heads_[child], sinking)) break;
    heads_[hole] = heads_[child];
    hole = child;
  }
  heads_[hole] = sinking;
}

}  // namespace laurel
