#include "rank/tree/packed_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "base/invariant.h"
#include "rank/simd.h"
#include "rank/tree/row_search.h"

namespace laurel {

namespace {

// One bit for each of at most 64 numbers that equals `wanted`.
// REQUIRES: the array is readable up to a multiple of 8 numbers.
std::uint64_t slots_with(const unsigned char* numbers, std::uint32_t count, std::uint16_t wanted) {
  std::uint64_t found = 0;
  const auto all = simd::all_lanes<simd::U16x8>(wanted);
  const auto same = [&](std::uint32_t at) {
    return simd::load<simd::U16x8>(numbers + std::size_t{2} * at) == all;
  };
  const auto bits = [](simd::Mask16 first, simd::Mask16 second) {
    return std::uint64_t{simd::lane_bits(simd::narrow(first, second))};
  };
  std::uint32_t at = 0;
  for (; at + 8 < count; at += 16) found |= bits(same(at), same(at + 8)) << at;
  if (at < count) found |= bits(same(at), simd::Mask16{}) << at;
  return found;
}

// The frame, widened to at least `bytes` bytes.
ColumnFrame no_narrower(ColumnFrame frame, std::uint8_t bytes) {
  if (frame.bytes >= bytes) return frame;
  if (bytes == 8) return {.base = 0, .bytes = 8, .shift = 0};
  frame.bytes = bytes;
  return frame;
}

}  // namespace

// Scans the low halves of all handles. Almost always only one handle matches.

inline std::uint32_t PackedRows::slot_of(PlayerHandle player) const {
  const auto low = static_cast<std::uint16_t>(player);
  for (std::uint32_t from = 0; from < count_; from += 64) {
    const std::uint32_t some = std::min<std::uint32_t>(count_ - from, 64);
    for (std::uint64_t found = slots_with(lows() + std::size_t{2} * from, some, low); found != 0;
         found &= found - 1) {
      const std::uint32_t slot = from + static_cast<std::uint32_t>(std::countr_zero(found));
      if (slot >= count_) break;
      if (high(slot) == player >> 16) return slot;
    }
  }
  return count_;
}

bool PackedRows::has(PlayerHandle player) const { return slot_of(player) < count_; }

std::optional<Place> PackedRows::find(PlayerHandle player) const {
  const std::uint32_t slot = slot_of(player);
  if (slot == count_) return std::nullopt;
  return at(slot);
}

inline std::uint32_t PackedRows::slot_here(PlayerHandle player) const {
  const std::uint32_t slot = slot_of(player);
  assert(slot < count_ && "asked for the place of a player who has none");
  return slot;
}

std::size_t PackedRows::position(PlayerHandle player) const { return slot_here(player); }

// Searches the encoded scores, without branches.

inline std::uint32_t PackedRows::better(ScoreKey score) const {
  if (count_ == 0) return 0;
  const ColumnFrame frame = scores();
  if (score <= frame.base) return 0;
  const std::uint64_t wanted = frame.steps_up_to(score);
  const std::uint64_t most = frame.most();
  const std::uint32_t record_bytes = record_bytes_;
  const unsigned char* first = record(0);
  std::uint32_t slot = 0;
  for (std::uint32_t left = count_; left > 1; left -= left / 2) {
    const std::uint32_t half = left / 2;
    const bool is_better = (eight_bytes(first + (half - 1) * record_bytes) & most) < wanted;
    const std::uint32_t all = 0U - static_cast<std::uint32_t>(is_better);
    first += all & (half * record_bytes);
    slot += all & half;
  }
  return slot + static_cast<std::uint32_t>((eight_bytes(first) & most) < wanted);
}

inline std::uint32_t PackedRows::up_to(const Place& place, const RowOrder& order) const {
  const std::uint32_t slot = better(place.score);
  if (slot == count_ || score(slot) != place.score) return slot;
  return equals_up_to(*this, slot, count_, place, order);
}

std::size_t PackedRows::count_up_to(const Place& place, const RowOrder& order) const {
  return up_to(place, order);
}

std::size_t PackedRows::count_better(ScoreKey score) const { return better(score); }

std::size_t PackedRows::distinct_better(ScoreKey score) const { return runs_in(better(score)); }

// Rows with equal scores are adjacent.

std::size_t PackedRows::better_than(PlayerHandle player) const {
  std::uint32_t first = slot_here(player);
  while (first > 0 && equals_before(first)) --first;
  return first;
}

std::size_t PackedRows::not_worse_than(PlayerHandle player) const {
  std::uint32_t end = slot_here(player) + 1;
  while (end < count_ && equals_before(end)) ++end;
  return end;
}

std::size_t PackedRows::distinct_better_than(PlayerHandle player) const {
  return runs_in(slot_here(player) + 1) - 1;
}

// The number of runs of equal scores that begin in the first `rows` rows.
std::uint32_t PackedRows::runs_in(std::uint32_t rows) const {
  std::uint32_t runs = rows > 0 ? 1 : 0;
  for (std::uint32_t i = 1; i < rows; ++i) runs += equals_before(i) ? 0 : 1;
  return runs;
}

// Frames.

// The frames for all rows and, if not null, for `more`.
PackedRows::Frames PackedRows::frames_for(const Place* more) const {
  const Place first = count_ > 0 ? at(0) : *more;
  ColumnExtent scores(first.score);
  ColumnExtent ties(first.tie);
  PlayerHandle players = first.player;
  for (std::uint32_t i = 1; i < count_; ++i) {
    const Place row = at(i);
    scores.add(row.score);
    ties.add(row.tie);
    players |= row.player;
  }
  auto score_growth = ColumnExtent::Growth::both;
  auto tie_growth = ColumnExtent::Growth::both;
  if (more != nullptr) {
    score_growth = scores.growth_by(more->score);
    tie_growth = ties.growth_by(more->tie);
    scores.add(more->score);
    ties.add(more->tie);
    players |= more->player;
  }
  const auto high_bytes = (std::bit_width(players >> 16) + 7U) / 8;
  return {scores.frame(score_growth), ties.frame(tie_growth),
          static_cast<std::uint8_t>(high_bytes)};
}

// Reuses the block if it has the right size, so that a board in play does not allocate.
void PackedRows::rewrite(const Frames& frames, std::uint32_t room) {
  std::array<Place, kRowsMax> rows;
  for (std::uint32_t i = 0; i < count_; ++i) rows[i] = at(i);
  if (room != room_ || frames.record_bytes() != record_bytes_) {
    block_ = std::make_unique<unsigned char[]>(block_bytes(room, frames.record_bytes()));
  }
  std::memcpy(block_.get(), &frames.scores.base, sizeof frames.scores.base);
  std::memcpy(block_.get() + 8, &frames.ties.base, sizeof frames.ties.base);
  room_ = static_cast<std::uint16_t>(room);
  score_bytes_ = frames.scores.bytes;
  score_shift_ = frames.scores.shift;
  tie_bytes_ = frames.ties.bytes;
  tie_shift_ = frames.ties.shift;
  record_bytes_ = static_cast<std::uint8_t>(frames.record_bytes());
  for (std::uint32_t i = 0; i < count_; ++i) write(i, rows[i]);
}

// A column in which the place fits keeps its frame. Another column does not become narrower, since
// the values that made it wide may return.
void PackedRows::make_fit(const Place& place) {
  if (room_ == 0) return rewrite(frames_for(&place), room_step());
  const ColumnFrame held_scores = scores();
  const ColumnFrame held_ties = ties();
  const bool score_fits = held_scores.fits(place.score);
  const bool tie_fits = held_ties.fits(place.tie);
  if (score_fits && tie_fits && place.player >> 16 >> (8 * high_bytes()) == 0) return;
  Frames frames = frames_for(&place);
  frames.scores = score_fits ? held_scores : no_narrower(frames.scores, held_scores.bytes);
  frames.ties = tie_fits ? held_ties : no_narrower(frames.ties, held_ties.bytes);
  frames.high_bytes = std::max(frames.high_bytes, static_cast<std::uint8_t>(high_bytes()));
  rewrite(frames, room_);
}

// The frames stay the same, so the encoded rows are copied.
void PackedRows::resize(std::uint32_t room) {
  auto block = std::make_unique<unsigned char[]>(block_bytes(room, record_bytes_));
  std::memcpy(block.get(), block_.get(), kBasesBytes + 2 * std::size_t{count_});
  std::memcpy(block.get() + kBasesBytes + 2 * std::size_t{room}, record(0),
              std::size_t{count_} * record_bytes_);
  block_ = std::move(block);
  room_ = static_cast<std::uint16_t>(room);
}

// Checks after every kLookAfter inserts and erases whether a narrower frame is enough, since the
// widest rows may be gone. Moves do not count: the scores of a board in play vary, and the frame
// would soon be wide again.
inline void PackedRows::changed() {
  static_assert(kLookAfter == 256);
  if (++changes_ == 0 && count_ > 0) look_for_narrower();
}

void PackedRows::look_for_narrower() {
  const Frames frames = frames_for(nullptr);
  if (frames.record_bytes() < record_bytes_) rewrite(frames, room_);
}

// Changing rows.

// REQUIRES: the place fits.
inline void PackedRows::write(std::uint32_t slot, const Place& place) {
  const auto low = static_cast<std::uint16_t>(place.player);
  std::memcpy(lows() + 2 * slot, &low, sizeof low);
  unsigned char* const here = record(slot);
  const ColumnFrame score_frame = scores();
  score_frame.set(here, score_frame.steps(place.score));
  const ColumnFrame tie_frame = ties();
  tie_frame.set(here + score_bytes_, tie_frame.steps(place.tie));
  if (const std::uint32_t bytes = high_bytes(); bytes > 0) {
    ColumnFrame{.base = 0, .bytes = static_cast<std::uint8_t>(bytes), .shift = 0}.set(
        here + before_high(), place.player >> 16);
  }
}

void PackedRows::insert_at(std::uint32_t slot, const Place& place) {
  if (count_ == room_) resize(room_ + room_step());
  const std::size_t behind = count_ - slot;
  unsigned char* const low = lows() + std::size_t{2} * slot;
  std::memmove(low + 2, low, 2 * behind);
  unsigned char* const here = record(slot);
  std::memmove(here + record_bytes_, here, behind * record_bytes_);
  ++count_;
  write(slot, place);
  changed();
}

void PackedRows::erase_at(std::uint32_t slot) {
  --count_;
  const std::size_t behind = count_ - slot;
  unsigned char* const low = lows() + std::size_t{2} * slot;
  std::memmove(low, low + 2, 2 * behind);
  unsigned char* const here = record(slot);
  std::memmove(here, here + record_bytes_, behind * record_bytes_);
  changed();
}

// Moves only the rows between the old and the new place.
inline void PackedRows::move(std::uint32_t from, std::uint32_t to, const Place& place) {
  unsigned char* const lows_from = lows() + 2 * from;
  unsigned char* const lows_to = lows() + 2 * to;
  unsigned char* const here = record(from);
  unsigned char* const there = record(to);
  if (from < to) {
    std::memmove(lows_from, lows_from + 2, 2 * (to - from));
    std::memmove(here, here + record_bytes_, std::size_t{to - from} * record_bytes_);
  } else if (to < from) {
    std::memmove(lows_to + 2, lows_to, 2 * (from - to));
    std::memmove(there + record_bytes_, there, std::size_t{from - to} * record_bytes_);
  }
  write(to, place);
}

Put PackedRows::put(const Place& place, const RowOrder& order) {
  const std::uint32_t old = slot_of(place.player);
  if (old < count_) {
    if (at(old) == place) return Put::unchanged;
    make_fit(place);
    const std::uint32_t slot = up_to(place, order);
    move(old, slot > old ? slot - 1 : slot, place);
    return Put::moved;
  }
  assert(count_ < kRowsMax);
  make_fit(place);
  insert_at(up_to(place, order), place);
  return Put::added;
}

void PackedRows::append(const Place& place) {
  make_fit(place);
  insert_at(count_, place);
}

bool PackedRows::erase(PlayerHandle player) {
  const std::uint32_t slot = slot_of(player);
  if (slot == count_) return false;
  erase_at(slot);
  if (count_ == 0) {
    *this = PackedRows{};
  } else if (count_ + 2 * room_step() < room_) {
    resize(room_ - room_step());
  }
  return true;
}

void PackedRows::check(const RowOrder& order) const {
  must(count_ <= kRowsMax && count_ <= room_, "a packed board has more rows than room");
  must(count_ == 0 || record_bytes_ <= kRecordBytesMax, "a packed row is too wide");
  for (std::uint32_t i = 0; i < count_; ++i) {
    must(slot_of(player(i)) == i, "a packed board has a player twice");
    if (i == 0) continue;
    must(score(i - 1) <= score(i), "packed scores are out of order");
    must(equals_before(i) == (score(i - 1) == score(i)), "packed equals differ");
    must(score(i - 1) != score(i) || order.stands_by(tie(i - 1), player(i - 1), at(i)),
         "packed equal scores are out of order");
  }
}

}  // namespace laurel
