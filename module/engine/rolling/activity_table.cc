#include "engine/rolling/activity_table.h"

#include <cassert>

#include "base/invariant.h"

namespace laurel {

ActivityTable::~ActivityTable() {
  for (const Slot& slot : slots_) players_.release(slot.record.player);
}

const ActivityRecord* ActivityTable::find(PlayerHandle player) const {
  if (player == kNoPlayer) return nullptr;
  const SlotNumber number = numbers_.find(player);
  return number == kNoSlot ? nullptr : &slots_[number].record;
}

PlayerHandle ActivityTable::put(const Player& player, Time at, std::vector<Amount> amounts) {
  assert(!amounts.empty() && "a record has amounts");
  SlotNumber number = player.handle == kNoPlayer ? kNoSlot : numbers_.find(player.handle);
  if (number == kNoSlot) {
    number = add(player);
    link(number);
  } else if (slots_[number].record.amounts.back().bucket != amounts.back().bucket) {
    unlink(number);
    link(number);
  }
  ActivityRecord& record = slots_[number].record;
  heap_bytes_ -= heap_bytes(record);
  record.at = at;
  record.amounts = std::move(amounts);
  heap_bytes_ += heap_bytes(record);
  return record.player;
}

void ActivityTable::put_data(PlayerHandle player, std::optional<std::string_view> data) {
  ActivityRecord& record = slots_[numbers_.find(player)].record;
  heap_bytes_ -= heap_bytes(record);
  with_data_ -= record.data ? 1 : 0;
  record.data = data ? std::make_unique<std::string>(*data) : nullptr;
  with_data_ += record.data ? 1 : 0;
  heap_bytes_ += heap_bytes(record);
}

void ActivityTable::erase(PlayerHandle player) {
  put_data(player, std::nullopt);
  const SlotNumber number = numbers_.find(player);
  unlink(number);
  numbers_.erase(player);
  heap_bytes_ -= heap_bytes(slots_[number].record);
  const auto last = static_cast<SlotNumber>(slots_.size() - 1);
  if (number != last) {
    rename(slots_[last], number, number);
    numbers_.set(slots_[last].record.player, number);
    slots_[number] = std::move(slots_[last]);
  }
  slots_.pop_back();
  players_.release(player);
}

const ActivityRecord* ActivityTable::stalest() const {
  return stalest_ == kNoSlot ? nullptr : &slots_[stalest_].record;
}

ActivityTable::SlotNumber ActivityTable::add(const Player& player) {
  PlayerHandle handle = player.handle;
  if (handle == kNoPlayer) {
    handle = players_.hold(player.id);
  } else {
    players_.hold(handle);
  }
  const auto number = static_cast<SlotNumber>(slots_.size());
  slots_.emplace_back().record.player = handle;
  numbers_.set(handle, number);
  return number;
}

void ActivityTable::link(SlotNumber number) {
  Slot& slot = slots_[number];
  slot.staler = freshest_;
  slot.fresher = kNoSlot;
  rename(slot, number, number);
}

void ActivityTable::unlink(SlotNumber number) {
  const Slot& slot = slots_[number];
  rename(slot, slot.staler, slot.fresher);
}

void ActivityTable::rename(const Slot& slot, SlotNumber as_staler, SlotNumber as_fresher) {
  (slot.fresher == kNoSlot ? freshest_ : slots_[slot.fresher].staler) = as_staler;
  (slot.staler == kNoSlot ? stalest_ : slots_[slot.staler].fresher) = as_fresher;
}

std::size_t ActivityTable::heap_bytes(const ActivityRecord& record) {
  std::size_t bytes = record.amounts.capacity() * sizeof(Amount);
  if (record.data) bytes += sizeof(std::string) + record.data->capacity();
  return bytes;
}

std::size_t ActivityTable::bytes() const {
  return sizeof *this + slots_.size() * sizeof(Slot) + numbers_.bytes() + heap_bytes_;
}

void ActivityTable::check() const {
  std::size_t in_line = 0;
  SlotNumber staler = kNoSlot;
  for (SlotNumber number = stalest_; number != kNoSlot; number = slots_[number].fresher) {
    const Slot& slot = slots_[number];
    must(slot.staler == staler, "a backward link does not name the previous record");
    must(numbers_.find(slot.record.player) == number, "a record is not found");
    must(!slot.record.amounts.empty(), "a record is empty");
    must(++in_line <= slots_.size(), "the list has a cycle");
    staler = number;
  }
  must(staler == freshest_, "the list does not end at its last record");
  must(in_line == slots_.size(), "a record is not in the list");
}

}  // namespace laurel
