#include "engine/ranked/ranked_engine.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/limits.h"
#include "engine/row_codec.h"
#include "rank/tree/bulk_load.h"

namespace laurel {

RankedEngine::RankedEngine(Players& players, Ties ties, std::unique_ptr<WriteBuffer> buffer,
                           std::size_t packed_max)
    : TreeView(players, ties, packed_max), players_(players), buffer_(std::move(buffer)) {}

// Releases all players and clears the tree, instead of erasing row by row.
RankedEngine::~RankedEngine() {
  std::array<Row, 256> rows;
  for (std::size_t first = 0, n = 0; (n = tree_.read(first, rows)) > 0; first += n) {
    for (std::size_t i = 0; i < n; ++i) players_.release(rows[i].player);
  }
  tree_.clear();
}

// Fills the row in place: building a row and then copying it costs several times as much.
inline void RankedEngine::fill(EngineRow& out, const Row& row, std::string_view id) const {
  out.player = id;
  out.score = row.score;
  out.at = row.at;
  out.data.reset();
  if (data_) out.data = data_of(row.player);
}

std::optional<std::string_view> RankedEngine::data_of(PlayerHandle player) const {
  if (!data_) return std::nullopt;
  const std::string* const data = data_->find(player);
  if (data == nullptr) return std::nullopt;
  return *data;
}

// The caller has the id: reading it from the player's record would access one more cache line.
std::optional<EngineRow> RankedEngine::find(const Player& player, Arena& arena) const {
  std::optional<EngineRow> found;  // the only object returned, so that it is built in place
  find_held(player, arena, found);
  return found;
}

void RankedEngine::find_held(const Player& player, Arena&, std::optional<EngineRow>& row) const {
  if (player.handle == kNoPlayer) return;
  if (const std::optional<Row> held = tree_.find(player.handle)) {
    fill(row.emplace(), *held, player.id);
  }
}

Row RankedEngine::at(std::size_t position) const {
  std::array<Row, 1> row;
  const std::size_t got = tree_.read(position, row);
  assert(got == 1 && "asked for a row behind the last");
  (void)got;
  return row.front();
}

void RankedEngine::put(const Player& player, const EngineRow& row) {
  const bool known = player.handle != kNoPlayer;
  const PlayerHandle handle = known ? player.handle : players_.hold(player.id);
  const Put put = tree_.put({row.score, row.at, handle});
  if (known && put == Put::added) players_.hold(handle);
  // Write before the data is replaced: row.data may be a view of the held data.
  if (buffer_ && (put != Put::unchanged || data_of(handle) != row.data)) write_row(player.id, row);
  if (row.data || data_) put_data(handle, row.data);
}

void RankedEngine::put_data(PlayerHandle player, std::optional<std::string_view> data) {
  if (data) {
    if (!data_) data_ = std::make_unique<PlayerTexts>();
    data_->put(player, *data);
  } else if (data_) {
    data_->erase(player);
  }
}

bool RankedEngine::erase(const Player& player) {
  if (player.handle == kNoPlayer || !tree_.erase(player.handle)) return false;
  erase_row(player.handle);
  put_data(player.handle, std::nullopt);
  players_.release(player.handle);
  return true;
}

void RankedEngine::write_row(std::string_view player, const EngineRow& row) {
  pack_row(row, packed_);
  buffer_->put(player, packed_);
}

void RankedEngine::erase_row(PlayerHandle player) {
  if (!buffer_) return;
  const IdText id = players_.id(player);
  buffer_->erase(id);
}

void RankedEngine::load(const LoadProgress& progress) {
  if (!buffer_) return;
  assert(tree_.size() == 0 && "rows are loaded before anything else");
  BulkLoad bulk(players_);
  std::vector<std::pair<std::size_t, std::string>> data;
  buffer_->each([&](std::string_view id, std::string_view packed) {
    const std::optional<EngineRow> row = read_row(packed);
    if (!row || id.empty() || id.size() > kPlayerBytesMax) return;
    if (row->data) data.emplace_back(bulk.size(), *row->data);
    bulk.add(id, row->score, row->at);
    if (bulk.size() % kRowsPerProgress == 0) progress(kRowsPerProgress);
  });
  bulk.finish(tree_);
  for (const auto& [row, text] : data) put_data(bulk.player(row), text);
  progress(tree_.size() % kRowsPerProgress);
}

bool RankedEngine::dismantle(std::size_t rows) {
  if (buffer_) {
    buffer_->retire();
    buffer_.reset();
  }
  cut(tree_.size() - std::min(rows, tree_.size()));
  return tree_.size() > 0;
}

// Removes rows from the end, so that the other rows do not move.
void RankedEngine::cut(std::size_t size) {
  std::array<Row, 256> last;
  while (tree_.size() > size) {
    const std::size_t n = std::min(last.size(), tree_.size() - size);
    tree_.read(tree_.size() - n, std::span(last).first(n));
    for (std::size_t i = n; i-- > 0;) {
      tree_.erase(last[i].player);
      erase_row(last[i].player);
      put_data(last[i].player, std::nullopt);
      players_.release(last[i].player);
    }
  }
}

// Prefetches the players of several rows before the first of these rows is filled.
std::optional<std::size_t> RankedEngine::read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                                     std::vector<EngineRow>& out) const {
  constexpr std::size_t kRowsAtOnce = 16;
  RowCursor row = tree_.from(first, n);
  if (row.at_end()) return std::nullopt;
  const std::optional<std::uint32_t> equals = row.equals_before();
  for (n = std::min(n, tree_.size() - first); n > 0;) {
    const std::size_t now = std::min(n, kRowsAtOnce);
    RowCursor next = row;
    for (std::size_t i = 0; i < now; ++i, next.next()) players_.prefetch(next.player());
    for (std::size_t i = 0; i < now; ++i, row.next()) {
      show(tree_.order().row(row.place()), arena, out.emplace_back());
    }
    n -= now;
  }
  if (!equals) return std::nullopt;
  return first - *equals;
}

void RankedEngine::show(const Row& row, Arena& arena, EngineRow& out) const {
  fill(out, row, players_.id(row.player, arena));
}

std::size_t RankedEngine::bytes() const {
  return sizeof *this + tree_.bytes() + (data_ ? data_->bytes() : 0);
}

}  // namespace laurel
