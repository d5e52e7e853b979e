// registry_context.h - what all boards of a registry share: players, timestamps, rules, registry
// bans, the store and the log.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "base/log.h"
#include "base/memory_guarantee.h"
#include "base/time.h"
#include "board/due_boards.h"
#include "board/part_context.h"
#include "board/persistent_rows.h"
#include "board/reclaimer.h"
#include "board/rules.h"
#include "board/seasons/season_end.h"
#include "board/segments/segmented_boards.h"
#include "board/spec/shared_specs.h"
#include "engine/engine.h"
#include "metrics/submission_counts.h"
#include "rank/player/players.h"
#include "store/store.h"

namespace laurel {

// Gives every submission of a registry a unique moment, so that earlier submissions stay first even
// if the clock stops or goes back.
class TimestampSource {
 public:
  TimestampSource(Clock& clock, const Log& log) : clock_(clock), log_(log) {}

  Time now() { return clock_.now(); }
  // The clock as next() read it last.
  Time reading() const { return reading_; }
  // The time now, or 1 us after the last moment if that is later. A clock that goes back is logged
  // once, until it has caught up.
  Time next() { return next(1); }
  // The first of `count` consecutive timestamps, all taken.
  Time next(std::size_t count);
  // The last moment given, INT64_MIN if none. Later timestamps are after it.
  Time last() const { return last_given_; }
  void resume(Time last) { last_given_ = std::max(last_given_, last); }

 private:
  Clock& clock_;
  const Log& log_;
  Time last_given_ = INT64_MIN;
  Time reading_ = INT64_MIN;
  Time latest_reading_ = INT64_MIN;
  bool went_back_ = false;
};

// A set of players: each member holds its handle, and has a row in the store.
class PlayerSet {
 public:
  PlayerSet(Players& players, const PersistentRows& rows) : players_(players), rows_(rows) {}
  ~PlayerSet();
  PlayerSet(const PlayerSet&) = delete;
  PlayerSet& operator=(const PlayerSet&) = delete;

  bool contains(PlayerHandle player) const {
    return members_ && player != kNoPlayer && members_->find(player) != kNoNumber;
  }
  // Calls visit(player) for each, in any order.
  template <typename Visit>
  void each(Visit visit) const {
    if (members_) members_->each([&](PlayerHandle player, std::uint32_t) { visit(player); });
  }
  std::size_t bytes() const { return members_ ? members_->bytes() : 0; }
  // Returns whether the player is new in the set. Creates a handle for an unknown player.
  bool insert(std::string_view id);
  bool erase(PlayerHandle player);
  // Inserts the players that the store has rows of.
  void load();

 private:
  bool hold(std::string_view id);

  Players& players_;
  PersistentRows rows_;
  std::unique_ptr<PlayerNumbers> members_;  // null until the first; the numbers mean nothing
};

// Spaces of a registry that belong to no board: one for profiles and sessions, one for the registry
// itself (registry_persist.cc).
inline constexpr SpaceNumber kPlayersSpace = 1;
inline constexpr SpaceNumber kCatalogueSpace = 2;
inline constexpr char kBannedPrefix = 'x';     // in the catalogue and in a board's space
inline constexpr char kTicketsPrefix = 't';    // in the catalogue
inline constexpr char kServerKeyPrefix = 'k';  // in the catalogue
// In the catalogue: remote boards, and posts not acknowledged yet.
inline constexpr char kRemoteBoardsPrefix = 'r';
inline constexpr char kPostsPrefix = 'o';
inline constexpr char kKnownTopsPrefix = 'l';       // in the catalogue: of remote boards
inline constexpr char kSeasonEndNamesPrefix = 'e';  // in the catalogue
inline constexpr char kToldEndsPrefix = 'n';        // in the catalogue: ends of remote boards

class Board;

// The boards that changed since the last tick, each once, so that observers of many boards visit
// only these. Batches may add boards from several threads, each thread a board of its own.
class ChangedBoards {
 public:
  void add(Board& board) {
    const std::lock_guard lock(mutex_);
    boards_.push_back(&board);
  }
  void remove(const Board& board) { std::erase(boards_, &board); }

  std::size_t size() const { return boards_.size(); }
  Board& operator[](std::size_t i) const { return *boards_[i]; }
  // Calls unlist() on the first `count` boards, and removes those that agree.
  void unlist(std::size_t count);

 private:
  std::mutex mutex_;
  std::vector<Board*> boards_;  // all alive
};

struct RegistryContext {
  RegistryContext(std::unique_ptr<Clock> clock_in, Log log_in, std::unique_ptr<Rules> rules_in,
                  const HashSecret& secret, std::unique_ptr<Store> store_in)
      : clock(std::move(clock_in)),
        log(std::move(log_in)),
        rules(std::move(rules_in)),
        players(secret),
        store(std::move(store_in)),
        specs(secret) {}

  MemoryReserve memory;
  std::unique_ptr<Clock> clock;
  Log log;
  std::unique_ptr<Rules> rules;  // null: no rules directory
  Players players;
  std::unique_ptr<Store> store;
  SpaceNumber last_space = kCatalogueSpace;
  EngineReads reads;
  Reclaimer reclaimer;
  TimestampSource timestamps{*clock, log};
  // Players banned on every board, later ones included.
  PlayerSet banned{players, PersistentRows(Space(*store, kCatalogueSpace), kBannedPrefix)};
  ChangedBoards changed;
  bool copies_seasons = false;  // past seasons are copied to a remote archive (remotes.h)
  std::vector<Board*> to_copy;  // boards with a season that waits for its copy, each once
  DueBoards due;
  SegmentedBoards segmented;
  SharedSpecs specs;
  const Profiles* profiles = nullptr;        // null: no player has attributes
  SeasonEndListener* season_ends = nullptr;  // null: no end of a season is heard of
  SubmissionCounts submissions;
  // For concurrent batches. They hold the door shared; the thread that ends a season holds it
  // exclusively. The mutex guards timestamps and counts.
  std::shared_mutex batches_door;
  std::mutex batches;
  // Whether a write of this player is accepted. Fails with bad_player and unavailable.
  Status accepts(std::string_view player) const;
  EngineContext engines() { return {players, *store, last_space, reads}; }
  PartContext part(const Space& board) { return {engines(), reclaimer, board}; }
  std::uint64_t pending_dropped = 0;  // changes not told to rules: too many were pending
};

}  // namespace laurel
