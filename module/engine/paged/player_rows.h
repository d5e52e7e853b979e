// player_rows.h - of each player of a paged board the row: score, moment, data.
//
//   store      rows lie in the board's space under 'p' and the player's id, packed by row_codec.h.
//   pending    rows that came or went since the last write(): looked into first.
//   views      of data are valid until the next change, and the store's next write.
//   cost       O(log n) in the pending ones, and a get of the store.
//   threads    one caller at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace laurel {

class PlayerRows {
 public:
  // Reads from `reader`: the space's store, or a snapshot of it. It and the counters outlive this.
  PlayerRows(const Space& space, const Reader& reader, EngineReads& reads)
      : space_(space), reader_(reader), reads_(reads) {}

  std::optional<EngineRow> find(std::string_view player) const;
  void put(const EngineRow& row);
  void erase(std::string_view player);

  // Adds to the batch what is pending. REQUIRES: the batch is written before the next call.
  void write(Batch& batch);
  // Lets go of up to so many that are pending, of a board that ends; whether any are left.
  bool forget_some(std::size_t rows);

  std::size_t bytes() const { return bytes_; }  // of what is pending

  // How many players there are. O(n); for checks.
  std::size_t count() const;

 private:
  void hold(std::string_view player, std::optional<std::string> packed);

  Space space_;
  const Reader& reader_;
  EngineReads& reads_;
  // Nothing: the player's row is to go. Sorted, as the store likes its batches, and no hash of ids
  // that players choose.
  std::map<std::string, std::optional<std::string>, std::less<>> pending_;
  std::size_t bytes_ = 0;
};

}  // namespace laurel
