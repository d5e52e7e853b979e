#include "board/results/accepted_ids.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "board/persistent_rows.h"
#include "board/results/result_rows.h"

namespace laurel {

namespace {

constexpr std::size_t kIdRowBytes = 20;
constexpr std::size_t kIdHeadBytes = kSortableBytes + AcceptedIds::kSeedBytes;

std::string_view bytes_of(const AcceptedIds::Seed& seed) {
  return {reinterpret_cast<const char*>(seed.data()), seed.size()};
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
  if (head.size() != kIdHeadBytes) return damaged;
  const std::string_view seed = std::string_view(head).substr(kSortableBytes);
  std::memcpy(seed_.data(), seed.data(), seed.size());
  use_key();
  open(number_of_sortable(std::string_view(head).substr(0, kSortableBytes)));
  if (!rows_) return Done{};
  bool whole = true;
  rows_->each([&](std::string_view row, std::string_view value) {
    ByteReader reader(value);
    IdHash id;
    id.low = reader.u64();
    id.high = reader.u32();
    const auto at = static_cast<Time>(reader.u64());
    whole = whole && reader.ok() && reader.at_end() && row.size() == kSortableBytes &&
            (size_ == 0 || number_of_sortable(row) == next_row_) && size_ <= kResultIdsMax;
    if (!whole) return;
    next_row_ = number_of_sortable(row) + 1;
    place(id, at);
    if (size_ % Engine::kRowsPerProgress == 0) progress(Engine::kRowsPerProgress);
  });
  if (!whole) return damaged;
  return Done{};
}

void AcceptedIds::open(SpaceNumber space) {
  space_ = space;
  rows_ = Space(context_.store, space).open_log();
}

// The first id of a board in a durable store: from now on there are rows.
void AcceptedIds::open_rows() {
  if (space_ || !context_.store.is_durable()) return;
  open(++context_.last_space);
  PersistentRows(board_, kIdsLetter).put("", sortable(*space_).append(bytes_of(seed_)));
}

void AcceptedIds::dismantle() {
  if (rows_) rows_->retire();
  rows_.reset();
}

IdHash AcceptedIds::hash(std::string_view id) const {
  const Hash128 hash = key_.wide(id);
  const IdHash kept{hash.low, static_cast<std::uint32_t>(hash.high)};
  index_.prefetch(kept);
  return kept;
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
  open_rows();
  drop_old(now);
  while (size_ >= kResultIdsMax) drop_first();
  place(id, now);
  if (!rows_) return;
  value_.clear();
  ByteWriter writer(value_, kIdRowBytes);
  writer.u64(id.low);
  writer.u32(id.high);
  writer.u64(static_cast<std::uint64_t>(now));
  rows_->put(sortable(next_row_++), value_);
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

void AcceptedIds::drop_first() {
  index_.erase(hash_at(first_), first_, [this](std::uint32_t other) { return hash_at(other); });
  if (rows_) rows_->erase(sortable(next_row_ - size_));
  --size_;
  const std::uint32_t chunk = first_ / kChunkIds;
  first_ = position_after(first_);
  if (size_ == 0 || first_ / kChunkIds != chunk) chunks_[chunk].reset();
  if (size_ > 0) index_.prefetch(hash_at(first_));  // it is dropped next
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
