// bulk_load.h - a whole board at once: players held, rows sorted, a tree built.
//
//   input    rows of different players in the byte order of their ids, as stores keep them, so that
//            no id is compared.
//   output   what putting one row after the other would have made, in a tenth of the time.
//   owner    the holds (Players::hold), one of each player, belong to whoever has the tree.
//   memory   25 bytes a row and its id meanwhile, and 16 a row while sorting.
//   cost     n rows: O(n) but for rows of equal scores, O(n log n).
//   threads  none of its own; one caller at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rank/counted_tree.h"
#include "rank/players.h"
#include "rank/radix_sort.h"

namespace laurel {

class BulkLoad {
 public:
  // `players` outlives the load.
  explicit BulkLoad(Players& players) : players_(players) {}

  // REQUIRES: an id of 1 to kPlayerBytesMax bytes, behind the last one in byte order.
  void add(std::string_view id, ScoreKey score, Time at);
  std::size_t size() const { return size_; }

  // Fills an empty tree. Once, behind the last row.
  void finish(CountedTree& tree);
  // Of the i-th row that was added; once finished.
  PlayerHandle player(std::size_t i) const { return row(i).player; }

 private:
  static constexpr std::size_t kChunkShift = 15;
  static constexpr std::size_t kChunkRows = std::size_t{1} << kChunkShift;

  // Rows as they came. Chunks, lest growing copies them.
  struct Chunk {
    std::array<Row, kChunkRows> rows;  // without players until they are held
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
