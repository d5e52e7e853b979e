// player_rows.h - of each player of a paged board the row: score, moment, data.
//
//   store      rows lie in the board's space under 'p' and the player's id, packed by row_codec.h.
//   pending    in a store of memory: rows that came or went since the last write(), looked into
//              first.
//   durable    in a durable store nothing is pending: a change is written at once, in one batch
//              with the note that it asks for (page_notes.h). There the packed row stands behind
//              the generation in which it was written, in 8 bytes. So a row says by itself whether
//              its player has a note; only for a newcomer the store is asked once more.
//   views      of data are valid until the next change, and the store's next write.
//   cost       O(log n) in the pending ones, and a get of the store; a write on a durable one.
//   threads    one caller at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/paged/page_notes.h"

namespace laurel {

class PlayerRows {
 public:
  // What is known of a player who has a row.
  struct Held {
    EngineRow row;
    PageNotes::Generation generation = 0;
  };

  // Reads from `reader`: the space's store, or a snapshot of it. `notes` is null where the store
  // is not durable. All of them and the counters outlive this.
  PlayerRows(const Space& space, const Reader& reader, PageNotes* notes, EngineReads& reads)
      : space_(space), reader_(reader), notes_(notes), reads_(reads) {}

  std::optional<Held> find(std::string_view player) const;
  // REQUIRES of these: `held` is what find() says of the player, and is still valid.
  void put(const EngineRow& row, const std::optional<Held>& held);
  void erase(std::string_view player, const Held& held);

  // Adds to the batch what is pending. REQUIRES: the batch is written before the next call.
  void write(Batch& batch);
  // Lets go of up to so many that are pending, of a board that ends; whether any are left.
  bool forget_some(std::size_t rows);

  std::size_t bytes() const { return bytes_; }  // of what is pending

  // How many players there are. O(n); for checks.
  std::size_t count() const;

 private:
  void hold(std::string_view player, std::optional<std::string> packed);
  void write_through(std::string_view player, const std::optional<std::string>& packed,
                     const std::optional<Held>& held);

  Space space_;
  const Reader& reader_;
  PageNotes* notes_;
  EngineReads& reads_;
  // Nothing: the player's row is to go. Sorted, as the store likes its batches, and no hash of ids
  // that players choose.
  std::map<std::string, std::optional<std::string>, std::less<>> pending_;
  std::size_t bytes_ = 0;
  Batch through_;  // empty between calls; keeps its memory
};

}  // namespace laurel
