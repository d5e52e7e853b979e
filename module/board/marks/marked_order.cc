#include "board/marks/marked_order.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include "engine/gather/selection.h"

namespace laurel {

MarkedOrder::MarkedOrder(Players& players, Ties ties)
    : players_(players), now_(players, ties), was_(players, ties) {}

// Releases the players and clears the trees, instead of erasing row by row.
MarkedOrder::~MarkedOrder() {
  for (CountedTree* const tree : {&now_, &was_}) {
    each_row(*tree, [this](const Row& row) { players_.release(row.player); });
    tree->clear();
  }
}

// Returns the player's handle.
PlayerHandle MarkedOrder::put(CountedTree& tree, const Player& player, const RowKey& key) {
  PlayerHandle handle = player.handle;
  if (handle == kNoPlayer) {
    handle = players_.hold(player.id);
    if (tree.put({key.score, key.at, handle}) != Put::added) players_.release(handle);
  } else if (tree.put({key.score, key.at, handle}) == Put::added) {
    players_.hold(handle);
  }
  return handle;
}

bool MarkedOrder::erase(CountedTree& tree, PlayerHandle player) {
  if (player == kNoPlayer || !tree.erase(player)) return false;
  players_.release(player);
  return true;
}

MarkedOrder::Noted MarkedOrder::changed(const EngineView& base, const Player& who,
                                        const std::optional<RowKey>& before,
                                        const std::optional<RowKey>& after) {
  Noted noted = Noted::nothing;
  Player player = who;
  const bool was_changed = has(player.handle);
  if (!was_changed) {
    noted = Noted::begins;
    if (before) player.handle = put(was_, player, *before);
  }
  if (after) {
    put(now_, player, *after);
  } else if (was_changed && erase(now_, player.handle) && !was_.has(player.handle)) {
    noted = Noted::ends;
  }
  if (distinct_) {
    if (before) look_at(base, before->score);
    if (after) look_at(base, after->score);
  }
  return noted;
}

void MarkedOrder::prefetch(PlayerHandle player, const std::optional<RowKey>& before) {
  if (player == kNoPlayer) return;
  if (before && !has(player)) was_.prefetch_paths({&before->score, 1});
  prefetch_players({&player, 1});
  prefetch_rows({&player, 1});
}

void MarkedOrder::restore(const EngineView& base, std::string_view id,
                          const std::optional<RowKey>& was) {
  Arena arena;
  const std::optional<RowKey> now = key_of(base.find({id, players_.find(id)}, arena));
  Player player{id, players_.find(id)};
  if (was) player.handle = put(was_, player, *was);
  if (now) put(now_, player, *now);
  if (!distinct_) return;
  if (was) look_at(base, was->score);
  if (now) look_at(base, now->score);
}

bool MarkedOrder::forget(const EngineView& base, std::string_view id) {
  const PlayerHandle player = players_.find(id);
  const std::optional<Row> was = player == kNoPlayer ? std::nullopt : was_.find(player);
  if (!was) return false;
  erase(was_, player);
  if (distinct_) look_at(base, was->score);
  return true;
}

bool MarkedOrder::rename(const EngineView& base, std::string_view from, std::string_view to) {
  const PlayerHandle player = players_.find(from);
  const std::optional<Row> was = player == kNoPlayer ? std::nullopt : was_.find(player);
  if (!was) return false;
  erase(was_, player);
  put(was_, {to, players_.find(to)}, {was->score, was->at});
  if (distinct_) look_at(base, was->score);
  return true;
}

// ---- distinct scores

void MarkedOrder::count_distinct(const EngineView& base, bool counts) {
  if (counts == (distinct_ != nullptr)) return;
  distinct_ = counts ? std::make_unique<Distinct>(players_) : nullptr;
  if (!counts) return;
  for (const CountedTree* const tree : {&now_, &was_}) {
    each_row(*tree, [&](const Row& row) { look_at(base, row.score); });
  }
}

// Which of the two has the score may have changed.
void MarkedOrder::look_at(const EngineView& base, ScoreKey score) {
  const std::size_t now = base.count_between(score, score);
  const std::size_t then =
      now - now_.count_between(score, score) + was_.count_between(score, score);
  distinct_->only_now.set(score, now > 0 && then == 0);
  distinct_->only_then.set(score, now == 0 && then > 0);
}

// ---- reading

struct MarkedOrder::Counts {
  const MarkedOrder& order;
  const EngineView& base;

  std::size_t count_better(ScoreKey score) const {
    return base.count_better(score) - order.now_.count_better(score) +
           order.was_.count_better(score);
  }
  std::size_t count_not_worse(ScoreKey score) const {
    return base.count_not_worse(score) - order.now_.count_not_worse(score) +
           order.was_.count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const {
    assert(order.distinct_ && "distinct scores are counted where dense ranks are");
    return base.distinct_better(score) - order.distinct_->only_now.count_better(score) +
           order.distinct_->only_then.count_better(score);
  }
};

std::optional<RowKey> MarkedOrder::find(const EngineView& base, const Player& player) const {
  if (player.handle != kNoPlayer) {
    if (const std::optional<Row> was = was_.find(player.handle)) return RowKey{was->score, was->at};
    if (now_.has(player.handle)) return std::nullopt;
  }
  Arena arena;
  return key_of(base.find(player, arena));
}

std::size_t MarkedOrder::rows_before(const CountedTree& tree, const Row& row) const {
  const std::optional<Row> own = tree.find(row.player);
  // With ties by player, moments do not count.
  const bool is_counted =
      own && own->score == row.score && (own->at == row.at || !tree.order().is_by_time());
  return tree.count_up_to(row) - (is_counted ? 1 : 0);
}

Rank MarkedOrder::rank(const EngineView& base, EngineReads& reads, std::string_view id,
                       const RowKey& key, Ranking ranking) const {
  return rank_of_row(ranking, Counts{*this, base}, key.score, [&] {
    const EngineRow row{id, key.score, key.at, std::nullopt};
    // The trees compare ids by handles, which a player in a shard need not have.
    const PlayerHandle player = players_.hold(id);
    const Row place{key.score, key.at, player};
    const std::size_t position = laurel::rows_before(base, row, now_.ties(), reads) -
                                 rows_before(now_, place) + rows_before(was_, place);
    players_.release(player);
    return position;
  });
}

// ---- freeing

// Removes rows from the end, so that the others do not move.
bool MarkedOrder::cut(CountedTree& tree, std::size_t& rows) {
  std::array<Row, 256> last;
  while (rows > 0 && tree.size() > 0) {
    const std::size_t n = std::min({last.size(), tree.size(), rows});
    tree.read(tree.size() - n, std::span(last).first(n));
    for (std::size_t i = n; i-- > 0;) {
      tree.erase(last[i].player);
      players_.release(last[i].player);
    }
    rows -= n;
  }
  return tree.size() > 0;
}

bool MarkedOrder::dismantle(std::size_t rows) {
  distinct_.reset();
  return cut(now_, rows) || cut(was_, rows);
}

std::size_t MarkedOrder::bytes() const {
  const std::size_t distinct =
      distinct_ ? distinct_->only_now.bytes() + distinct_->only_then.bytes() : 0;
  return sizeof *this + now_.bytes() + was_.bytes() + distinct;
}

void MarkedOrder::check() const {
  now_.check();
  was_.check();
}

}  // namespace laurel
