// board_list.h - the items of a board list: what clients are told of the published boards.
//
//   list      the published boards with their descriptions. Its versions only increase. A client
//             that holds one version is sent the items that changed since, each as it is now.
//   item      a board that is gone, its size alone, or its description and size.
//   size      changes with every newcomer, so it has items of its own.
//   threads   none; all functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "rank/score/score.h"
#include "rank/score/score_columns.h"
#include "rank/tree/ranking.h"

namespace laurel {

// A published board, except its size.
struct BoardDescription {
  Order order = Order::desc;
  std::optional<int> decimals;
  ScoreColumns::Ptr columns;  // null: a score is one number
  Ranking ranking = Ranking::competition;
  std::optional<std::string> meta;
  std::uint64_t season = 0;  // the running one, from 1; 0: not known
  std::optional<Time> resets_at, closes_at;

  friend bool operator==(const BoardDescription& a, const BoardDescription& b);
};

struct BoardListItem {
  std::string_view board;
  // Neither: the board is gone. Without a description: only the size has changed.
  std::optional<std::uint64_t> size;
  std::optional<BoardDescription> description;
};

// Appends an item of each form.
void write_gone(std::string& out, std::string_view board);
void write_size(std::string& out, std::string_view board, std::uint64_t size);
// description: encoded by the next function
void write_described(std::string& out, std::string_view board, std::uint64_t size,
                     std::string_view description);
std::string encode_description(const BoardDescription& description);

// Returns the items, or nullopt if the bytes are not exactly a list of items.
std::optional<std::vector<BoardListItem>> read_items(std::string_view bytes);

}  // namespace laurel
