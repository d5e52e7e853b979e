#include "engine/paged/player_rows.h"

#include "base/bytes.h"
#include "engine/row_codec.h"

namespace laurel {

namespace {

constexpr char kPlayerLetter = 'p';
// A node of the map, the headers of its two strings.
constexpr std::size_t kPendingOverheadBytes = 112;

std::string row_key(std::string_view player) {
  return std::string(1, kPlayerLetter).append(player);
}

std::size_t bytes_of(const std::string& player, const std::optional<std::string>& packed) {
  return kPendingOverheadBytes + player.size() + (packed ? packed->size() : 0);
}

}  // namespace

std::optional<PlayerRows::Held> PlayerRows::find(std::string_view player) const {
  ++reads_.objects;
  std::optional<std::string_view> packed;
  if (const auto found = pending_.find(player); found != pending_.end()) {
    packed = found->second;
  } else {
    packed = space_.get(reader_, row_key(player));
    if (packed) ++reads_.loads;
  }
  if (!packed) return std::nullopt;
  Held held;
  if (notes_ != nullptr) {
    held.generation = ByteReader(*packed).u64();
    packed->remove_prefix(sizeof held.generation);
  }
  held.row = unpack_row(*packed);
  held.row.player = player;
  return held;
}

void PlayerRows::put(const EngineRow& row, const std::optional<Held>& held) {
  if (notes_ != nullptr) {
    write_through(row.player, pack_row(row), held);
  } else {
    hold(row.player, pack_row(row));
  }
}

void PlayerRows::erase(std::string_view player, const Held& held) {
  if (notes_ != nullptr) {
    write_through(player, std::nullopt, held);
  } else {
    hold(player, std::nullopt);
  }
}

void PlayerRows::write_through(std::string_view player, const std::optional<std::string>& packed,
                               const std::optional<Held>& held) {
  const ChangeBuffer::Generation generation = notes_->generation();
  const bool noted = held ? held->generation == generation : notes_->has(player);
  if (!noted) {
    notes_->add(through_, player, held ? std::optional(held->row) : std::nullopt);
  }
  if (packed) {
    std::string form;
    ByteWriter(form, sizeof generation).u64(generation);
    space_.put(through_, row_key(player), form.append(*packed));
  } else {
    space_.erase(through_, row_key(player));
  }
  space_.store().write(through_);
  through_.clear();
}

void PlayerRows::hold(std::string_view player, std::optional<std::string> packed) {
  auto found = pending_.find(player);
  if (found == pending_.end()) {
    found = pending_.emplace(player, std::nullopt).first;
  } else {
    bytes_ -= bytes_of(found->first, found->second);
  }
  found->second = std::move(packed);
  bytes_ += bytes_of(found->first, found->second);
}

void PlayerRows::write(Batch& batch) {
  for (const auto& [player, packed] : pending_) {
    if (packed) {
      space_.put(batch, row_key(player), *packed);
    } else {
      space_.erase(batch, row_key(player));
    }
  }
  pending_.clear();
  bytes_ = 0;
}

bool PlayerRows::forget_some(std::size_t rows) {
  for (; rows > 0 && !pending_.empty(); --rows) pending_.erase(pending_.begin());
  return !pending_.empty();
}

std::size_t PlayerRows::count() const {
  std::size_t players = 0;
  for (const auto& [player, packed] : pending_) players += packed ? 1 : 0;
  const std::unique_ptr<Cursor> at = space_.cursor(reader_);
  for (bool on = at->seek({&kPlayerLetter, 1}); on && at->key()[0] == kPlayerLetter;
       on = at->next()) {
    players += pending_.contains(at->key().substr(1)) ? 0 : 1;
  }
  return players;
}

}  // namespace laurel
