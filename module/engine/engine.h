// engine.h - keeps a board's entries in order. Three interfaces, and one engine for each need.
//
//   EngineView   reads an order: rows, positions, ranks, counts, pages.
//   Engine       owns entries: erases, hides, restores and frees them.
//   ScoreEngine  holds one score per player. RollingEngine holds activity, and is an Engine only.
//
//   player       an id with its current handle in the registry, if any. It is looked up once per
//                submission and passed to all that need it.
//   row          what an engine holds of one player.
//   order        total: score key, then `ties` on the moment, then byte order of the id.
//   position     0-based from the best.
//   exact        each answer reflects all rows as of the last change, whatever the engine. A
//                cheaper approximate answer is a function of its own and says so.
//   views        ids and data in rows are valid until the engine's next change or the end of the
//                arena that was passed in: some engines copy into it, others return views of their
//                own memory.
//   threads      one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/time.h"
#include "engine/engine_row.h"
#include "engine/engine_spec.h"
#include "rank/player/players.h"
#include "rank/score/score.h"
#include "rank/tree/counted_tree.h"
#include "rank/tree/ranking.h"
#include "store/space.h"

namespace laurel {

struct Player {
  std::string_view id;
  PlayerHandle handle = kNoPlayer;
};

// The cost of reads, summed over all engines of a registry.
struct EngineReads {
  std::uint64_t entries = 0;  // rows fetched by scans and gathers
  std::uint64_t objects = 0;  // entry sets, manifests and players' rows accessed, cached or not
  std::uint64_t loads = 0;    // of those, fetched from the store
  std::uint64_t rounds = 0;   // of gathers: one round asks all shards at once
  std::uint64_t written = 0;  // entry sets and manifests written back
};

// What the registry gives to an engine. All of it outlives the engine.
struct EngineContext {
  Players& players;
  Store& store;
  SpaceNumber& last_space;  // an engine without given spaces takes the next ones
  EngineReads& reads;
};

class EngineView {
 public:
  virtual ~EngineView() = default;

  virtual std::size_t size() const = 0;

  // Prefetch hint for the player's entry in the index of rows. A wrong hint is harmless.
  // wants_prefetch() is false while the engine is so small that prefetching does not pay.
  virtual bool wants_prefetch() const { return false; }
  virtual void prefetch_player(PlayerHandle) const {}
  // As prefetch_player(), which comes before it, for the row itself.
  virtual void prefetch_row(PlayerHandle) const {}

  // The row's id may be a view of `player.id`.
  virtual std::optional<EngineRow> find(const Player& player, Arena& arena) const = 0;

  // The position of the player's row; nullopt if there is none.
  virtual std::optional<std::size_t> position(const Player& player) const = 0;
  virtual std::optional<Rank> rank(const Player& player, Ranking ranking) const = 0;
  // The rank that a new row with this score would have now.
  virtual Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const = 0;

  virtual std::size_t count_better(ScoreKey score) const = 0;
  virtual std::size_t count_not_worse(ScoreKey score) const = 0;
  virtual std::size_t distinct_better(ScoreKey score) const = 0;
  // Counts the scores from `best` to `worst`, both included. REQUIRES: best <= worst.
  virtual std::size_t count_between(ScoreKey best, ScoreKey worst) const {
    return count_not_worse(worst) - count_better(best);
  }

  // Positions and ranks cost O(log n), or the engine's cost of a rank. Some engines can prepare
  // themselves for cheaper ones, also for later changes: this does so for ranks in this mode and
  // all positions, in steps of up to `rows` rows. Returns true when there is nothing left to do.
  virtual bool prepare_ranks(Ranking, std::size_t rows [[maybe_unused]]) const { return true; }

  // Appends rows first, first+1, ... to out, at most n of them, best first.
  virtual void read(std::size_t first, std::size_t n, Arena& arena,
                    std::vector<EngineRow>& out) const = 0;
  // As read(), of the rows behind a place in the order. The row at that place may have been erased;
  // null is before all rows. `first` is the number of rows up to the place.
  virtual void read_behind(const EngineRow*, std::size_t first, std::size_t n, Arena& arena,
                           std::vector<EngineRow>& out) const {
    read(first, n, arena, out);
  }
  // As read(). Also returns count_better() of the first row's score if reading has determined it.
  virtual std::optional<std::size_t> read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                                 std::vector<EngineRow>& out) const;

  // The table in which the engine holds the player while there is a row; null if it holds players
  // in the store only.
  virtual Players* players_of(std::string_view) const { return nullptr; }

  // True if the row of a player may be dropped when that of another one is put.
  virtual bool drops_rows() const { return false; }

  // The rows in memory, for a reader that merges several orders; null if they are not in memory.
  // show() fills `out` with one of them. If has_data() is false, no row has data; a caller that can
  // look up players then need not call show().
  virtual const CountedTree* in_memory() const { return nullptr; }
  virtual void show(const Row&, Arena&, EngineRow&) const {}
  virtual bool has_data() const { return true; }
};

class Engine : public EngineView {
 public:
  // Erases the player's row, also a row that is held but not shown; returns true if there was one.
  virtual bool erase(const Player& player) = 0;

  // All that is held of a player as bytes, for hiding and for persisting; nullopt if nothing is
  // held. unpack() restores it. REQUIRES for unpack: the bytes come from the same kind of engine
  // with the same spec, and nothing is held of the player.
  virtual std::optional<std::string> pack(const Player& player) const = 0;
  virtual void unpack(const Player& player, std::string_view packed) = 0;
  // The same bytes with other data; nullopt: none. REQUIRES: pack() made them.
  virtual std::string repacked(std::string_view packed,
                               const std::optional<std::string_view>& data) const = 0;
  // Visits everything that is held, also what is not shown, player by player in any order. The
  // visitor must not change the engine.
  using PackedVisitor = std::function<void(std::string_view player, std::string_view packed)>;
  virtual void each_packed(const PackedVisitor& visit) const = 0;

  // Appends up to n listed rows after a place, in an order of the engine's own, and moves the place
  // after them; an empty place is before all rows. Fewer than n rows mean the end. While nothing
  // changes each row comes once, also across restarts: a place is bytes that can be stored. Costs
  // as much as read(); on padded boards O(log n + k) for any place.
  virtual void scan(std::string& place, std::size_t n, Arena& arena,
                    std::vector<EngineRow>& out) const;

  // Loads the rows of the engine's space in a durable store, if the engine keeps entries in memory.
  // Call it once, before anything else, but after advance() of a rolling engine. Reports progress
  // every kRowsPerProgress rows, as the number of rows since the last report; the last report may
  // come late.
  static constexpr std::size_t kRowsPerProgress = 1000;
  using LoadProgress = std::function<void(std::size_t rows)>;
  virtual void load(const LoadProgress&) {}
  // Applies new sizes, if this kind of engine has sizes that may change.
  virtual void configure(const EngineSpec&) {}
  // Writes what only memory holds to the store, in one batch.
  virtual void write_back() {}
  // Frees up to `rows` rows from memory and from the store; returns true if any are left. After the
  // first call the engine must not be used otherwise.
  virtual bool dismantle(std::size_t rows) = 0;

  virtual std::size_t bytes() const = 0;  // memory in use, without the store's
  // Aborts with a message if an invariant is violated. For tests.
  virtual void check() const {}
};

class ScoreEngine : public Engine {
 public:
  // The player's row, also if it is not shown; its id as in find().
  std::optional<EngineRow> held(const Player& player, Arena& arena) const {
    std::optional<EngineRow> row;
    find_held(player, arena, row);
    return row;
  }
  // As held(), but writes to `row` instead of returning by value. REQUIRES: `row` is empty.
  virtual void find_held(const Player& player, Arena& arena, std::optional<EngineRow>& row) const {
    row = find(player, arena);
  }
  // More prefetch hints, to be called in this order: for new rows with these scores; for these
  // players' entries in the index of rows; for these rows and the memory that moving them changes.
  // At most kPrefetchMax each.
  static constexpr std::size_t kPrefetchMax = CountedTree::kPrefetchMax;
  virtual void prefetch_paths(std::span<const ScoreKey>) {}
  virtual void prefetch_players(std::span<const PlayerHandle>) {}
  virtual void prefetch_rows(std::span<const PlayerHandle>) {}
  // Replaces the player's row, or adds one. `row.player` is ignored. Data is copied, and may be a
  // view that held() returned.
  virtual void put(const Player& player, const EngineRow& row) = 0;
  // True if this engine can hold the score. Most engines can hold all scores of their form.
  virtual bool fits(ScoreKey) const { return true; }

  std::optional<std::string> pack(const Player& player) const override;
  void unpack(const Player& player, std::string_view packed) override;
  std::string repacked(std::string_view packed,
                       const std::optional<std::string_view>& data) const override;
  void each_packed(const PackedVisitor& visit) const override;
};

}  // namespace laurel
