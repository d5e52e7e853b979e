#include "engine/ranked_engine.h"

#include <algorithm>
#include <array>

namespace laurel {

RankedEngine::RankedEngine(Players& players, Ties ties) : players_(players), tree_(players, ties) {}

// All at once: no row is looked for.
RankedEngine::~RankedEngine() {
  std::array<Row, 256> rows;
  for (std::size_t first = 0, n = 0; (n = tree_.read(first, rows)) > 0; first += n) {
    for (std::size_t i = 0; i < n; ++i) players_.release(rows[i].player);
  }
  tree_.clear();
}

// Filled in place: a row that is built elsewhere and copied costs several times as much.
void RankedEngine::fill(EngineRow& out, const Row& row) const {
  out.player = players_.id(row.player);
  out.score = row.score;
  out.at = row.at;
  if (data_.empty()) return;
  if (const auto found = data_.find(row.player); found != data_.end()) out.data = found->second;
}

std::optional<EngineRow> RankedEngine::find(const Player& player, Arena&) const {
  if (player.handle == kNoPlayer) return std::nullopt;
  const std::optional<Row> row = tree_.find(player.handle);
  if (!row) return std::nullopt;
  std::optional<EngineRow> found(std::in_place);
  fill(*found, *row);
  return found;
}

void RankedEngine::put(const Player& player, const EngineRow& row) {
  PlayerHandle handle = player.handle;
  if (handle == kNoPlayer) {
    handle = players_.hold(player.id);
    tree_.put({row.score, row.at, handle});
  } else if (tree_.put({row.score, row.at, handle})) {
    players_.hold(handle);
  }
  put_data(handle, row.data);
}

void RankedEngine::put_data(PlayerHandle player, std::optional<std::string_view> data) {
  if (data) {
    data_[player].assign(*data);
  } else if (!data_.empty()) {
    data_.erase(player);
  }
}

bool RankedEngine::erase(const Player& player) {
  if (player.handle == kNoPlayer || !tree_.erase(player.handle)) return false;
  put_data(player.handle, std::nullopt);
  players_.release(player.handle);
  return true;
}

bool RankedEngine::dismantle(std::size_t rows) {
  cut(tree_.size() - std::min(rows, tree_.size()));
  return tree_.size() > 0;
}

// From the last row on: what stands before stays where it is.
void RankedEngine::cut(std::size_t size) {
  std::array<Row, 256> last;
  while (tree_.size() > size) {
    const std::size_t n = std::min(last.size(), tree_.size() - size);
    tree_.read(tree_.size() - n, std::span(last).first(n));
    for (std::size_t i = n; i-- > 0;) {
      tree_.erase(last[i].player);
      put_data(last[i].player, std::nullopt);
      players_.release(last[i].player);
    }
  }
}

bool RankedEngine::holds(const Player& player) const {
  return player.handle != kNoPlayer && tree_.find(player.handle).has_value();
}

std::optional<std::size_t> RankedEngine::position(const Player& player) const {
  if (!holds(player)) return std::nullopt;
  return tree_.position(player.handle);
}

std::optional<std::uint64_t> RankedEngine::rank(const Player& player, Ranking ranking) const {
  if (!holds(player)) return std::nullopt;
  return rank_of_row(ranking, tree_, player.handle);
}

void RankedEngine::read(std::size_t first, std::size_t n, Arena&,
                        std::vector<EngineRow>& out) const {
  std::array<Row, 16> rows;  // most lists are short, and clearing rows costs more than reading them
  while (n > 0) {
    const std::size_t got = tree_.read(first, std::span(rows).first(std::min(n, rows.size())));
    if (got == 0) return;
    for (std::size_t i = 0; i < got; ++i) fill(out.emplace_back(), rows[i]);
    first += got;
    n -= got;
  }
}

std::size_t RankedEngine::bytes() const {
  constexpr std::size_t kMapNodeBytes = 56;  // a node of the map, its string's header included
  std::size_t bytes = sizeof *this + tree_.bytes();
  for (const auto& [player, text] : data_) bytes += kMapNodeBytes + text.capacity();
  return bytes;
}

}  // namespace laurel
