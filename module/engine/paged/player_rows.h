// player_rows.h - the row of each player of a paged board: score, moment, data.
//
//   store    the key of a row in the board's space is 'p' and the player's id; the value is packed
//            by row_codec.h.
//   pending  memory stores: rows that changed since the last write(), which are looked up first.
//   durable  in a durable store nothing is pending: a change is written at once, in one batch with
//            the note that it needs (change_buffer.h). The packed row is preceded by the generation
//            in which it was written, in 8 bytes. So a row tells whether its player has a note; the
//            store must be asked only for a new player.
//   views    of data are valid until the next change and until the store's next write.
//   cost     O(log n) in the pending rows, and a get of the store; on a durable store also a write.
//   threads  one caller at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/paged/change_buffer.h"

namespace laurel {

class PlayerRows {
 public:
  // The row of a player, and on a durable store its generation.
  struct Held {
    EngineRow row;
    ChangeBuffer::Generation generation = 0;
  };

  // Reads from `reader`: the space's store, or a snapshot of it. `notes` is null if the store is
  // not durable. All of them and the counters outlive this object.
  PlayerRows(const Space& space, const Reader& reader, ChangeBuffer* notes, EngineReads& reads)
      : space_(space), reader_(reader), notes_(notes), reads_(reads) {}

  std::optional<Held> find(std::string_view player) const;
  // REQUIRES for both: `held` is the result of find() for the player, and is still valid.
  void put(const EngineRow& row, const std::optional<Held>& held);
  void erase(std::string_view player, const Held& held);

  // Adds the pending rows to the batch. REQUIRES: the batch is written before the next call.
  void write(Batch& batch);
  // Drops up to `rows` pending rows, of a board that ends; returns true if any are left.
  bool forget_some(std::size_t rows);

  std::size_t bytes() const { return bytes_; }  // of the pending rows

  // The number of players. O(n); for checks.
  std::size_t count() const;

 private:
  void hold(std::string_view player, std::optional<std::string> packed);
  void write_through(std::string_view player, const std::optional<std::string>& packed,
                     const std::optional<Held>& held);

  Space space_;
  const Reader& reader_;
  ChangeBuffer* notes_;
  EngineReads& reads_;
  // nullopt: the player's row is to be erased. A map, since the store prefers sorted batches, and
  // since hashing ids that players choose would allow collision attacks.
  std::map<std::string, std::optional<std::string>, std::less<>> pending_;
  std::size_t bytes_ = 0;
  Batch through_;  // empty between calls; keeps its memory
};

}  // namespace laurel
