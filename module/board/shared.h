// shared.h - what all boards of a registry have in common: the players, the moments that order
// submissions, the rules, the bans of the whole registry, and the log.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

#include "base/log.h"
#include "base/seldom.h"
#include "base/time.h"
#include "board/kept_rows.h"
#include "board/reclaimer.h"
#include "board/rules.h"
#include "engine/engine.h"
#include "rank/players.h"
#include "store/store.h"

namespace laurel {

// Gives every submission of a registry a moment of its own: who came first stays first, even when
// the clock stands still or goes back.
class Moments {
 public:
  Moments(Clock& clock, const Log& log) : clock_(clock), log_(log) {}

  Time now() { return clock_.now(); }
  // Now, moved on by a microsecond where another submission has that moment already. A clock that
  // goes back is logged, once until it has caught up.
  Time next() { return next(1); }
  // The first of so many moments in a row, all of them given.
  Time next(std::size_t count);
  // The last one given; nothing given so far is the earliest there can be. None at or before it is
  // given again.
  Time last() const { return last_given_; }
  void resume(Time last) { last_given_ = std::max(last_given_, last); }

 private:
  Clock& clock_;
  const Log& log_;
  Time last_given_ = INT64_MIN;
  Time latest_reading_ = INT64_MIN;
  bool went_back_ = false;
};

// Handles held as a set: each member keeps its player interned, and has a row in the store.
class PlayerSet {
 public:
  PlayerSet(Players& players, const KeptRows& rows) : players_(players), rows_(rows) {}
  ~PlayerSet();
  PlayerSet(const PlayerSet&) = delete;
  PlayerSet& operator=(const PlayerSet&) = delete;

  bool contains(PlayerHandle player) const { return set_ && set_->contains(player); }
  // Whether the player was not in it before. The handle of a player who was unknown is made.
  bool insert(std::string_view id);
  bool erase(PlayerHandle player);
  // Takes those of whom the store has a row.
  void load();
  std::size_t size() const { return set_->size(); }
  auto begin() const { return set_->begin(); }
  auto end() const { return set_->end(); }

 private:
  bool hold(std::string_view id);

  Players& players_;
  KeptRows rows_;
  Seldom<std::unordered_set<PlayerHandle>> set_;
};

struct SubmissionStats {
  std::uint64_t submissions = 0;  // results handed in, refused ones included
  std::uint64_t changed = 0;      // of those, that changed an entry
  std::uint64_t refused = 0;      // of those, refused
};

// The spaces of a registry that are no board's: of profiles and sessions, and of the registry
// itself (registry_keep.cc).
inline constexpr SpaceNumber kPlayersSpace = 1;
inline constexpr SpaceNumber kCatalogueSpace = 2;
inline constexpr char kBannedLetter = 'x';   // in the catalogue, and in a board's space
inline constexpr char kTicketsLetter = 't';  // in the catalogue
// In the catalogue: remote boards, and posts that were not acknowledged yet.
inline constexpr char kRemoteBoardsLetter = 'r';
inline constexpr char kPostsLetter = 'o';

class Board;

// The boards that changed since the last tick, each once, so that who follows many looks at these.
// Batches may come from several threads, each to a board of its own.
class ChangedBoards {
 public:
  void add(Board& board) {
    const std::lock_guard lock(mutex_);
    boards_.push_back(&board);
  }
  void remove(const Board& board) { std::erase(boards_, &board); }

  std::size_t size() const { return boards_.size(); }
  Board& operator[](std::size_t i) const { return *boards_[i]; }
  // The first so many, or as many as there still are.
  void unlist(std::size_t count);

 private:
  std::mutex mutex_;
  std::vector<Board*> boards_;  // that exist
};

struct Shared {
  Shared(std::unique_ptr<Clock> clock_in, Log log_in, std::unique_ptr<Rules> rules_in,
         const HashSecret& secret, std::unique_ptr<Store> store_in)
      : clock(std::move(clock_in)),
        log(std::move(log_in)),
        rules(std::move(rules_in)),
        players(secret),
        store(std::move(store_in)) {}

  std::unique_ptr<Clock> clock;
  Log log;
  std::unique_ptr<Rules> rules;  // null: no rules directory
  Players players;
  std::unique_ptr<Store> store;
  SpaceNumber last_space = kCatalogueSpace;
  EngineReads reads;
  Reclaimer reclaimer;
  Moments moments{*clock, log};
  // On every board, those to come included.
  PlayerSet banned{players, KeptRows(Space(*store, kCatalogueSpace), kBannedLetter)};
  ChangedBoards changed;
  bool copies_seasons = false;  // somebody copies past seasons elsewhere (remotes.h)
  std::vector<Board*> to_copy;  // boards with a past season that waits for it, each once
  SubmissionStats stats;
  // While batches come from several threads: they share the door, and who ends a season among them
  // is alone; moments and stats are behind the mutex.
  std::shared_mutex batches_door;
  std::mutex batches;
  EngineContext engines() { return {players, *store, last_space, reads}; }
  std::uint64_t pending_dropped = 0;  // changes that no rule hears of: too many waited already
};

}  // namespace laurel
