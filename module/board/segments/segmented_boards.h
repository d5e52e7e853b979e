// segmented_boards.h - the boards of a registry that have segments, or that boards of groups are
// made from. Each change of a player's attributes is reported to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "profile/profiles.h"

namespace laurel {

class Board;

class SegmentedBoards final : public AttributeListener {
 public:
  void add(Board& board) {
    if (std::ranges::find(boards_, &board) == boards_.end()) boards_.push_back(&board);
  }
  void remove(const Board& board) { std::erase(boards_, &board); }

  void attributes_will_change() override;
  std::size_t bytes_of_change() const override;
  void attributes_changed(std::string_view player, std::string_view attributes) override;

 private:
  std::vector<Board*> boards_;  // all alive
};

}  // namespace laurel
