#include "engine/capped/capped_engine.h"

#include <algorithm>
#include <cassert>

#include "base/invariant.h"
#include "base/limits.h"
#include "engine/gather/row_merge.h"

namespace laurel {

namespace {

// True if row a wins over row b of the same player. A total order except for equal rows, where
// either may win.
bool is_better(const EngineRow& a, const EngineRow& b, Ties ties) {
  if (a.score != b.score) return a.score < b.score;
  if (a.at != b.at) return (a.at < b.at) == (ties != Ties::latest);
  return a.data > b.data;
}

}  // namespace

CappedEngine::CappedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space)
    : players_(context.players),
      ties_(spec.ties),
      rows_(context.players, spec.ties, Space(context.store, space).open_buffer(),
            kCappedPackedMax) {
  configure(spec);
}

void CappedEngine::configure(const EngineSpec& spec) {
  assert(spec.cap >= 1 && spec.cap <= kCapMax && spec.reserve <= kCapMax);
  cap_ = spec.cap;
  held_max_ = spec.cap + spec.reserve;
  rows_.cut(held_max_);
}

// Also loads rows that are not shown; rows left from larger sizes are removed.
void CappedEngine::load(const LoadProgress& progress) {
  rows_.load(progress);
  rows_.cut(held_max_);
}

std::optional<ScoreKey> CappedEngine::lowest() const {
  if (rows_.size() < cap_) return std::nullopt;
  return rows_.at(cap_ - 1).score;
}

void CappedEngine::find_held(const Player& player, Arena& arena,
                             std::optional<EngineRow>& row) const {
  rows_.find_held(player, arena, row);
}

// Most results of a busy game are hopeless; they are rejected without any change.
bool CappedEngine::is_hopeless(const Player& player, const EngineRow& row) const {
  if (rows_.size() < held_max_) return false;
  const Row last = rows_.at(held_max_ - 1);
  if (row.score < last.score) return false;
  if (row.score == last.score) {
    const IdText id = players_.id(last.player);
    const EngineRow newcomer{player.id, row.score, row.at, {}};
    if (stands_before(newcomer, {id, last.score, last.at, {}}, ties_)) return false;
  }
  return !rows_.position(player);
}

void CappedEngine::put(const Player& player, const EngineRow& row) {
  if (is_hopeless(player, row)) return;
  rows_.put(player, row);
  rows_.cut(held_max_);
}

bool CappedEngine::merge(const Player& player, const EngineRow& row) {
  Arena arena;
  const std::optional<EngineRow> held = rows_.find(player, arena);
  if (held && !is_better(row, *held, ties_)) return false;
  put(player, row);
  return held || rows_.position({player.id, players_.find(player.id)});
}

std::size_t CappedEngine::size() const { return std::min(rows_.size(), cap_); }

std::optional<EngineRow> CappedEngine::find(const Player& player, Arena& arena) const {
  if (!position(player)) return std::nullopt;
  return rows_.find(player, arena);
}

std::optional<std::size_t> CappedEngine::position(const Player& player) const {
  const std::optional<std::size_t> position = rows_.position(player);
  if (!position || *position >= cap_) return std::nullopt;
  return position;
}

// Counts the rows that are shown: equal rows may be in the reserve too.
std::optional<Rank> CappedEngine::rank(const Player& player, Ranking ranking) const {
  const std::optional<std::size_t> position = this->position(player);
  if (!position) return std::nullopt;
  return rank_of_row(ranking, *this, rows_.at(*position).score, [&] { return *position; });
}

Rank CappedEngine::rank_of_newcomer(ScoreKey score, Ranking ranking) const {
  return laurel::rank_of_newcomer(ranking, ties_, *this, score);
}

std::size_t CappedEngine::count_better(ScoreKey score) const {
  return std::min(rows_.count_better(score), cap_);
}

std::size_t CappedEngine::count_not_worse(ScoreKey score) const {
  return std::min(rows_.count_not_worse(score), cap_);
}

std::size_t CappedEngine::distinct_better(ScoreKey score) const {
  const std::optional<ScoreKey> last = lowest();
  if (!last || score <= *last) return rows_.distinct_better(score);
  return rows_.distinct_better(*last) + 1;
}

std::optional<std::size_t> CappedEngine::read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                                     std::vector<EngineRow>& out) const {
  if (first >= size()) return std::nullopt;
  return rows_.read_ranked(first, std::min(n, size() - first), arena, out);
}

void CappedEngine::check() const {
  rows_.check();
  must(rows_.size() <= held_max_, "no more is held than is shown and in reserve");
}

}  // namespace laurel
