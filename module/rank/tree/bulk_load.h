// bulk_load.h - loads a whole board: holds its players, sorts its rows and builds the tree.
//
//   input    rows of different players in the byte order of their ids, as in stores, so that no id
//            is compared.
//   output   the same as putting one row after another, in a tenth of the time.
//   owner    one hold (Players::hold) of each player belongs to the owner of the tree.
//   memory   during the load 25 bytes a row and its id, and 16 a row while sorting.
//   cost     n rows: O(n), and O(n log n) for rows with equal scores.
//   threads  one caller at a time. finish() sorts many rows in a second thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rank/player/players.h"
#include "rank/tree/counted_tree.h"
#include "rank/tree/radix_sort.h"

namespace laurel {

class BulkLoad {
 public:
  // `players` must outlive the load.
  explicit BulkLoad(Players& players) : players_(players) {}

  // REQUIRES: an id of 1 to kPlayerBytesMax bytes, greater in byte order than the last one.
  void add(std::string_view id, ScoreKey score, Time at);
  std::size_t size() const { return size_; }

  // Fills an empty tree. Called once, after the last add().
  void finish(CountedTree& tree);
  // The player of the i-th added row. REQUIRES: finish() was called.
  PlayerHandle player(std::size_t i) const { return row(i).player; }

 private:
  static constexpr std::size_t kChunkShift = 15;
  static constexpr std::size_t kChunkRows = std::size_t{1} << kChunkShift;

  // Rows in the order of the calls. They are in chunks, so that growth does not copy them.
  struct Chunk {
    std::array<Row, kChunkRows> rows;  // the players are set when they are held
    std::array<std::uint8_t, kChunkRows> id_sizes;
    std::string ids;
  };

  Row& row(std::size_t i) const { return chunks_[i >> kChunkShift]->rows[i & (kChunkRows - 1)]; }
  void add_chunk();
  void hold_players();
  std::vector<KeyedNumber> sorted(Ties ties) const;
  void sort_equals(std::vector<KeyedNumber>& order, Ties ties) const;

  Players& players_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
  ScoreKey differing_ = 0;  // bits in which any two scores differ
};

}  // namespace laurel
