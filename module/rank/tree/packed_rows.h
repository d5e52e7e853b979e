// packed_rows.h - the rows of a small board, sorted, in one block of memory.
//
// Most boards are small, and a tree would be mostly empty. A player is found by a linear scan of
// all handles, which at this size is faster than a table.
//
//   row      as few bytes as the board's scores, times and handles need: whole scores below a
//            billion 5, times of some days 5, handles of a million players 3. At most 20.
//   frame    the encoding of scores and times, the same for all rows. All rows are rewritten if a
//            new row does not fit. After kLookAfter inserts and erases they are also rewritten if a
//            narrower frame is enough.
//   room     the block has room for a few rows more.
//   threads  none of its own; one caller at a time.
//   cost     every call O(n) in small steps, n being at most kPackedRowsMax.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "base/limits.h"
#include "rank/prefetch.h"
#include "rank/tree/column_frame.h"
#include "rank/tree/row_order.h"

namespace laurel {

class PackedRows {
 public:
  static constexpr std::size_t kRowsMax = kPackedRowsMax;

  // Adds `count` rows, best first. REQUIRES: size() == 0, count <= kRowsMax.
  template <typename PlaceAt>
  void build(std::size_t count, PlaceAt place) {
    for (std::size_t i = 0; i < count; ++i) append(place(i));
  }

  std::size_t size() const { return count_; }
  std::optional<Place> find(PlayerHandle player) const;
  bool has(PlayerHandle player) const;

  // REQUIRES: size() < kRowsMax, or the player has a row.
  Put put(const Place& place, const RowOrder& order);
  bool erase(PlayerHandle player);

  // As in CountedTree. REQUIRES of the calls with a player: has(player).
  std::size_t position(PlayerHandle player) const;
  std::size_t better_than(PlayerHandle player) const;
  std::size_t not_worse_than(PlayerHandle player) const;
  std::size_t distinct_better_than(PlayerHandle player) const;
  std::size_t count_up_to(const Place& place, const RowOrder& order) const;
  std::size_t count_better(ScoreKey score) const;
  std::size_t distinct_better(ScoreKey score) const;

  // Reads many rows and decodes the frame only once. Valid until the next change.
  class Reader {
   public:
    explicit Reader(const PackedRows& rows)
        : scores_(rows.scores()),
          ties_(rows.ties()),
          high_most_((1U << (8 * rows.high_bytes())) - 1),
          lows_(rows.lows()),
          records_(rows.record(0)),
          tie_at_(rows.score_bytes_),
          high_at_(rows.before_high()),
          record_bytes_(rows.record_bytes_) {}

    Place at(std::uint32_t position) const {
      const unsigned char* const here = records_ + position * record_bytes_;
      std::uint16_t low;
      std::memcpy(&low, lows_ + std::size_t{2} * position, sizeof low);
      const auto high = static_cast<PlayerHandle>(eight_bytes(here + high_at_) & high_most_);
      return {scores_.number(scores_.at(here)), ties_.number(ties_.at(here + tie_at_)),
              high << 16 | low};
    }

   private:
    ColumnFrame scores_;
    ColumnFrame ties_;
    std::uint64_t high_most_;
    const unsigned char* lows_;
    const unsigned char* records_;
    std::uint32_t tie_at_;
    std::uint32_t high_at_;
    std::uint32_t record_bytes_;
  };

  // The row at a position, and its parts. REQUIRES: position < size().
  Place at(std::uint32_t position) const { return Reader(*this).at(position); }
  ScoreKey score(std::uint32_t position) const {
    const ColumnFrame frame = scores();
    return frame.number(frame.at(record(position)));
  }
  std::uint64_t tie(std::uint32_t position) const {
    const ColumnFrame frame = ties();
    return frame.number(frame.at(record(position) + score_bytes_));
  }
  PlayerHandle player(std::uint32_t position) const {
    std::uint16_t low;
    std::memcpy(&low, lows() + std::size_t{2} * position, sizeof low);
    return high(position) << 16 | low;
  }
  // True if the row before has the same score. REQUIRES: 0 < position < size().
  bool equals_before(std::uint32_t position) const {
    const unsigned char* const here = record(position);
    return ((eight_bytes(here) ^ eight_bytes(here - record_bytes_)) & scores().most()) == 0;
  }

  // The present frame of times. REQUIRES: size() > 0. For tests.
  ColumnFrame tie_frame() const { return ties(); }

  // Prefetches what a put or an erase reads: all of a small block, of a larger one the part that is
  // searched for the player.
  void prefetch() const {
    constexpr std::size_t kBytesMax = 2048;
    if (!block_) return;
    const std::size_t some = std::min(bytes(), kBytesMax);
    for (std::size_t at = 0; at < some; at += 64) laurel::prefetch(block_.get() + at);
  }

  std::size_t bytes() const { return block_ ? block_bytes(room_, record_bytes_) : 0; }

  // Aborts unless the rows are sorted and their players distinct. For tests.
  void check(const RowOrder& order) const;

 private:
  // The block has the bases of scores and ties, then the low halves of all handles (for the scan),
  // then for each row its score, its tie and the rest of its handle (for one memmove).
  static constexpr std::uint32_t kBasesBytes = 16;
  static constexpr std::uint32_t kSpareBytes = 8;   // all reads are of eight bytes
  static constexpr std::uint32_t kLookAfter = 256;  // inserts and erases
  static constexpr std::uint32_t kRecordBytesMax = 18;

  struct Frames {
    ColumnFrame scores;
    ColumnFrame ties;
    std::uint8_t high_bytes = 0;

    std::uint32_t record_bytes() const { return scores.bytes + ties.bytes + high_bytes; }
  };

  static constexpr std::size_t block_bytes(std::uint32_t room, std::uint32_t record_bytes) {
    return kBasesBytes + std::size_t{room} * (2 + record_bytes) + kSpareBytes;
  }
  ColumnFrame scores() const { return {eight_bytes(block_.get()), score_bytes_, score_shift_}; }
  ColumnFrame ties() const { return {eight_bytes(block_.get() + 8), tie_bytes_, tie_shift_}; }
  unsigned char* lows() const { return block_.get() + kBasesBytes; }
  unsigned char* record(std::uint32_t slot) const {
    return lows() + 2 * std::uint32_t{room_} + slot * std::uint32_t{record_bytes_};
  }
  std::uint32_t before_high() const { return std::uint32_t{score_bytes_} + tie_bytes_; }
  std::uint32_t high_bytes() const { return record_bytes_ - before_high(); }
  // The number of rows by which a full block grows.
  std::uint32_t room_step() const { return std::max<std::uint32_t>(4, room_ / 32); }
  PlayerHandle high(std::uint32_t slot) const {
    const std::uint64_t bytes = eight_bytes(record(slot) + before_high());
    return static_cast<PlayerHandle>(bytes & ((1U << (8 * high_bytes())) - 1));
  }

  void append(const Place& place);                   // as the last row
  std::uint32_t slot_of(PlayerHandle player) const;  // count_: no row
  std::uint32_t slot_here(PlayerHandle player) const;
  std::uint32_t better(ScoreKey score) const;
  std::uint32_t runs_in(std::uint32_t rows) const;
  std::uint32_t up_to(const Place& place, const RowOrder& order) const;
  void write(std::uint32_t slot, const Place& place);
  void move(std::uint32_t from, std::uint32_t to, const Place& place);
  void insert_at(std::uint32_t slot, const Place& place);
  void erase_at(std::uint32_t slot);
  Frames frames_for(const Place* more) const;
  void make_fit(const Place& place);
  void rewrite(const Frames& frames, std::uint32_t room);
  void resize(std::uint32_t room);
  void changed();
  void look_for_narrower();

  std::unique_ptr<unsigned char[]> block_;
  std::uint16_t count_ = 0;
  std::uint16_t room_ = 0;
  std::uint8_t score_bytes_ = 0;
  std::uint8_t score_shift_ = 0;
  std::uint8_t tie_bytes_ = 0;
  std::uint8_t tie_shift_ = 0;
  std::uint8_t record_bytes_ = 0;  // score, tie and the rest of the handle
  std::uint8_t changes_ = 0;
};
static_assert(sizeof(PackedRows) == 24);

}  // namespace laurel
