// engine.h - what keeps a board's entries in order. Two interfaces and an engine for each need.
//
//   EngineView    what can be asked of an order: who is where, how many are better, pages.
//   Engine        owns entries: takes them off, hides them, gives them back, frees itself.
//   ScoreEngine   holds one score a player. RollingEngine, which holds activity, is no such engine.
//
//   player     an id with the handle that it has in the registry at the moment, if any: looked up
//              once a submission, used by everybody on the way.
//   row        what an engine holds of one player.
//   order      total: score key, then `ties` on the moment, then byte order of the id.
//   position   0-based from the best.
//   exact      every answer is that of the rows as the last change left them, whatever the engine;
//              where one has a cheaper answer too, that is a call of its own and says so.
//   views      ids and data in rows are valid until the engine's next change, and no longer than
//              the arena that was handed in: some engines copy into it, others show their own.
//   threads    one caller at a time.
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
#include "engine/engine_spec.h"
#include "rank/counted_tree.h"
#include "rank/players.h"
#include "rank/ranking.h"
#include "rank/score.h"
#include "store/space.h"

namespace laurel {

struct Player {
  std::string_view id;
  PlayerHandle handle = kNoPlayer;
};

struct EngineRow {
  std::string_view player;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string_view> data;
};

// What reading cost, counted over all engines of a registry.
struct EngineReads {
  std::uint64_t entries = 0;  // rows fetched by scans and gathers
  std::uint64_t objects = 0;  // entry sets, manifests and players' rows looked at, cached or not
  std::uint64_t loads = 0;    // of those, fetched from the store
  std::uint64_t rounds = 0;   // of gathers: questions put to all shards at once
  std::uint64_t written = 0;  // entry sets and manifests written back
};

// What an engine is given by its registry. All of it outlives the engine.
struct EngineContext {
  Players& players;
  Store& store;
  SpaceNumber& last_space;  // an engine that is not told its spaces takes the next ones
  EngineReads& reads;
};

class EngineView {
 public:
  virtual ~EngineView() = default;

  virtual std::size_t size() const = 0;

  // Hints of what will be asked for, so that its memory is on the way: where a player's row is
  // noted. They may be wrong. An engine takes none while they would cost more than they bring.
  virtual bool takes_hints() const { return false; }
  virtual void expect_player(PlayerHandle) const {}

  virtual std::optional<EngineRow> find(const Player& player, Arena& arena) const = 0;

  // Of the player's row; nothing when there is none.
  virtual std::optional<std::size_t> position(const Player& player) const = 0;
  virtual std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const = 0;
  // The rank that a newcomer with this score would have now.
  virtual std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const = 0;

  virtual std::size_t count_better(ScoreKey score) const = 0;
  virtual std::size_t count_not_worse(ScoreKey score) const = 0;
  virtual std::size_t distinct_better(ScoreKey score) const = 0;
  // Of scores from `best` to `worst`, these included. REQUIRES: best <= worst.
  virtual std::size_t count_between(ScoreKey best, ScoreKey worst) const {
    return count_not_worse(worst) - count_better(best);
  }

  // Appends rows first, first+1, ... to out, at most n of them, best first.
  virtual void read(std::size_t first, std::size_t n, Arena& arena,
                    std::vector<EngineRow>& out) const = 0;
  // Likewise; answers count_better of the first row's score where reading has shown it.
  virtual std::optional<std::size_t> read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                                 std::vector<EngineRow>& out) const;

  // The rows where they lie, for who reads several orders as one; null where they do not lie in
  // memory. show() fills `out` with one of them. Where no row has data, that is what the order has:
  // whoever knows the players need not ask.
  virtual const CountedTree* in_memory() const { return nullptr; }
  virtual void show(const Row&, EngineRow&) const {}
  virtual bool has_data() const { return true; }
};

class Engine : public EngineView {
 public:
  // Takes the player's row off, a row out of sight included; whether there was one.
  virtual bool erase(const Player& player) = 0;

  // All that is held of a player as bytes, for hiding and for keeping; nothing when there is
  // nothing. unpack puts it back as it was. REQUIRES of unpack: bytes of the same kind of engine
  // and the same spec; nothing is held of the player.
  virtual std::optional<std::string> pack(const Player& player) const = 0;
  virtual void unpack(const Player& player, std::string_view packed) = 0;
  // All that is held, player by player, out of sight too, in any order. The visitor changes nothing
  // here.
  using PackedVisitor = std::function<void(std::string_view player, std::string_view packed)>;
  virtual void each_packed(const PackedVisitor& visit) const = 0;

  // Appends up to n listed rows that come behind a place, in an order of the engine's own, and
  // moves the place behind them; an empty place is before all rows. Fewer than n: there are no
  // more. While nothing changes each row comes once, over restarts too: a place is bytes that can
  // be kept. Costs what reading costs; on padded boards O(log n + k), wherever the place is.
  virtual void scan(std::string& place, std::size_t n, Arena& arena,
                    std::vector<EngineRow>& out) const;

  // Takes what its space in a durable store holds, where entries are kept in memory. Once, before
  // anything else, and after advance of a rolling engine. Tells of rows as they come, by their
  // number since the last call, each kRowsPerProgress of them; the last call may be late.
  static constexpr std::size_t kRowsPerProgress = 1000;
  using LoadProgress = std::function<void(std::size_t rows)>;
  virtual void load(const LoadProgress&) {}
  // Takes new sizes, where the kind of engine has any that may change.
  virtual void configure(const EngineSpec&) {}
  // Hands what only memory holds to the store, in one batch.
  virtual void write_back() {}
  // Frees up to `rows` rows, of memory and of the store; whether any are left. Nothing else is
  // asked of the engine afterwards.
  virtual bool dismantle(std::size_t rows) = 0;

  virtual std::size_t bytes() const = 0;  // memory in use, without the store's
  // Aborts, saying what, unless everything holds that must between two calls. For tests.
  virtual void check() const {}
};

class ScoreEngine : public Engine {
 public:
  // The player's row whether or not it is shown. Its id may be a view of the one asked with.
  std::optional<EngineRow> held(const Player& player, Arena& arena) const {
    std::optional<EngineRow> row;
    find_held(player, arena, row);
    return row;
  }
  // The same where it is wanted. REQUIRES: `row` is empty.
  virtual void find_held(const Player& player, Arena& arena, std::optional<EngineRow>& row) const {
    row = find(player, arena);
  }
  // Further hints, one call after the other, in this order: new rows with these scores; where the
  // rows of these players are noted; these rows themselves, with what moving them changes
  // elsewhere. At most kExpectedMax each.
  static constexpr std::size_t kExpectedMax = CountedTree::kExpectedMax;
  virtual void expect_scores(std::span<const ScoreKey>) {}
  virtual void expect_players(std::span<const PlayerHandle>) {}
  virtual void expect_rows(std::span<const PlayerHandle>) {}
  // Holds the row in place of the one that its player had. `row.player` is ignored; data is
  // copied, and may be a view of what held() showed.
  virtual void put(const Player& player, const EngineRow& row) = 0;
  // Whether this engine can hold the score. Most can hold all of a form's.
  virtual bool fits(ScoreKey) const { return true; }

  std::optional<std::string> pack(const Player& player) const override;
  void unpack(const Player& player, std::string_view packed) override;
  void each_packed(const PackedVisitor& visit) const override;
};

// How many spaces the engine of a spec takes: one, and a sharded one as many as it has shards.
SpaceNumber spaces_of(const EngineSpec& spec);
// The engine of a spec, empty, in spaces of its own. REQUIRES: the kind is not `rolling`.
std::unique_ptr<ScoreEngine> make_score_engine(const EngineSpec& spec, EngineContext context);
// Likewise in these spaces, the first one and those that follow. What one of the same spec left
// there it has, some kinds only after load().
std::unique_ptr<ScoreEngine> make_score_engine(const EngineSpec& spec, EngineContext context,
                                               SpaceNumber first);

}  // namespace laurel
