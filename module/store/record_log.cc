#include "store/record_log.h"

#include <algorithm>
#include <cassert>

#include "base/bytes.h"

namespace laurel {

RecordLog::RecordLog(Store& store, SpaceNumber space)
    : space_(store, space), buffer_(space_.open_buffer()) {
  if (buffer_) buffer_->gather([this] { put_gathered(); });
}

bool RecordLog::load(const VisitChunk& visit) {
  bool whole = true;
  bool any = false;
  const std::unique_ptr<Cursor> at = space_.cursor();
  for (bool on = at->seek({}); on && whole; on = at->next()) {
    whole = at->key().size() == kSortableBytes;
    if (!whole) break;
    const std::uint64_t number = number_of_sortable(at->key());
    whole = (!any || number == last_ + 1) && at->value().size() <= kChunkBytes;
    if (!whole) break;
    if (!any) first_ = number;
    any = true;
    last_ = number;
    tail_.assign(at->value());
    visit(number, at->value());
  }
  settled_ = last_committed_ = last_;
  return whole;
}

RecordLog::Place RecordLog::append(std::string_view record) {
  assert(!record.empty() && record.size() <= kRecordBytesMax);
  const std::size_t bytes = kSizeBytes + record.size();
  if (tail_.size() + bytes > kChunkBytes) seal();
  if (buffer_ && !waits_) {
    waits_ = true;
    buffer_->announce();
  }
  if (tail_.capacity() < tail_.size() + bytes) {
    const std::size_t wanted = std::max(2 * tail_.capacity(), tail_.size() + bytes);
    tail_.reserve(2 * wanted > kChunkBytes ? kChunkBytes : wanted);
  }
  const Place place{last_, static_cast<std::uint32_t>(tail_.size())};
  tail_.push_back(static_cast<char>(record.size() & 0xFFU));
  tail_.push_back(static_cast<char>(record.size() >> 8U));
  tail_.append(record);
  return place;
}

// The last chunk is full.
void RecordLog::seal() {
  put(last_++, tail_);
  tail_.clear();
  if (!buffer_) settled_ = last_;
}

// A commit begins, so all commits before it are on the disk.
void RecordLog::put_gathered() {
  if (!waits_) return;
  waits_ = false;
  put(last_, tail_);
  settled_ = last_committed_;
  last_committed_ = last_;
}

void RecordLog::put(std::uint64_t number, std::string_view chunk) {
  if (buffer_) return buffer_->put(sortable(number), chunk);
  Batch batch;
  space_.put(batch, sortable(number), chunk);
  space_.store().write(batch);
}

void RecordLog::drop_first() {
  assert(first_ < last_);
  const std::string key = sortable(first_++);
  if (buffer_) return buffer_->erase(key);
  Batch batch;
  space_.erase(batch, key);
  space_.store().write(batch);
}

std::string_view RecordLog::chunk(std::uint64_t number) const {
  if (number == last_) return tail_;
  if (number < first_ || number > last_) return {};
  const std::string key = sortable(number);
  return (is_settled(number) ? space_.get(key) : buffer_->get_now(key)).value_or("");
}

std::string_view RecordLog::read(const Place& place) const {
  return record_at(chunk(place.chunk), place.offset);
}

// Empty if there is none.
std::string_view RecordLog::record_at(std::string_view chunk, std::size_t at) {
  if (chunk.size() < kSizeBytes || at > chunk.size() - kSizeBytes) return {};
  const std::size_t size = static_cast<unsigned char>(chunk[at]) |
                           std::size_t{static_cast<unsigned char>(chunk[at + 1])} << 8U;
  if (size > chunk.size() - at - kSizeBytes) return {};
  return chunk.substr(at + kSizeBytes, size);
}

void RecordLog::retire() {
  if (!buffer_) return;
  buffer_->retire();
  buffer_.reset();
}

}  // namespace laurel
