// change_buffer.h - durable stores: what the stored pages of a paged board hold of the players
// whose rows changed after the pages were written.
//
// A player's row is in the store as soon as it changes; the pages (entry sets and manifests) follow
// much later. When the store is opened, the notes are used to bring the pages up to date.
//
//   note        of a player: the row that the stored pages hold, or that they hold none.
//   generation  an increasing number. A player has at most one note in each generation, written
//               with the player's first change in it. The key of a note in the space is 'l', the
//               generation in 8 bytes, most significant first, and the player's id; the value is
//               the packed row, or empty.
//   first       the oldest generation whose notes count, in the space under 'g'. If several notes
//               of a player count, the one of the lowest generation tells what the pages hold.
//   end         the batch that writes the pages increases `first`, so that all older notes are
//               dead. Erasing 200,000 notes in that batch would dominate its cost. Dead notes are
//               never read, and are erased later in steps.
//   cost        add and has: O(log n), a write or a read of the store. No notes are kept in memory.
//   threads     one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace laurel {

class ChangeBuffer {
 public:
  using Generation = std::uint64_t;

  // Reads from `reader`: the space's store, or a snapshot of it. The reader outlives this object.
  ChangeBuffer(const Space& space, const Reader& reader);

  // The generation of new notes.
  Generation generation() const { return generation_; }
  // The number of notes that count.
  std::size_t count() const { return count_; }
  std::size_t count_present() const { return count_present_; }  // of the present generation

  // True if the player has a note in the present generation.
  bool has(std::string_view player) const;
  // Adds a note to the batch: the stored pages hold this row of the player, or none. REQUIRES: the
  // player has no note in the present generation.
  void add(Batch& batch, std::string_view player, const std::optional<EngineRow>& row);

  // Visits each player with a note, with the row that the stored pages hold, and sets the
  // generation and the count to those in the store. Call it once, before anything else. The visitor
  // must not write. Views are valid during the visit.
  using Visit = std::function<void(std::string_view player, const std::optional<EngineRow>& row)>;
  void load(const Visit& visit);

  // Begins a new generation: the pages of the board as it is now will be written.
  void begin_generation();
  // To be called with the batch that writes the pages as of the begin of the present generation:
  // adds that older notes no longer count. REQUIRES: the batch is written before the next call.
  void retire(Batch& batch);
  // Erases up to `notes` notes that no longer count.
  void erase_some(std::size_t notes);

  // Aborts if the number of stored notes differs from the count.
  void check() const;

 private:
  bool has(Generation generation, std::string_view player) const;

  Space space_;
  const Reader& reader_;
  Generation first_ = 0;
  Generation generation_ = 0;
  std::size_t count_ = 0;
  std::size_t count_present_ = 0;  // of them, in the present generation
  Generation erased_ = 0;          // all dead notes of earlier generations are erased
};

}  // namespace laurel
