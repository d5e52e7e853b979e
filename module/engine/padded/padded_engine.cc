#include "engine/padded/padded_engine.h"

#include "base/bytes.h"
#include "base/invariant.h"
#include "engine/padded/padded_walk.h"
#include "engine/row_codec.h"

namespace laurel {

namespace {

constexpr std::string_view kSizeKey = "SIZE";
constexpr std::size_t kSizeBytes = 8;

std::string player_key(std::string_view id) { return std::string("PLAYER#").append(id); }

// Copies the row into the arena, because views of the store end with its next write.
EngineRow kept(EngineRow row, Arena& arena) {
  row.player = arena.keep(row.player);
  if (row.data) row.data = arena.keep(*row.data);
  return row;
}

}  // namespace

PaddedEngine::PaddedEngine(const EngineSpec& spec, EngineContext context)
    : PaddedEngine(spec, context, ++context.last_space) {}

PaddedEngine::PaddedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space,
                           std::size_t block_keys)
    : keys_(spec),
      ties_(spec.ties),
      space_(context.store, space),
      reads_(context.reads),
      block_keys_(block_keys) {
  if (const auto size = space_.get(kSizeKey)) {
    size_ = static_cast<std::size_t>(ByteReader(*size).u64());
  }
}

// The row's views are of the store.
std::optional<EngineRow> PaddedEngine::row_of(const Player& player) const {
  ++reads_.objects;
  ++reads_.loads;
  const std::optional<std::string_view> packed = space_.get(player_key(player.id));
  if (!packed) return std::nullopt;
  EngineRow row = unpack_row(*packed);
  row.player = player.id;
  return row;
}

std::optional<EngineRow> PaddedEngine::find(const Player& player, Arena& arena) const {
  const std::optional<EngineRow> row = row_of(player);
  if (!row) return std::nullopt;
  return kept(*row, arena);
}

std::optional<std::string> PaddedEngine::key(const Player& player) const {
  const std::optional<EngineRow> row = row_of(player);
  if (!row) return std::nullopt;
  return keys_.key(*row);
}

void PaddedEngine::put_size(Batch& batch, std::size_t size) {
  std::string bytes;
  ByteWriter(bytes, kSizeBytes).u64(size);
  space_.put(batch, kSizeKey, bytes);
  size_ = size;
}

void PaddedEngine::put(const Player& player, const EngineRow& row) {
  EngineRow placed = row;
  placed.player = player.id;
  const std::string packed = pack_row(placed);
  const std::string key = keys_.key(placed);
  std::string old_key;
  Batch batch;
  if (const std::optional<EngineRow> held = row_of(player)) {
    old_key = keys_.key(*held);
    space_.erase(batch, old_key);
  } else {
    put_size(batch, size_ + 1);
  }
  space_.put(batch, key, packed);
  space_.put(batch, player_key(player.id), packed);
  write(batch, old_key, key);
}

void PaddedEngine::write(const Batch& batch, std::string_view erased, std::string_view inserted) {
  KeyCounts::Write counted;
  if (counts_) counted = counts_->plan(erased, inserted);
  space_.store().write(batch);
  if (counts_) counts_->apply(counted);
}

bool PaddedEngine::erase(const Player& player) {
  const std::optional<EngineRow> held = row_of(player);
  if (!held) return false;
  const std::string key = keys_.key(*held);
  Batch batch;
  space_.erase(batch, key);
  space_.erase(batch, player_key(player.id));
  put_size(batch, size_ - 1);
  write(batch, key, {});
  return true;
}

void PaddedEngine::each_packed(const PackedVisitor& visit) const {
  const KeyRange all = keys_.all();
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  for (bool stands = cursor->seek(all.from); stands && cursor->key() < all.to;
       stands = cursor->next()) {
    visit(keys_.player(cursor->key()), cursor->value());
  }
}

void PaddedEngine::scan(std::string& place, std::size_t n, Arena& arena,
                        std::vector<EngineRow>& out) const {
  const KeyRange all = keys_.all();
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  bool stands = cursor->seek(place.empty() ? all.from : place);
  if (stands && cursor->key() == place) stands = cursor->next();
  for (; n > 0 && stands && cursor->key() < all.to; stands = cursor->next(), --n) {
    ++reads_.entries;
    EngineRow row = unpack_row(cursor->value());
    row.player = keys_.player(cursor->key());
    out.push_back(kept(row, arena));
    place = cursor->key();
  }
}

bool PaddedEngine::dismantle(std::size_t rows) { return space_.erase_some(rows); }

bool PaddedEngine::prepare_ranks(Ranking ranking, std::size_t rows) const {
  if (!counts_ && size_ <= 4 * block_keys_) return true;  // counted as quickly as prepared
  const bool with_distinct = ranking == Ranking::dense;
  if (!counts_ || (with_distinct && !counts_->with_distinct())) {
    counts_ = std::make_unique<KeyCounts>(keys_, space_, reads_, with_distinct, block_keys_);
  }
  return counts_->extend(rows);
}

std::size_t PaddedEngine::count(const KeyRange& range) const {
  if (counts_ && counts_->complete()) return counts_->count(range);
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  std::size_t count = 0;
  for (bool stands = cursor->seek(range.from); stands && cursor->key() < range.to;
       stands = cursor->next()) {
    ++count;
  }
  reads_.entries += count;
  return count;
}

std::size_t PaddedEngine::distinct_better(ScoreKey score) const {
  const KeyRange range = keys_.better(score);
  if (counts_ && counts_->complete() && counts_->with_distinct()) return counts_->distinct(range);
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  std::size_t distinct = 0;
  std::string last;
  for (bool stands = cursor->seek(range.from); stands && cursor->key() < range.to;
       stands = cursor->next()) {
    ++reads_.entries;
    const std::string_view here = keys_.score(cursor->key());
    if (here == last) continue;
    last.assign(here);
    ++distinct;
  }
  return distinct;
}

std::size_t PaddedEngine::count_before(const EngineRow& row) const {
  const std::string key = keys_.key(row);
  return count(keys_.groups_before(key)) + count(keys_.players_before(key));
}

std::optional<std::size_t> PaddedEngine::position(const Player& player) const {
  const std::optional<EngineRow> row = row_of(player);
  if (!row) return std::nullopt;
  return count_before(*row);
}

// A count may read the whole board, so each mode computes only the count that it needs.
std::optional<Rank> PaddedEngine::rank(const Player& player, Ranking ranking) const {
  const std::optional<EngineRow> row = row_of(player);
  if (!row) return std::nullopt;
  return rank_of_row(ranking, *this, row->score, [&] { return count_before(*row); });
}

Rank PaddedEngine::rank_of_newcomer(ScoreKey score, Ranking ranking) const {
  return laurel::rank_of_newcomer(ranking, ties_, *this, score);
}

// Appends up to n rows from the walk's row on.
void PaddedEngine::take(PaddedWalk& walk, bool stands, std::size_t n, Arena& arena,
                        std::vector<EngineRow>& out) const {
  for (; stands && n > 0; stands = --n > 0 && walk.next()) {
    EngineRow row = unpack_row(walk.value());
    row.player = keys_.player(walk.key());
    out.push_back(kept(row, arena));
  }
}

void PaddedEngine::read(std::size_t first, std::size_t n, Arena& arena,
                        std::vector<EngineRow>& out) const {
  if (n == 0 || first >= size_) return;
  PaddedWalk walk(keys_, space_, reads_);
  const KeyCounts* const counts = counts_ && counts_->complete() ? counts_.get() : nullptr;
  take(walk, walk.begin(first, counts), n, arena, out);
}

void PaddedEngine::read_behind(const EngineRow* place, std::size_t, std::size_t n, Arena& arena,
                               std::vector<EngineRow>& out) const {
  if (n == 0) return;
  PaddedWalk walk(keys_, space_, reads_);
  const bool stands = place != nullptr ? walk.begin_behind(keys_.key(*place)) : walk.begin(0);
  take(walk, stands, n, arena, out);
}

std::size_t PaddedEngine::bytes() const { return sizeof *this + (counts_ ? counts_->bytes() : 0); }

void PaddedEngine::check() const {
  if (counts_) counts_->check();
  const KeyRange all = keys_.all();
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  std::size_t rows = 0;
  for (bool stands = cursor->seek(all.from); stands && cursor->key() < all.to;
       stands = cursor->next()) {
    ++rows;
    EngineRow row = unpack_row(cursor->value());
    row.player = keys_.player(cursor->key());
    must(keys_.key(row) == cursor->key(), "a key says what its row says");
    must(space_.get(player_key(row.player)) == cursor->value(), "a player's row is the board's");
  }
  must(rows == size_, "the size is the number of keys");

  const std::string players = player_key("");
  std::size_t found = 0;
  for (bool stands = cursor->seek(players); stands && cursor->key().starts_with(players);
       stands = cursor->next()) {
    ++found;
  }
  must(found == rows, "every player has one key");
}

}  // namespace laurel
