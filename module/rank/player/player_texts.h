// player_texts.h - a map from players to texts, for data that few players have.
//
// Growing moves a bounded number of texts, as in player_numbers.h: a table that doubles would stall
// a call, and would need as much memory again.
//
//   views    of a text are valid until the next put or erase.
//   threads  none of its own; one caller at a time.
//   cost     O(1) a call. About 50 bytes a text, and texts of more than 15 bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "rank/player/player_numbers.h"

namespace laurel {

class PlayerTexts {
 public:
  bool empty() const { return texts_.empty(); }
  std::size_t size() const { return texts_.size(); }
  // Null if the player has no text.
  const std::string* find(PlayerHandle player) const {
    if (player == kNoPlayer) return nullptr;
    const std::uint32_t number = numbers_.find(player);
    return number == kNoNumber ? nullptr : &texts_[number].text;
  }
  // Replaces an earlier text of the player.
  void put(PlayerHandle player, std::string_view text);
  // Returns whether there was a text.
  bool erase(PlayerHandle player);

  struct Text {
    PlayerHandle player;
    std::string text;
  };
  // In any order.
  auto begin() const { return texts_.begin(); }
  auto end() const { return texts_.end(); }

  std::size_t bytes() const;

 private:
  PlayerNumbers numbers_;   // the index of each player's text
  std::deque<Text> texts_;  // dense: the last text moves into the gap of an erased one
};

}  // namespace laurel
