// board_marks.h - the last mark of a board: when it was set, and the order at it.
//
//   mark       a moment whose order a board remembers until the next one. Setting it copies nothing
//              and reads nothing; what goes is freed later by the reclaimer.
//   order      kept as what changed since (marked_order.h). A board that was empty keeps nothing.
//              If the board is cleared, its engine is put aside until the next mark: it is the
//              order from which the mark differs, and no longer changes.
//   clock      with `marks`: a mark is due by the clock, and is set by the first call after that.
//   season     begins with a mark of an empty board.
//   owner      a board has one if its spec has `marks`, or from its first mark on. Others pay one
//              test of a pointer for each change.
//   ranks      of the players that were asked for last are kept: the order at the mark does not
//              change. So a list of entries costs a lookup for each.
//   disk       in a durable store a row for each changed player, in a space of its own for each
//              mark; a row of the board says the rest. They are of the transaction of the change.
//   cost       setting: O(1). A change: that of MarkedOrder, and two lookups of the player.
//   threads    as the board.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "board/marks/marked_order.h"
#include "board/part_context.h"
#include "board/spec/due_clock.h"
#include "board/spec/spec.h"
#include "engine/engine.h"
#include "store/space.h"

namespace laurel {

// Whether boards of this spec can have marks.
bool has_marks(const Spec& spec);

// What a board keeps of a mark, besides the players that changed since: a row of the store.
struct MarkForm {
  enum class Kind : std::uint8_t {
    none,     // there was no mark yet
    empty,    // no player was ranked
    changes,  // the order of the board, except for the players that changed
    aside     // the same of an engine that was put aside
  };
  Kind kind = Kind::none;
  Time at = 0;
  std::optional<Time> due;  // when the next one is due
  SpaceNumber changed = 0;  // the space of the players that changed; 0: none yet
  SpaceNumber aside = 0;    // the first space of the engine that was put aside
  // The sizes of that engine, if the board is capped.
  std::uint64_t cap = 0;
  std::uint64_t reserve = 0;
};

// The letter of that row in a board's space. The other letters are in board_codec.h.
inline constexpr char kMarkLetter = 'm';

class BoardMarks {
 public:
  BoardMarks(const PartContext& context, const Spec& spec);
  ~BoardMarks();
  BoardMarks(const BoardMarks&) = delete;
  BoardMarks& operator=(const BoardMarks&) = delete;

  // Whether the store has rows of a board's marks.
  static bool has_rows(const Space& board);
  // From a durable store, when `order` has its rows. Call it once, before anything else. `make`
  // makes the engine that was put aside, with its rows. Fails with bad_data.
  using MakeEngine = std::function<std::unique_ptr<Engine>(const Spec& spec, SpaceNumber first)>;
  Status load(const Spec& spec, const EngineView& order, const MakeEngine& make);
  // Calls visit(first, count) for the spaces in use.
  void each_space(const Spec& spec,
                  const std::function<void(SpaceNumber first, SpaceNumber count)>& visit) const;
  // Frees all of it. Called before the board is dropped.
  void dismantle();

  // ---- the clock

  // The schedule is another one, from now on; absent: there are no marks by the clock.
  void follow(const std::optional<Schedule>& schedule, Time now);
  std::optional<Time> due() const { return clock_.due(); }
  // Whether move() has to be called.
  bool moves(Time now) { return clock_.moves(now); }
  // Sets the mark that was due, if one was; returns whether it did. `latest` is as in set().
  bool move(const EngineView& order, Time now, Time latest);

  // ---- marks

  // Sets a mark of the order. `latest` is the last moment that was given to a row.
  void set(const EngineView& order, Time at, Time latest);
  // A season began.
  void begin_season(Time started);
  // When the last one was set.
  std::optional<Time> time() const;

  // ---- changes of the order

  // Whether changes have to be told.
  bool hears() const { return kind_ == MarkForm::Kind::changes; }
  void changed(const EngineView& order, const Player& player, const std::optional<RowKey>& before,
               const std::optional<RowKey>& after);
  // A player who was ranked at the mark may have another handle now.
  void forget_ranks() {
    known_.reset();
    ++version_;
  }
  // Hints that rows may change soon, as those of MarkedOrder.
  void prefetch_paths(std::span<const ScoreKey> scores) {
    if (hears()) changes_->prefetch_paths(scores);
  }
  void prefetch_players(std::span<const PlayerHandle> players) {
    if (hears()) changes_->prefetch_players(players);
  }
  void prefetch(PlayerHandle player, const std::optional<RowKey>& before) {
    changes_->prefetch(player, before);
  }
  // The board continues with an empty engine. Takes the one that it had, with its spaces from
  // `first` on, if the mark needs it.
  void put_aside(std::unique_ptr<Engine>& engine, SpaceNumber first, const Spec& spec);
  void rank_by(const EngineView& order, Ranking ranking);
  // As Board::forget and rename, after the player's row has gone from the order. Whether there was
  // a row at the mark.
  bool forget(const EngineView& order, std::string_view player);
  bool rename(const EngineView& order, std::string_view from, std::string_view to);
  // Whether the mark has something of the player.
  bool has(const Player& player) const;

  // ---- reading

  // The player's row at the mark, and rank in the board's mode; absent if the player was not
  // ranked.
  std::optional<RowKey> find(const EngineView& order, const Player& player) const;
  std::optional<Rank> rank(const EngineView& order, const Player& player) const;
  // From 1; changes before a rank at the mark does.
  const std::uint64_t& version() const { return version_; }
  // As rank(), of an entry that was just read: `player` is the id as the order shows it.
  std::optional<Rank> rank_of_entry(const EngineView& order, std::string_view player) const;

  // ---- exports

  // Calls visit(player, row at the mark or nullopt) for each player whose row in the order is not
  // the one at the mark. O(c) for c changed players; O(n) if an engine was put aside.
  using EachChanged = std::function<void(std::string_view, const std::optional<RowKey>&)>;
  void each_changed(const EngineView& order, const EachChanged& visit) const;
  // Restores a mark of a new board whose order has its rows: how it was (`none`, `empty` or
  // `changes`), when, and when the next is due. Then the changed players, one by one.
  void restore(const EngineView& order, MarkForm::Kind kind, Time at,
               const std::optional<Schedule>& schedule, std::optional<Time> due);
  // False if the player was restored already, or the mark has no changes.
  bool restore_changed(const EngineView& order, std::string_view player,
                       const std::optional<RowKey>& was);
  MarkForm::Kind kind() const { return kind_; }

  std::size_t bytes() const;
  void check() const { changes_->check(); }

 private:
  // Ranks at the mark of players whose entries were read, by their handles in the registry's own
  // table: there a player who was ranked at the mark stays, and the handle with them, as long as
  // the mark stands, except in the change that takes their row off. All others had no rank.
  class KnownRanks {
   public:
    // The rank of the player; if it is not known, from find(). 0: none.
    template <typename Find>
    Rank get(PlayerHandle player, Find find) {
      if (used_ == kKnownRanksMax) *this = {};
      std::size_t slot = slot_of(player);
      while (slots_[slot].player != player && slots_[slot].player != kNoPlayer) {
        slot = (slot + 1) % kSlots;
      }
      if (slots_[slot].player == kNoPlayer) {
        slots_[slot] = {player, find()};
        ++used_;
      }
      return slots_[slot].rank;
    }

   private:
    static constexpr std::size_t kSlots = 2 * kKnownRanksMax;
    struct Slot {
      PlayerHandle player = kNoPlayer;
      Rank rank;
    };
    static std::size_t slot_of(PlayerHandle player) {
      return (player * 0x9E3779B97F4A7C15U >> 40) % kSlots;
    }

    std::array<Slot, kSlots> slots_{};
    std::size_t used_ = 0;
  };

  // The order that the changes are of.
  const EngineView& base(const EngineView& order) const { return aside_ ? *aside_ : order; }
  void begin(MarkForm::Kind kind, Time at, Time latest);
  void count_distinct(const EngineView& order);
  void open_rows(SpaceNumber space);
  void write(std::string_view player, const std::optional<RowKey>& was);
  void retire_rows();
  MarkForm form() const;
  void save() const;

  PartContext context_;
  Ties ties_;
  Ranking ranking_;
  DueClock clock_;
  MarkForm::Kind kind_ = MarkForm::Kind::none;
  Time at_ = 0;
  std::unique_ptr<MarkedOrder> changes_;
  std::unique_ptr<Engine> aside_;
  SpaceNumber aside_space_ = 0;
  std::uint64_t aside_cap_ = 0;
  std::uint64_t aside_reserve_ = 0;
  std::optional<SpaceNumber> rows_space_;
  std::unique_ptr<WriteBuffer> rows_;          // null if nothing is written
  mutable std::unique_ptr<KnownRanks> known_;  // null until the first entry is read
  std::uint64_t version_ = 1;
};

// A change of a player's row, from its construction to its end. On a capped board it may show or
// hide another player's row, which is a change too.
class MarkedChange {
 public:
  // All outlive it. `next`: the row after the change, null if that is not certain.
  MarkedChange(BoardMarks& marks, const Players& players, const EngineView& order, Ties ties,
               const Player& player, const RowKey* next = nullptr);
  ~MarkedChange();
  MarkedChange(const MarkedChange&) = delete;
  MarkedChange& operator=(const MarkedChange&) = delete;

 private:
  struct Shown {
    std::string player;
    RowKey key;
  };
  std::optional<RowKey> key_of_player(const Player& player) const;
  Player look_up(std::string_view id) const { return {id, players_.find(id)}; }
  std::optional<Shown> last_shown() const;
  void note_others();

  BoardMarks& marks_;
  const Players& players_;
  const EngineView& order_;
  Ties ties_;
  std::array<char, kPlayerBytesMax> id_;  // the id that was given may be a view of the engine
  PlayerHandle handle_ = kNoPlayer;       // of the player, before
  const RowKey* next_;                    // null if a change may drop rows, too
  Player player_;
  std::optional<RowKey> before_;
  std::optional<Shown> last_;  // the last row that was shown, if rows may be dropped
};

}  // namespace laurel
