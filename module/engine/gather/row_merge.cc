#include "engine/gather/row_merge.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/limits.h"

namespace laurel {

namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};  // no lane has come to this match yet
constexpr std::size_t kRowsPerTake = 32;              // rows taken before they are shown
constexpr std::size_t kReserveMax = 1024;             // rows; longer lists grow as they are read

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
      losers_(parts.views.size(), kNobody),
      lost_with_(parts.views.size()) {
  assert(!parts.views.empty() && parts.views.size() <= kGatherPartsMax);
  assert(parts.starts.empty() || parts.starts.size() == parts.views.size());
  if (n == 0) return;
  lanes_.reserve(parts.views.size());
  for (Part part = 0; part < parts.views.size(); ++part) {
    const std::size_t start = parts.starts.empty() ? 0 : parts.starts[part];
    ask(lanes_.emplace_back(*parts.views[part], start, asking.first));
    enter(part);
  }
}

inline RowMerge::Lane::Lane(const EngineView& part_in, std::size_t start, std::size_t rows)
    : part(&part_in),
      tree(part->in_memory()),
      has_data(tree != nullptr && part->has_data()),
      row(tree != nullptr ? tree->from(start, rows) : RowCursor()),
      position(start),
      ask(rows) {}

void RowMerge::skip() {
  assert(left_ > 0 && !is_empty(losers_.front()) && "took a row where there was none");
  advance();
}

// The players of the rows are spread over memory, so that the cache misses of many rows overlap.
void RowMerge::take_all(std::vector<EngineRow>& out) {
  struct Taken {
    Part part;
    std::uint32_t row;
  };
  std::array<Taken, kRowsPerTake> taken;
  out.reserve(out.size() + std::min(left_, kReserveMax));
  while (left_ > 0 && !is_empty(losers_.front())) {
    std::size_t rows = 0;
    for (; rows < kRowsPerTake && left_ > 0; ++rows) {
      const Part part = losers_.front();
      if (is_empty(part)) break;
      taken[rows] = {part, lanes_[part].next};
      advance();
    }
    const std::size_t first = out.size();
    out.resize(first + rows);
    for (std::size_t i = 0; i < rows; ++i) {
      show(lanes_[taken[i].part], taken[i].row, out[first + i]);
    }
  }
}

// If no row has data, the tree has everything to show, so the part is not asked.
inline void RowMerge::show(const Lane& lane, std::uint32_t row, EngineRow& out) const {
  const Known& known = known_[row];
  if (lane.tree == nullptr) {
    out = fetched_[known.player];
  } else if (lane.has_data) {
    lane.part->show({scores_[row], known.at, known.player}, arena_, out);
  } else {
    out.score = scores_[row];
    out.at = known.at;
    out.player = lane.tree->order().players().id(known.player, arena_);
    out.data.reset();
  }
}

// If a part returns fewer rows than asked for, it has no further rows.
void RowMerge::ask(Lane& lane) {
  const std::size_t asked = std::min(lane.ask, left_);
  if (asked == 0) {
    missed_ = missed_ || lane.position < lane.part->size();
    return;
  }
  lane.next = static_cast<std::uint32_t>(scores_.size());
  if (lane.tree != nullptr) {
    read_in_memory(lane, asked);
  } else {
    fetch(lane, asked);
  }
  lane.end = static_cast<std::uint32_t>(scores_.size());
  const std::size_t got = lane.end - lane.next;
  lane.position += got;
  lane.ask = got < asked ? 0 : lane.questions == 0 ? again_ : lane.ask * 2;
  reads_.entries += got;
  if (++lane.questions > rounds_) {
    ++rounds_;
    ++reads_.rounds;
  }
}

inline void RowMerge::read_in_memory(Lane& lane, std::size_t n) {
  n = std::min(n, lane.tree->size() - lane.position);
  scores_.resize(lane.next + n, boost::container::default_init);
  known_.resize(lane.next + n, boost::container::default_init);
  ScoreKey* const scores = scores_.data() + lane.next;
  Known* const known = known_.data() + lane.next;
  const RowOrder order = lane.tree->order();
  lane.row.take(static_cast<std::uint32_t>(n), [=](std::uint32_t i, const Place& place) {
    const Row row = order.row(place);
    scores[i] = row.score;
    known[i] = {row.at, row.player};
  });
}

void RowMerge::fetch(Lane& lane, std::size_t n) {
  auto index = static_cast<PlayerHandle>(fetched_.size());
  lane.part->read(lane.position, n, arena_, fetched_);
  for (; index < fetched_.size(); ++index) {
    scores_.push_back(fetched_[index].score);
    known_.push_back({fetched_[index].at, index});
  }
}

// A part is asked again only when its last row was taken and more rows are wanted. If that row was
// worse than all wanted ones, so would be all rows after it.
inline void RowMerge::advance() {
  if (--left_ == 0) return;
  const Part part = losers_.front();
  Lane& lane = lanes_[part];
  if (++lane.next == lane.end) ask(lane);
  climb(part);
}

inline ScoreKey RowMerge::best_score(Part part) const {
  return is_empty(part) ? kWorstScore : scores_[lanes_[part].next];
}

// The first lane to come to a match waits there; the lane that wins the last match is the best.
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

// Plays the lane's next row against the losers of the previous row's matches.
inline void RowMerge::climb(Part part) {
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

// Compares two rows with the same score; a lane without rows loses.
bool RowMerge::wins_tie(Part a, Part b) const {
  if (is_empty(a) || is_empty(b)) return !is_empty(a);
  const Known& row_a = known_[lanes_[a].next];
  const Known& row_b = known_[lanes_[b].next];
  if (ties_ == Ties::earliest && row_a.at != row_b.at) return row_a.at < row_b.at;
  if (ties_ == Ties::latest && row_a.at != row_b.at) return row_a.at > row_b.at;
  char bytes[2 * kUnpackRoom];
  char* room = bytes;
  const std::string_view id_a = id_of(lanes_[a], row_a, room);
  const std::string_view id_b = id_of(lanes_[b], row_b, room);
  return ties_ == Ties::player_desc ? id_a > id_b : id_a < id_b;
}

std::string_view RowMerge::id_of(const Lane& lane, const Known& row, char*& room) const {
  if (lane.tree == nullptr) return fetched_[row.player].player;
  return lane.tree->order().players().read_id(row.player, room);
}

}  // namespace laurel
