#include "board/marks/marked_order.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <vector>

#include "engine/gather/selection.h"

namespace laurel {

namespace {

// The scores are a set: each is in it once, or not at all.
void set_member(CountedScores& scores, ScoreKey score, bool is_member) {
  if (scores.has(score) == is_member) return;
  if (is_member) {
    scores.add(score);
  } else {
    scores.remove(score);
  }
}

}  // namespace

MarkedOrder::MarkedOrder(Players& players, Ties ties, Time at)
    : players_(players), at_(at), was_(players, ties), now_(players, ties) {}

// Releases the players and clears the trees, instead of erasing row by row.
MarkedOrder::~MarkedOrder() {
  for (CountedTree* const tree : {&now_, &was_}) {
    each_row(*tree, [this](const Row& row) { players_.release(row.player); });
    tree->clear();
  }
  new_.each([this](PlayerHandle player, std::uint32_t) { players_.release(player); });
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

void MarkedOrder::put_now(PlayerHandle player, const RowKey& key) {
  if (is_later(key)) {
    later_.add(key.score);
  } else if (now_.put({key.score, key.at, player}) == Put::added) {
    players_.hold(player);
  }
}

void MarkedOrder::take_now(PlayerHandle player, const RowKey& key) {
  if (is_later(key)) {
    later_.remove(key.score);
  } else {
    erase(now_, player);
  }
}

// The player is changed from now on. Returns the handle.
PlayerHandle MarkedOrder::begin(const Player& player, const std::optional<RowKey>& was) {
  if (was) return put(was_, player, *was);
  const PlayerHandle handle = players_.hold(player.id);
  new_.set(handle, 0);
  return handle;
}

// The player has no row in the base. Returns whether that is so at the mark too.
bool MarkedOrder::end(PlayerHandle player) {
  if (!is_new(player)) return false;
  new_.erase(player);
  players_.release(player);
  return true;
}

MarkedOrder::Noted MarkedOrder::changed(const EngineView& base, const Player& player,
                                        const std::optional<RowKey>& before,
                                        const std::optional<RowKey>& after) {
  Noted noted = Noted::nothing;
  PlayerHandle handle = player.handle;
  if (!has(handle)) {
    noted = Noted::begins;
    handle = begin(player, before);
  } else if (before) {
    take_now(handle, *before);
  }
  if (after) {
    put_now(handle, *after);
  } else if (end(handle)) {
    noted = Noted::ends;
  }
  if (distinct_) {
    if (before) look_at(base, before->score);
    if (after) look_at(base, after->score);
  }
  return noted;
}

void MarkedOrder::prefetch_paths(std::span<const ScoreKey> scores) {
  if (!now_.order().is_by_time()) return now_.prefetch_paths(scores);
  for (const ScoreKey score : scores) later_.prefetch(score);
}

void MarkedOrder::prefetch_players(std::span<const PlayerHandle> players) {
  was_.prefetch_players(players);
  if (!now_.order().is_by_time()) now_.prefetch_players(players);
}

void MarkedOrder::prefetch(PlayerHandle player, const std::optional<RowKey>& before) {
  if (player == kNoPlayer || !before) return;
  if (!has(player)) {
    was_.prefetch_paths({&before->score, 1});
  } else if (is_later(*before)) {
    later_.prefetch(before->score);
  }
}

void MarkedOrder::restore(const EngineView& base, std::string_view id,
                          const std::optional<RowKey>& was) {
  Arena arena;
  const Player player{id, players_.find(id)};
  const std::optional<RowKey> now = key_of(base.find(player, arena));
  if (!was && !now) return;
  const PlayerHandle handle = begin(player, was);
  if (now) put_now(handle, *now);
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
  const PlayerHandle renamed = put(was_, {to, players_.find(to)}, {was->score, was->at});
  end(renamed);  // from now on, the row at the mark tells that the player is changed
  if (distinct_) look_at(base, was->score);
  return true;
}

// ---- distinct scores

void MarkedOrder::count_distinct(const EngineView& base, bool counts) {
  if (counts == (distinct_ != nullptr)) return;
  distinct_ = counts ? std::make_unique<Distinct>() : nullptr;
  if (!counts) return;
  later_.each([&](ScoreKey score) { look_at(base, score); });
  for (const CountedTree* const tree : {&now_, &was_}) {
    each_row(*tree, [&](const Row& row) { look_at(base, row.score); });
  }
}

// Which of the two has the score may have changed.
void MarkedOrder::look_at(const EngineView& base, ScoreKey score) {
  const std::size_t now = base.count_between(score, score);
  const std::size_t then = now - now_.count_between(score, score) - later_.count_equal(score) +
                           was_.count_between(score, score);
  set_member(distinct_->only_now, score, now > 0 && then == 0);
  set_member(distinct_->only_then, score, now == 0 && then > 0);
}

// ---- reading

struct MarkedOrder::Counts {
  const MarkedOrder& order;
  const EngineView& base;

  std::size_t count_better(ScoreKey score) const {
    return base.count_better(score) - order.now_.count_better(score) -
           order.later_.count_better(score) + order.was_.count_better(score);
  }
  std::size_t count_not_worse(ScoreKey score) const {
    return base.count_not_worse(score) - order.now_.count_not_worse(score) -
           order.later_.count_better(score + 1) + order.was_.count_not_worse(score);
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
    if (is_new(player.handle)) return std::nullopt;
  }
  Arena arena;
  return key_of(base.find(player, arena));
}

// The rows of later_ before a row at the mark with this key.
std::size_t MarkedOrder::later_before(const EngineView& base, const RowKey& key) const {
  const std::size_t better = later_.count_better(key.score);
  const std::size_t equal = later_.count_equal(key.score);
  const bool is_latest = now_.ties() == Ties::latest;
  if (equal == 0 || key.at <= at_) return better + (is_latest ? equal : 0);
  // The row is of the future: which rows of now are before it cannot be told from their scores.
  constexpr std::size_t kRowsAtOnce = 256;
  Arena arena;
  std::vector<EngineRow> rows;
  std::size_t before = 0;
  const std::size_t end = base.count_not_worse(key.score);
  for (std::size_t first = base.count_better(key.score); first < end; first += kRowsAtOnce) {
    arena.clear();
    rows.clear();
    base.read(first, std::min(kRowsAtOnce, end - first), arena, rows);
    for (const EngineRow& row : rows) {
      if (!is_later({row.score, row.at}) || !has(players_.find(row.player))) continue;
      before += (is_latest ? row.at > key.at : row.at < key.at) ? 1 : 0;
    }
  }
  return better + before;
}

std::size_t MarkedOrder::rows_before(const CountedTree& tree, const Row& row) {
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
                                 later_before(base, key) - rows_before(now_, place) +
                                 rows_before(was_, place);
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
  if (later_.take_apart(rows)) return true;
  const auto release = [this](PlayerHandle player) { players_.release(player); };
  return cut(now_, rows) || cut(was_, rows) || new_.take_apart(rows, release);
}

std::size_t MarkedOrder::bytes() const {
  const std::size_t distinct =
      distinct_ ? distinct_->only_now.bytes() + distinct_->only_then.bytes() : 0;
  return sizeof *this + was_.bytes() + new_.bytes() + later_.bytes() + now_.bytes() + distinct;
}

void MarkedOrder::check() const {
  was_.check();
  later_.check();
  now_.check();
}

}  // namespace laurel
