// known_tops.h - what servers last knew of the tops of remote boards, as rows of the registry's
// store, so that the command `laurel` can show them.
//
//   row      the name of the board's remote, the moment at which the top was known, and the first
//            entries. Names of players are not in it.
//   written  by remote/core/known_top_writer.h, which says how often.
//   forget   removes the player's entry from every row. The other entries keep their ranks.
//   local    a board that is opened locally loses its row.
//   memory   if the store is not durable, nothing is kept.
//   threads  the registry's caller.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "board/persistent_rows.h"
#include "board/standings/top_snapshot.h"

namespace laurel {

struct KnownTop {
  std::string remote;  // its name
  Time known = 0;      // when the remote was known to have this top
  Window top;          // epoch and version are 0
};

// The row has at most `bytes_max` bytes. Entries that do not fit are left out.
std::string pack_known_top(const KnownTop& top, std::size_t entries_max, std::size_t bytes_max);
// Nothing if the bytes are not a row that this version knows.
std::optional<KnownTop> unpack_known_top(std::string_view row);

class KnownTops {
 public:
  explicit KnownTops(const PersistentRows& rows) : rows_(rows) {}

  // Called before all others.
  void load();
  // False: writes are no use.
  bool are_kept() const { return rows_.are_kept(); }

  bool has(std::string_view board) const { return boards_.find(board) != boards_.end(); }
  std::size_t size() const { return boards_.size(); }
  // Nothing if none is kept, or if the row is damaged.
  std::optional<KnownTop> find(std::string_view board) const;
  void each(const std::function<void(std::string_view board, std::string_view row)>& visit) const {
    rows_.each(visit);
  }

  // Writes a packed row. If the row that is kept has the same entries, it gets the new moment
  // unless that is less than `confirm_after` later. Returns whether it wrote.
  bool put(std::string_view board, const std::string& row, Time confirm_after);
  // Gives the row a later moment.
  void confirm(std::string_view board, Time known);
  void erase(std::string_view board);
  // Erases the row that is the oldest of those that may go, if any may.
  void erase_oldest(const std::function<bool(std::string_view board)>& may_go);

  // What forget() needs of memory.
  std::size_t bytes_to_forget(std::string_view player) const;
  void forget(std::string_view player);
  // On this board only.
  void forget(std::string_view board, std::string_view player);

 private:
  void write(std::string_view board, std::string_view row);

  PersistentRows rows_;
  std::map<std::string, Time, std::less<>> boards_;  // and the moments of their rows
};

}  // namespace laurel
