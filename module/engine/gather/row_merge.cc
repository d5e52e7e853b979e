#include "engine/gather/row_merge.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/limits.h"

namespace laurel {

namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};  // came to this match yet
constexpr std::size_t kRowsAtOnce = 32;               // are shown before their players' ids
constexpr std::size_t kReserveMax = 1024;             // rows: longer lists grow as they are read

}  // namespace

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
    : ties_(parts.ties),
      again_(asking.again),
      reads_(reads),
      arena_(arena),
      left_(n),
      lanes_(parts.views.size()),
      losers_(parts.views.size(), kNobody),
      lost_with_(parts.views.size()) {
  assert(!parts.views.empty() && parts.views.size() <= kGatherPartsMax);
  assert(parts.starts.empty() || parts.starts.size() == parts.views.size());
  if (n == 0) return;
  for (Part part = 0; part < lanes_.size(); ++part) {
    Lane& lane = lanes_[part];
    lane.part = parts.views[part];
    lane.tree = lane.part->in_memory();
    lane.has_data = lane.tree != nullptr && lane.part->has_data();
    if (!parts.starts.empty()) lane.position = parts.starts[part];
    lane.ask = asking.first;
    ask(lane);
    enter(part);
  }
}

void RowMerge::take_all(std::vector<EngineRow>& out) {
  out.reserve(out.size() + std::min(left_, kReserveMax));
  std::array<Unnamed, kRowsAtOnce> unnamed;
  while (left_ > 0 && lanes_[losers_.front()].left > 0) {
    const std::size_t first = out.size();
    std::size_t rows = 0;
    for (; rows < kRowsAtOnce && left_ > 0; ++rows) {
      const Lane& lane = lanes_[losers_.front()];
      if (lane.left == 0) break;
      unnamed[rows] = show_unnamed(lane, out.emplace_back());
      advance();
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const auto [order, player] = unnamed[i];
      if (order != nullptr) out[first + i].player = order->id(player);
    }
  }
}

// Where no row has data the order knows all that is to be shown: the part need not be asked.
inline RowMerge::Unnamed RowMerge::show_unnamed(const Lane& lane, EngineRow& out) const {
  if (lane.has_data) {
    lane.part->show(lane.row, out);
    return {};
  }
  if (lane.tree == nullptr) {
    out = fetched_[lane.fetched];
    return {};
  }
  const RowOrder& order = lane.tree->order();
  const Row row = order.row(lane.row.place());
  out.score = row.score;
  out.at = row.at;
  out.data.reset();
  return {&order, row.player};
}

void RowMerge::show(const Lane& lane, EngineRow& out) const {
  const auto [order, player] = show_unnamed(lane, out);
  if (order != nullptr) out.player = order->id(player);
}

// Fewer rows than were asked for are the part's last.
void RowMerge::ask(Lane& lane) {
  const std::size_t asked = std::min(lane.ask, left_);
  if (asked == 0) {
    missed_ = missed_ || lane.position < lane.part->size();
    return;
  }
  if (lane.tree != nullptr) {
    if (lane.questions == 0) lane.row = lane.tree->from(lane.position, asked);
    lane.left = std::min(asked, lane.tree->size() - lane.position);
  } else {
    lane.fetched = fetched_.size();
    lane.part->read(lane.position, asked, arena_, fetched_);
    lane.left = fetched_.size() - lane.fetched;
  }
  lane.position += lane.left;
  lane.ask = lane.left < asked ? 0 : lane.questions == 0 ? again_ : lane.ask * 2;
  reads_.entries += lane.left;
  if (++lane.questions > rounds_) {
    ++rounds_;
    ++reads_.rounds;
  }
}

// A part is asked again only here, when its last row was one of those wanted and more are: had it
// been worse than all of them, what stands behind it would be so too.
void RowMerge::advance() {
  if (--left_ == 0) return;
  const Part part = losers_.front();
  Lane& lane = lanes_[part];
  if (lane.tree != nullptr) {
    lane.row.next();
  } else {
    ++lane.fetched;
  }
  if (--lane.left == 0) ask(lane);
  climb(part);
}

ScoreKey RowMerge::best_score(Part part) const {
  const Lane& lane = lanes_[part];
  if (lane.left == 0) return kWorstScore;
  return lane.tree == nullptr ? fetched_[lane.fetched].score : lane.row.score();
}

// Who comes first to a match waits there; who comes last to the last one is the best.
void RowMerge::enter(Part part) {
  ScoreKey score = best_score(part);
  for (std::size_t node = (losers_.size() + part) / 2; node > 0; node /= 2) {
    if (losers_[node] == kNobody) {
      losers_[node] = part;
      lost_with_[node] = score;
      return;
    }
    const ScoreKey other = lost_with_[node];
    if (other != score ? other < score : wins_tie(losers_[node], part)) {
      std::swap(losers_[node], part);
      std::swap(lost_with_[node], score);
    }
  }
  losers_.front() = part;
}

// The lane's next row against those who lost to the one before.
void RowMerge::climb(Part part) {
  Part* const losers = losers_.data();
  ScoreKey* const lost_with = lost_with_.data();
  ScoreKey score = best_score(part);
  for (std::size_t node = (losers_.size() + part) / 2; node > 0; node /= 2) {
    const ScoreKey other = lost_with[node];
    if (other > score) continue;
    if (other == score && !wins_tie(losers[node], part)) continue;
    std::swap(losers[node], part);
    lost_with[node] = score;
    score = other;
  }
  losers[0] = part;
}

// Of two rows of one score; lanes without rows lose.
bool RowMerge::wins_tie(Part a, Part b) const {
  const Lane& first = lanes_[a];
  const Lane& second = lanes_[b];
  if (first.left == 0 || second.left == 0) return first.left > 0;
  EngineRow rows[2];
  show(first, rows[0]);
  show(second, rows[1]);
  return stands_before(rows[0], rows[1], ties_);
}

}  // namespace laurel
