// page_notes.h - on a durable store: what the stored pages of a paged board hold of the players
// whose rows have changed since the pages were written.
//
// A player's row is in the store as soon as it changes, the pages (entry sets and manifests) much
// later. With the notes whoever opens the store brings the pages up to the rows.
//
//   note         of a player: the row that the stored pages hold of him, or that they hold none.
//   generation   of notes: a number that rises. A player has at most one note in each, written with
//                his first change in it. In the space notes lie under 'l', the generation in 8
//                bytes, most significant first, and the player's id; the value is the packed row,
//                or nothing.
//   first        the generation from which on notes count, in the space under 'g'. Of several notes
//                of a player that count, the one of the lowest generation says what pages hold.
//   end          the batch that writes pages moves `first` on, and all older notes are dead with
//                it: 200,000 erasures in that batch would be most of its work. The dead are erased
//                in steps afterwards, whenever that happens; nobody reads them any more.
//   cost         add and has: O(log n), a write or a read of the store. Nothing is in memory.
//   threads      one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace laurel {

class PageNotes {
 public:
  using Generation = std::uint64_t;

  // Reads from `reader`: the space's store, or a snapshot of it. It outlives this.
  PageNotes(const Space& space, const Reader& reader);

  // The one in which notes are written now.
  Generation generation() const { return generation_; }
  // Of the generations that count.
  std::size_t count() const { return count_; }
  std::size_t count_present() const { return count_present_; }  // of them, of the present one

  // Whether the player has a note in the present generation.
  bool has(std::string_view player) const;
  // Adds to a batch that the pages which are to be written next will hold this row of the player,
  // or none. REQUIRES: he has no note in the present generation.
  void add(Batch& batch, std::string_view player, const std::optional<EngineRow>& row);

  // Tells of each player who has a note what the stored pages hold of him, and goes on in the
  // generation and with the count that it finds. Once, before anything else. The visitor writes
  // nothing. Views are valid during the visit.
  using Visit = std::function<void(std::string_view player, const std::optional<EngineRow>& row)>;
  void load(const Visit& visit);

  // From now on notes are of another generation: the board as it is now will be in the store.
  void begin_generation();
  // Adds to the batch, with the pages of the moment in which the present generation began, that
  // older notes do not count any more. REQUIRES: the batch is written before the next call.
  void retire(Batch& batch);
  // Erases up to so many notes that do not count.
  void erase_some(std::size_t notes);

  // Aborts unless as many notes are stored as are counted.
  void check() const;

 private:
  bool has(Generation generation, std::string_view player) const;

  Space space_;
  const Reader& reader_;
  Generation first_ = 0;
  Generation generation_ = 0;
  std::size_t count_ = 0;
  std::size_t count_present_ = 0;  // of them, in the present generation
  Generation erased_ = 0;          // the dead of generations before this one are erased
};

}  // namespace laurel
