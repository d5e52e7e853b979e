#include "store/tree_page.h"

#include <cassert>
#include <cstring>

namespace laurel {

namespace {

// Precedes a cell's key: the sizes of the key and of the payload.
struct CellHead {
  std::uint16_t key = 0;
  std::uint16_t payload = 0;
};

constexpr std::uint16_t kPointer = UINT16_MAX;  // as the payload's size: the payload is a pointer
constexpr std::size_t kOffsetBytes = sizeof(std::uint16_t);
constexpr int kRunMin = 3;  // two adjacent insertions are not yet a run

CellHead head_at(const char* cell) {
  CellHead head;
  std::memcpy(&head, cell, sizeof head);
  return head;
}

CellHead head_of(std::string_view key, const Payload& payload) {
  return {static_cast<std::uint16_t>(key.size()),
          payload.pointer ? kPointer : static_cast<std::uint16_t>(payload.bytes.size())};
}

std::size_t payload_bytes(const CellHead& head) {
  return head.payload == kPointer ? sizeof(Counted*) : head.payload;
}

std::size_t bytes_of(const CellHead& head) { return sizeof head + head.key + payload_bytes(head); }

void copy(char* to, std::string_view bytes) {
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
}

void write_payload(char* to, const Payload& payload) {
  if (payload.pointer) {
    std::memcpy(to, &payload.pointer, sizeof payload.pointer);
  } else {
    copy(to, payload.bytes);
  }
}

// After a full page is split, each half has room for one more cell of any size.
constexpr std::size_t kCellBytesMax =
    sizeof(CellHead) + kOffsetBytes + kStoreKeyBytesMax + kInlineValueBytesMax;
static_assert(kInlineValueBytesMax >= sizeof(Counted*));
static_assert(TreePage::kRoom / 2 + 2 * kCellBytesMax <= TreePage::kRoom);

}  // namespace

TreePage::TreePage(const TreePage& page)
    : Counted(),
      level_(page.level_),
      count_(page.count_),
      begin_(page.begin_),
      lost_(page.lost_),
      inserted_(page.inserted_),
      run_(page.run_) {
  std::memcpy(bytes_, page.bytes_, count_ * kOffsetBytes);
  std::memcpy(bytes_ + begin_, page.bytes_ + begin_, kRoom - begin_);
}

std::size_t TreePage::cell_bytes(std::string_view key, const Payload& payload) {
  return bytes_of(head_of(key, payload)) + kOffsetBytes;
}

std::size_t TreePage::room() const { return begin_ - count_ * kOffsetBytes + lost_; }

std::uint16_t TreePage::offset(std::size_t slot) const {
  std::uint16_t offset = 0;
  std::memcpy(&offset, bytes_ + slot * kOffsetBytes, kOffsetBytes);
  return offset;
}

void TreePage::set_offset(std::size_t slot, std::size_t offset) {
  const auto small = static_cast<std::uint16_t>(offset);
  std::memcpy(bytes_ + slot * kOffsetBytes, &small, kOffsetBytes);
}

std::string_view TreePage::key(std::size_t slot) const {
  const char* cell = bytes_ + offset(slot);
  return {cell + sizeof(CellHead), head_at(cell).key};
}

Payload TreePage::payload(std::size_t slot) const {
  const char* cell = bytes_ + offset(slot);
  const CellHead head = head_at(cell);
  const char* const begin = cell + sizeof head + head.key;
  if (head.payload != kPointer) return {.bytes = {begin, head.payload}};
  Payload payload;
  std::memcpy(&payload.pointer, begin, sizeof payload.pointer);
  return payload;
}

std::string_view TreePage::value(std::size_t slot) const {
  assert(level_ == 0);
  const Payload found = payload(slot);
  return found.pointer ? static_cast<const LongValue*>(found.pointer)->bytes() : found.bytes;
}

TreePage* TreePage::child(std::size_t slot) const {
  assert(level_ > 0);
  return static_cast<TreePage*>(payload(slot).pointer);
}

std::size_t TreePage::lower_bound(std::string_view wanted) const {
  std::size_t first = 0;
  for (std::size_t left = count_; left > 0;) {
    const std::size_t half = left / 2;
    if (key(first + half) < wanted) {
      first += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  return first;
}

bool TreePage::has(std::size_t slot, std::string_view wanted) const {
  return slot < count_ && key(slot) == wanted;
}

std::size_t TreePage::child_slot(std::string_view wanted) const {
  const std::size_t slot = lower_bound(wanted);
  return has(slot, wanted) ? slot : slot - 1;
}

bool TreePage::insert(std::size_t slot, std::string_view key, const Payload& payload) {
  const CellHead head = head_of(key, payload);
  const std::size_t size = bytes_of(head);
  if (room() < size + kOffsetBytes) return false;
  if (begin_ - count_ * kOffsetBytes < size + kOffsetBytes) gather();

  begin_ = static_cast<std::uint16_t>(begin_ - size);
  char* const cell = bytes_ + begin_;
  std::memcpy(cell, &head, sizeof head);
  copy(cell + sizeof head, key);
  write_payload(cell + sizeof head + head.key, payload);

  char* const place = bytes_ + slot * kOffsetBytes;
  std::memmove(place + kOffsetBytes, place, (count_ - slot) * kOffsetBytes);
  set_offset(slot, begin_);
  ++count_;
  run_ = static_cast<std::int16_t>(run_at(slot));
  inserted_ = static_cast<std::uint16_t>(slot);
  return true;
}

void TreePage::erase(std::size_t slot) {
  lost_ = static_cast<std::uint16_t>(lost_ + bytes_of(head_at(bytes_ + offset(slot))));
  char* const place = bytes_ + slot * kOffsetBytes;
  std::memmove(place, place + kOffsetBytes, (count_ - slot - 1) * kOffsetBytes);
  --count_;
  end_run();
}

bool TreePage::replace(std::size_t slot, const Payload& payload) {
  char* const cell = bytes_ + offset(slot);
  const CellHead head = head_at(cell);
  if (head.payload != head_of({}, payload).payload) return false;
  write_payload(cell + sizeof head + head.key, payload);
  return true;
}

void TreePage::append(const TreePage& other, std::size_t first) {
  for (std::size_t slot = first; slot < other.count_; ++slot) {
    [[maybe_unused]] const bool fits = insert(count_, other.key(slot), other.payload(slot));
    assert(fits);
  }
  end_run();
}

void TreePage::truncate(std::size_t count) {
  while (count_ > count) erase(count_ - 1U);
}

// The run's length if the next insertion is at the slot.
int TreePage::run_at(std::size_t slot) const {
  if (slot == inserted_ + 1U) return run_ > 0 ? run_ + 1 : 1;
  if (slot == inserted_) return run_ < 0 ? run_ - 1 : -1;
  return 0;
}

void TreePage::end_run() {
  inserted_ = kNoSlot;
  run_ = 0;
}

std::size_t TreePage::bytes_before(std::size_t slot) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < slot; ++i) bytes += cell_bytes(key(i), payload(i));
  return bytes;
}

TreePage::Division TreePage::division(std::size_t slot, std::size_t cell) const {
  const int run = run_at(slot);
  if (run >= kRunMin) return {slot, bytes_before(slot) + cell <= kRoom};
  if (run <= -kRunMin) return {slot, used() - bytes_before(slot) + cell > kRoom};
  std::size_t keep = 1;
  for (std::size_t bytes = cell_bytes(key(0), payload(0));; ++keep) {
    bytes += cell_bytes(key(keep), payload(keep));
    if (bytes > used() / 2) return {keep, slot <= keep};
  }
}

// Compacts the cells at the end of the page, in their order.
void TreePage::gather() {
  char cells[kRoom];
  std::size_t begin = kRoom;
  for (std::size_t slot = count_; slot-- > 0;) {
    const char* const cell = bytes_ + offset(slot);
    const std::size_t size = bytes_of(head_at(cell));
    begin -= size;
    std::memcpy(cells + begin, cell, size);
    set_offset(slot, begin);
  }
  std::memcpy(bytes_ + begin, cells + begin, kRoom - begin);
  begin_ = static_cast<std::uint16_t>(begin);
  lost_ = 0;
}

}  // namespace laurel
