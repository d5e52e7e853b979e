// player_marks.h - a set of an engine's players that an entry cursor marks.
//
//   memory   of players in memory a bit each (player_bits.h). Of players whom only the store has,
//            their ids, at most kCursorIdsMax.
//   holds    each marked player is held, so that no handle gets another meaning.
//   threads  one caller at a time. It uses the table of players of the engine, or of the shard,
//            that has the player.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>

#include "engine/engine.h"
#include "rank/player/player_bits.h"

namespace laurel {

class PlayerMarks {
 public:
  PlayerMarks() = default;
  ~PlayerMarks() { clear(); }
  PlayerMarks(const PlayerMarks&) = delete;
  PlayerMarks& operator=(const PlayerMarks&) = delete;

  bool has(const EngineView& engine, std::string_view id) const;
  // Returns false if there are too many marks.
  bool mark(const EngineView& engine, std::string_view id);
  // Returns whether the player was marked.
  bool unmark(const EngineView& engine, std::string_view id);
  // A copy of any marked player's id; empty if there is none.
  std::string_view first(Arena& arena) const;
  // REQUIRES: the engine exists.
  void clear();

 private:
  Players* find_table(const EngineView& engine, std::string_view id) const;

  std::unordered_map<Players*, PlayerBits> marked_;  // by table
  std::unique_ptr<Players> own_;                     // of players whom no table in memory has
};

}  // namespace laurel
