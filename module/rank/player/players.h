// players.h - interns the player ids of a registry as 32-bit handles.
//
//   id       1 to kPlayerBytesMax bytes. Ids are bytes, never numbers.
//   handle   names an id while something holds it: an entry, a join, a ban. The last release frees
//            the handle, and a later player may get it.
//   owner    Players owns the bytes. Ids in a short form (id_form.h) are given back as copies.
//   threads  none of its own; one caller at a time.
//   cost     find, hold, release: O(1), about two cache misses. Growth is incremental: each call
//            moves a bounded number of slots, so no submission stalls.
//   memory   8 bytes a player plus a record (player_records.h). Removed players give their memory
//            back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "rank/player/player_index.h"
#include "rank/player/player_records.h"

namespace laurel {

class Players {
 public:
  explicit Players(const HashSecret& secret);
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  // The handle of a held id, or kNoPlayer.
  PlayerHandle find(std::string_view id) const { return find(id, hash(id)); }
  // The same in steps, for callers with other work while memory is fetched. Each step prefetches
  // what the next one reads. prefetch_record also returns the most likely handle.
  std::uint64_t hash(std::string_view id) const { return secret_(id); }
  std::uint64_t prefetch(std::string_view id) const;
  PlayerHandle prefetch_record(std::uint64_t hash) const { return index_.prefetch_records(hash); }
  PlayerHandle find(std::string_view id, std::uint64_t hash) const { return index_.find(hash, id); }
  // REQUIRES: no player was released since prefetch_record returned `likely`.
  PlayerHandle find(std::string_view id, std::uint64_t hash, PlayerHandle likely) const {
    return likely != kNoPlayer && records_.is(likely, id) ? likely : index_.find(hash, id);
  }

  // Interns the id if it is new, and adds one hold.
  // REQUIRES: 1 to kPlayerBytesMax bytes, fewer than kPlayersMax players.
  PlayerHandle hold(std::string_view id);
  // As hold() for each id; writes the handles in the same order. Several times as fast as single
  // calls, because it prefetches. REQUIRES: out.size() >= ids.size().
  void hold_all(std::span<const std::string_view> ids, std::span<PlayerHandle> out);
  // Prepares for `players` players in total, so that growing to them costs less.
  void reserve(std::size_t players) { index_.reserve(players); }
  // Adds one hold to a player that is held already.
  void hold(PlayerHandle player) { records_.hold(player); }
  // Removes one hold; the last one frees the handle and its id.
  void release(PlayerHandle player);

  IdText id(PlayerHandle player) const { return records_.id(player); }
  // The same in an arena, or as a view of the player's record: valid until the arena's end, and
  // until the player's last release.
  std::string_view id(PlayerHandle player, Arena& arena) const;
  // The same at `room`, which has kUnpackRoom bytes, and moves `room` behind what it wrote.
  std::string_view read_id(PlayerHandle player, char*& room) const {
    return records_.read_id(player, room);
  }
  // Compares the ids' bytes: negative if a's are before b's, 0 if they are equal.
  int compare(PlayerHandle a, PlayerHandle b) const { return records_.compare(a, b); }
  // Prefetches what id() reads, and returns where that is.
  PlayerRecords::Location prefetch(PlayerHandle player) const { return records_.prefetch(player); }

  std::size_t size() const { return records_.size(); }  // players held
  std::size_t bytes() const;                            // all memory in use

 private:
  PlayerHandle hold(std::string_view id, std::uint64_t hash);

  HashSecret secret_;
  PlayerRecords records_;
  PlayerIndex index_;
};

}  // namespace laurel
