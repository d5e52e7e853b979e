// players.h - every player id of a registry once, under a 32-bit handle.
//
//   id       1 to kPlayerBytesMax bytes. Ids are bytes, never numbers.
//   handle   stands for an id while something holds it: an entry, a join, a ban. The last release
//            frees the handle, and a later player may get it.
//   owner    Players owns the bytes. A view of an id is valid until its last release.
//   threads  none of its own; one caller at a time.
//   cost     find, hold, release: O(1), about two cache misses. Growth is incremental: no call
//            moves more than a bounded number of slots, so that no submission stalls.
//   memory   8 bytes a player and a record of 16 (ids of up to 12 bytes), 24 (20) or 40 (36), or of
//            16 and a block for longer ids; given back as players go.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "rank/player_index.h"
#include "rank/player_records.h"

namespace laurel {

class Players {
 public:
  explicit Players(const HashSecret& secret);
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  // The handle of an id that something holds, or kNoPlayer.
  PlayerHandle find(std::string_view id) const { return find(id, hash(id)); }
  // The same in steps, for whoever has other work while memory is fetched. Each step asks for what
  // the next one reads; the second answers with the handle that it most likely comes to.
  std::uint64_t hash(std::string_view id) const { return secret_(id); }
  std::uint64_t expect(std::string_view id) const;
  PlayerHandle expect_record(std::uint64_t hash) const { return index_.prefetch_records(hash); }
  PlayerHandle find(std::string_view id, std::uint64_t hash) const { return index_.find(hash, id); }
  // REQUIRES: no player was released since expect_record gave that answer.
  PlayerHandle find(std::string_view id, std::uint64_t hash, PlayerHandle likely) const {
    return likely != kNoPlayer && records_.is(likely, id) ? likely : index_.find(hash, id);
  }

  // Interns the id if it is new, and adds one hold.
  // REQUIRES: 1 to kPlayerBytesMax bytes, fewer than kPlayersMax players.
  PlayerHandle hold(std::string_view id);
  // Holds each of these ids as hold() does, and writes their handles in the same order. Some times
  // as fast as one by one: memory is asked for ahead. REQUIRES: room in `out` for all.
  void hold_all(std::span<const std::string_view> ids, std::span<PlayerHandle> out);
  // Makes ready for so many players in all, so that growing to them costs less.
  void expect(std::size_t players) { index_.expect(players); }
  // Adds one hold to a player who is held already.
  void hold(PlayerHandle player) { records_.hold(player); }
  // Takes one hold away; with the last one the handle and its id are gone.
  void release(PlayerHandle player);

  std::string_view id(PlayerHandle player) const { return records_.id(player); }
  // Asks for the memory that id() will read.
  void prefetch(PlayerHandle player) const { records_.prefetch(player); }

  std::size_t size() const { return records_.size(); }  // players held
  std::size_t bytes() const;                            // memory in use, all of it

 private:
  PlayerHandle hold(std::string_view id, std::uint64_t hash);

  HashSecret secret_;
  PlayerRecords records_;
  PlayerIndex index_;
};

}  // namespace laurel
