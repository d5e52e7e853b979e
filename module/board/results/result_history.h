// result_history.h - the last accepted results of each player in a season.
//
//   kept      the newest `most` results of a player, in the order of their acceptance. Only a
//             player with an entry, shown or hidden, has any: the history ends with the entry.
//   rows      one for each result, in a space of the season (history_rows.h). A result is written
//             once, to the slot of the one that it pushes out, and nothing is read for it: the
//             player's number of results is in memory (result_counts.h). A result without data and
//             rule takes 37 bytes, its key 11 and the player's id, the checksum 4.
//   season    ends with its space, whose rows are freed in steps.
//   resized   rows of a player are put in order when the next result comes. Until then reading
//             leaves out those that are too many, and a larger size shows them again.
//   threads   none of its own; one caller at a time.
//   cost      keep: an append to the store's log, and about two cache misses; the first result of a
//             player after a start or a resize reads the store, too. Reads: O(k), and O(rows that
//             wait for the disk).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/reclaimer.h"
#include "board/results/history_rows.h"
#include "board/results/kept_result.h"
#include "board/results/result_counts.h"
#include "engine/engine.h"

namespace laurel {

class ResultHistory {
 public:
  // `board` is the board's space. REQUIRES: 1 <= most <= kHistoryMax.
  ResultHistory(const EngineContext& context, const Space& board, std::size_t most)
      : context_(context), board_(board), most_(most) {}

  // From a durable store. Call it once, before anything else.
  Status load();
  // The space with the season's rows, if there are any.
  std::optional<SpaceNumber> space() const;
  void resize(std::size_t most);
  std::size_t most() const { return most_; }

  // A result in two steps: prepare() looks at what the player holds, `row.before`, and changes
  // nothing; keep() is called when the result was applied, and nothing changed between them.
  void prepare(std::string_view player, ResultRow row);
  void keep(std::string_view player);

  // The player's results, oldest first.
  std::vector<KeptResult> of(std::string_view player) const;
  // All results, player by player.
  using EachPlayer =
      std::function<void(std::string_view player, const std::vector<KeptResult>& results)>;
  void each(const EachPlayer& visit) const;
  // Sets the results of a player, oldest first, and numbers them anew.
  void replace(std::string_view player, std::span<const KeptResult> results);

  // The player's entry is gone.
  void end(std::string_view player);
  // All are gone, in O(1); their rows are freed in steps.
  void begin_anew(Reclaimer& reclaimer);
  // REQUIRES: nothing is kept of `to`.
  void rename(std::string_view from, std::string_view to);

  std::size_t bytes() const { return sizeof *this + counts_.bytes() + packed_.capacity(); }

 private:
  struct Placed {
    HistorySlot slot = 0;
    KeptResult result;
  };
  using Waiting = HistoryRows::Waiting;

  HistorySlot slot_of(std::uint32_t number) const {
    return static_cast<HistorySlot>(number % most_);
  }
  HistoryRows& rows();
  std::vector<Placed> read(std::string_view player, Waiting waiting) const;
  void cut_off(std::vector<Placed>& placed) const;
  std::uint32_t load_count(std::string_view player);
  void put(std::string_view player, const ResultRow& row);
  void set_count(std::uint64_t hash, std::uint32_t count);
  void expect_waiting_rows();
  Waiting waiting_rows();

  EngineContext context_;
  Space board_;
  std::size_t most_;
  std::optional<HistoryRows> rows_;
  ResultCounts counts_;
  // Counts were dropped whose rows may wait for the disk, up to the commit of this number; 0: none.
  std::uint64_t dropped_until_ = 0;
  std::string packed_;  // kept to reuse its memory
  struct Prepared {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;
  } prepared_;  // its row is in packed_
};

}  // namespace laurel
