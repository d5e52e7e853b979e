#include "board/results/accepted_ids.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "board/persistent_rows.h"
#include "board/results/result_rows.h"
#include "rank/prefetch.h"

namespace laurel {

namespace {

constexpr std::size_t kIdBytes = 20;
constexpr std::size_t kIdsPerChunk = RecordLog::kChunkBytes / (RecordLog::kSizeBytes + kIdBytes);
// The board's row: the space, the seed, and the form. In the form before each id was a row, under
// consecutive numbers.
constexpr std::size_t kOldHeadBytes = kSortableBytes + AcceptedIds::kSeedBytes;

std::string head_row(SpaceNumber space, const AcceptedIds::Seed& seed) {
  std::string head = sortable(space);
  head.append(reinterpret_cast<const char*>(seed.data()), seed.size());
  head.push_back(kRecordLogForm);
  return head;
}

}  // namespace

AcceptedIds::AcceptedIds(const EngineContext& context, const Space& board)
    : context_(context), board_(board) {
  fill_random(seed_);
  use_key();
}

void AcceptedIds::use_key() { key_ = HashSecret::from(seed_); }

bool AcceptedIds::has_rows(const Space& board) { return board.get({&kIdsLetter, 1}).has_value(); }

Status AcceptedIds::load(const Engine::LoadProgress& progress) {
  const Refusal damaged(Code::bad_data, "the ids of a board's results cannot be decoded");
  const std::string head(board_.get({&kIdsLetter, 1}).value_or(""));
  if (head.size() < kOldHeadBytes) return damaged;
  std::memcpy(seed_.data(), head.data() + kSortableBytes, seed_.size());
  use_key();
  const SpaceNumber space = number_of_sortable(std::string_view(head).substr(0, kSortableBytes));
  if (head.size() == kOldHeadBytes) {
    if (!load_old_form(space, progress)) return damaged;
    return Done{};
  }
  if (head != head_row(space, seed_)) return damaged;
  log_.emplace(context_.store, space);
  bool whole = true;
  const bool chunks = log_->load([&](std::uint64_t, std::string_view chunk) {
    const bool records = RecordLog::each_in(chunk, [&](std::uint32_t, std::string_view record) {
      whole = whole && take_in(record, progress);
    });
    whole = whole && records;
  });
  if (!chunks || !whole) return damaged;
  appended_ += log_->first() * kIdsPerChunk;  // those of chunks that were dropped
  return Done{};
}

// The next id when the store is opened.
bool AcceptedIds::take_in(std::string_view row, const Engine::LoadProgress& progress) {
  ByteReader reader(row);
  IdHash id;
  id.low = reader.u64();
  id.high = reader.u32();
  const auto at = static_cast<Time>(reader.u64());
  if (!reader.ok() || !reader.at_end()) return false;
  if (size_ >= kResultIdsMax) drop_first();
  place(id, at);
  ++appended_;
  if (appended_ % Engine::kRowsPerProgress == 0) progress(Engine::kRowsPerProgress);
  return true;
}

// Appends all ids to a log in a new space. The old one is then a space without an owner.
bool AcceptedIds::load_old_form(SpaceNumber space, const Engine::LoadProgress& progress) {
  const std::unique_ptr<Cursor> at = Space(context_.store, space).cursor();
  for (bool on = at->seek({}); on; on = at->next()) {
    if (at->key().size() != kSortableBytes || !take_in(at->value(), progress)) return false;
  }
  appended_ = 0;
  each([this](const IdHash& id, Time time) { append(id, time); });
  return true;
}

// To the disk, if there is one.
void AcceptedIds::append(const IdHash& id, Time at) {
  if (!context_.store.is_durable()) return;
  if (!log_) {
    log_.emplace(context_.store, ++context_.last_space);
    PersistentRows(board_, kIdsLetter).put("", head_row(log_->space().number(), seed_));
  }
  record_.clear();
  ByteWriter writer(record_, kIdBytes);
  writer.u64(id.low);
  writer.u32(id.high);
  writer.u64(static_cast<std::uint64_t>(at));
  log_->append(record_);
  ++appended_;
}

void AcceptedIds::dismantle() {
  if (log_) log_->retire();
  log_.reset();
}

IdHash AcceptedIds::hash(std::string_view id) const {
  const Hash128 hash = key_.wide(id);
  return {hash.low, static_cast<std::uint32_t>(hash.high)};
}

IdHash AcceptedIds::hash_at(std::uint32_t position) const {
  const KeptId& id = chunk_of(position).ids[position % kChunkIds];
  return {id.low, id.high};
}

Time AcceptedIds::time_at(std::uint32_t position) const {
  const Chunk& chunk = chunk_of(position);
  return chunk.base + chunk.ids[position % kChunkIds].time * kTimeUnit;
}

bool AcceptedIds::has(const IdHash& id, Time now) const {
  return index_.find(id, [&](std::uint32_t position) {
    return hash_at(position) == id && now < time_at(position) + kKept;
  });
}

void AcceptedIds::add(const IdHash& id, Time now) {
  drop_old(now);
  while (size_ >= kResultIdsMax) drop_first();
  place(id, now);
  append(id, now);
  // All records have one size, so the number of an id tells its chunk.
  while (log_ && log_->first() < (appended_ - size_) / kIdsPerChunk) log_->drop_first();
}

void AcceptedIds::drop_old(Time now) {
  for (std::size_t i = 0; i < kResultIdsPerCall && size_ > 0; ++i) {
    if (now < time_at(first_) + kKept) return;
    drop_first();
  }
}

// The chunk that takes an id of that time: the last one if it has room, and the time fits.
AcceptedIds::Chunk& AcceptedIds::chunk_for(Time at) {
  if (size_ > 0) {
    Chunk& last = *chunks_[last_chunk_];
    const Time units = (at - last.base) / kTimeUnit;
    using Units = std::numeric_limits<std::int32_t>;
    if (last.end < kChunkIds && units >= Units::min() && units <= Units::max()) return last;
    const std::uint32_t next = chunk_after(last_chunk_);
    // Half-filled chunks, of a clock that jumps, may use up the ring.
    while (size_ > 0 && next == first_ / kChunkIds) drop_first();
    last_chunk_ = next;
  }
  if (size_ == 0) first_ = last_chunk_ * kChunkIds;
  if (last_chunk_ >= chunks_.size()) chunks_.resize(last_chunk_ + 1);
  chunks_[last_chunk_].reset(new Chunk);  // its ids are not zeroed
  chunks_[last_chunk_]->base = at;
  chunks_[last_chunk_]->end = 0;
  return *chunks_[last_chunk_];
}

void AcceptedIds::place(const IdHash& id, Time at) {
  Chunk& chunk = chunk_for(at);
  const std::uint32_t position = last_chunk_ * kChunkIds + chunk.end;
  chunk.ids[chunk.end++] = {id.low, id.high,
                            static_cast<std::int32_t>((at - chunk.base) / kTimeUnit)};
  ++size_;
  index_.add(id, position, [this](std::uint32_t other) { return hash_at(other); });
}

std::uint32_t AcceptedIds::position_after(std::uint32_t position) const {
  if (position % kChunkIds + 1 < chunk_of(position).end) return position + 1;
  return chunk_after(position / kChunkIds) * kChunkIds;
}

// In memory.
void AcceptedIds::drop_first() {
  index_.erase(hash_at(first_), first_, [this](std::uint32_t other) { return hash_at(other); });
  --size_;
  const std::uint32_t chunk = first_ / kChunkIds;
  first_ = position_after(first_);
  if (size_ == 0 || first_ / kChunkIds != chunk) chunks_[chunk].reset();
  if (size_ > 0) prefetch_next_drops();
}

// What dropping the next ids reads. They were accepted long ago, so no cache has them.
void AcceptedIds::prefetch_next_drops() const {
  index_.prefetch(hash_at(first_));
  const std::uint32_t ahead = first_ % kChunkIds + kIdsAhead;
  const std::uint32_t chunk = first_ / kChunkIds;
  const std::uint32_t next = chunk_after(chunk);
  if (ahead < kChunkIds) {
    laurel::prefetch(&chunks_[chunk]->ids[ahead]);
  } else if (next < chunks_.size() && chunks_[next]) {
    laurel::prefetch(chunks_[next].get());
    laurel::prefetch(&chunks_[next]->ids[ahead - kChunkIds]);
  }
}

void AcceptedIds::set_seed(const Seed& seed) {
  seed_ = seed;
  use_key();
}

void AcceptedIds::each(const std::function<void(const IdHash&, Time)>& visit) const {
  std::uint32_t position = first_;
  for (std::size_t i = 0; i < size_; ++i, position = position_after(position)) {
    visit(hash_at(position), time_at(position));
  }
}

std::size_t AcceptedIds::bytes() const {
  const auto chunks =
      std::ranges::count_if(chunks_, [](const auto& each) { return each != nullptr; });
  return sizeof *this + index_.bytes() + chunks_.capacity() * sizeof chunks_[0] +
         static_cast<std::size_t>(chunks) * sizeof(Chunk);
}

}  // namespace laurel
