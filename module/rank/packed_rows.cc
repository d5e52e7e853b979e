#include "rank/packed_rows.h"

#include <algorithm>
#include <cassert>

#include "rank/invariant.h"

namespace laurel {

void PackedRows::resize(std::uint32_t room) {
  PackedRows larger;
  larger.room_ = static_cast<std::uint16_t>(room);
  larger.count_ = count_;
  if (room > 0) {
    larger.block_ = std::make_unique_for_overwrite<std::uint64_t[]>(room * 5 / 2);
    std::copy_n(scores(), count_, larger.scores());
    std::copy_n(ties(), count_, larger.ties());
    std::copy_n(players(), count_, larger.players());
  }
  *this = std::move(larger);
}

std::optional<Place> PackedRows::find(PlayerHandle player) const {
  const std::uint32_t slot = slot_of(players(), count_, player);
  if (slot == count_) return std::nullopt;
  return at(slot);
}

void PackedRows::insert_at(std::uint32_t slot, const Place& place) {
  if (count_ == room_) resize(room_ + std::max(4U, (room_ / 8U + 3U) & ~3U));
  std::copy_backward(scores() + slot, scores() + count_, scores() + count_ + 1);
  std::copy_backward(ties() + slot, ties() + count_, ties() + count_ + 1);
  std::copy_backward(players() + slot, players() + count_, players() + count_ + 1);
  scores()[slot] = place.score;
  ties()[slot] = place.tie;
  players()[slot] = place.player;
  ++count_;
}

void PackedRows::erase_at(std::uint32_t slot) {
  std::copy(scores() + slot + 1, scores() + count_, scores() + slot);
  std::copy(ties() + slot + 1, ties() + count_, ties() + slot);
  std::copy(players() + slot + 1, players() + count_, players() + slot);
  --count_;
}

Put PackedRows::put(const Place& place, const RowOrder& order) {
  const std::uint32_t slot = slot_of(players(), count_, place.player);
  const bool is_new = slot == count_;
  if (!is_new) {
    if (at(slot) == place) return Put::unchanged;
    erase_at(slot);
  }
  assert(count_ < kRowsMax);
  insert_at(rows_up_to(rows(), scores_better(scores(), count_, place.score), place, order), place);
  return is_new ? Put::added : Put::moved;
}

bool PackedRows::erase(PlayerHandle player) {
  const std::uint32_t slot = slot_of(players(), count_, player);
  if (slot == count_) return false;
  erase_at(slot);
  if (count_ * 2 <= room_) resize((count_ + count_ / 8U + 3U) & ~3U);
  return true;
}

std::size_t PackedRows::position(PlayerHandle player) const {
  const std::uint32_t slot = slot_of(players(), count_, player);
  assert(slot < count_ && "asked for the position of a player who has none");
  return slot;
}

std::size_t PackedRows::count_up_to(const Place& place, const RowOrder& order) const {
  return rows_up_to(rows(), scores_better(scores(), count_, place.score), place, order);
}

std::size_t PackedRows::count_better(ScoreKey score) const {
  return scores_better(scores(), count_, score);
}

std::size_t PackedRows::distinct_better(ScoreKey score) const {
  const std::uint32_t better = scores_better(scores(), count_, score);
  return better == 0 ? 0 : 1 + runs_within(scores(), better);
}

Place PackedRows::at(std::size_t position) const {
  return {scores()[position], ties()[position], players()[position]};
}

void PackedRows::append(const Place& place) { insert_at(count_, place); }

std::size_t PackedRows::bytes() const { return std::size_t{room_} * 20; }

void PackedRows::check(const RowOrder& order) const {
  must(count_ <= kRowsMax && count_ <= room_, "a packed board has more rows than room");
  for (std::uint32_t i = 0; i < count_; ++i) {
    must(slot_of(players(), count_, players()[i]) == i, "a packed board has a player twice");
    if (i == 0) continue;
    must(scores()[i - 1] <= scores()[i], "packed scores are out of order");
    must(scores()[i - 1] != scores()[i] || order.stands_by(ties()[i - 1], players()[i - 1], at(i)),
         "packed equal scores are out of order");
  }
}

}  // namespace laurel
