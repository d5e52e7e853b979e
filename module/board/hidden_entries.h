// hidden_entries.h - the entries of a board that bans hide, packed by the board's engine.
//
//   players  each is held as long as an entry is hidden.
//   rows     one for each player in the board's space, in the transaction of the change.
//   memory   none but a pointer until the first entry is hidden.
//   cost     O(1) a call, except calls about all entries.
//   threads  as the board.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "board/persistent_rows.h"
#include "rank/player/player_texts.h"
#include "rank/player/players.h"

namespace laurel {

class HiddenEntries {
 public:
  // `players` must outlive it.
  HiddenEntries(Players& players, const PersistentRows& rows) : players_(players), rows_(rows) {}
  ~HiddenEntries();
  HiddenEntries(const HiddenEntries&) = delete;
  HiddenEntries& operator=(const HiddenEntries&) = delete;

  // From a durable store. Call it once, before anything else.
  void load();

  // Null if no entry of the player is hidden. Valid until the next change.
  const std::string* find(PlayerHandle player) const {
    return texts_ ? texts_->find(player) : nullptr;
  }
  // Replaces an earlier one of the player.
  void put(std::string_view player, std::string_view packed);
  // Returns whether there was one.
  bool erase(PlayerHandle player);
  void clear();
  // The most that clear() writes.
  std::size_t clear_bytes() const { return texts_ ? texts_->size() * 2 * kStoreKeyBytesMax : 0; }
  // Calls visit(player, packed) for each, in any order.
  template <typename Visit>
  void each(Visit visit) const {
    if (!texts_) return;
    for (const auto& [player, packed] : *texts_) {
      const IdText id = players_.id(player);
      visit(id.view(), packed);
    }
  }
  std::size_t bytes() const { return texts_ ? texts_->bytes() : 0; }

 private:
  void hold(std::string_view player, std::string_view packed);

  Players& players_;
  PersistentRows rows_;
  std::unique_ptr<PlayerTexts> texts_;
};

}  // namespace laurel
