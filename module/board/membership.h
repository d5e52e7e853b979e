// membership.h - what a board keeps of players besides their entries: who joined, who is banned,
// and the entries that bans hide.
//
//   pardoned  exempt from the registry's ban.
//   rows      one for each player of a list and for each hidden entry, in the board's space, in the
//             transaction of the change.
//   memory    few boards have any of it: three pointers until there is something.
//   cost      O(1) a call, except where all are meant.
//   threads   as the board.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "board/hidden_entries.h"
#include "board/registry_context.h"

namespace laurel {

class Membership {
 public:
  enum class List : std::uint8_t { joined, banned, pardoned };
  static constexpr std::array kEveryList = {List::joined, List::banned, List::pardoned};

  // `players` and `space` must outlive it.
  Membership(Players& players, const Space& space) : players_(players), space_(space) {}

  // From a durable store. Call it once, before anything else.
  void load();

  bool has(List list, PlayerHandle player) const {
    return kept_ && kept_->lists[index(list)].contains(player);
  }
  // Returns whether the player is new in the list. Creates a handle for an unknown player.
  bool add(List list, std::string_view player) { return kept().lists[index(list)].insert(player); }
  // Returns whether the player was in the list.
  bool remove(List list, PlayerHandle player) {
    return kept_ && kept_->lists[index(list)].erase(player);
  }
  // Calls visit(player) for each, in any order.
  template <typename Visit>
  void each(List list, Visit visit) const {
    if (kept_) kept_->lists[index(list)].each(visit);
  }

  // The entry of the player that a ban hides, packed by the engine, or null. Valid until the next
  // change.
  const std::string* hidden(PlayerHandle player) const {
    return kept_ ? kept_->hidden.find(player) : nullptr;
  }
  // Replaces an earlier one of the player.
  void hide(std::string_view player, std::string_view packed) { kept().hidden.put(player, packed); }
  // Returns whether there was one.
  bool drop_hidden(PlayerHandle player) { return kept_ && kept_->hidden.erase(player); }
  void drop_all_hidden() {
    if (kept_) kept_->hidden.clear();
  }
  // The most that drop_all_hidden() writes.
  std::size_t hidden_bytes() const { return kept_ ? kept_->hidden.clear_bytes() : 0; }
  // Calls visit(player, packed) for each, in any order.
  template <typename Visit>
  void each_hidden(Visit visit) const {
    if (kept_) kept_->hidden.each(visit);
  }

  std::size_t bytes() const { return kept_ ? sizeof *kept_ + kept_->bytes() : 0; }

 private:
  struct Kept {
    Kept(Players& players, const Space& space);
    std::size_t bytes() const;

    std::array<PlayerSet, kEveryList.size()> lists;
    HiddenEntries hidden;
  };

  static std::size_t index(List list) { return static_cast<std::size_t>(list); }
  Kept& kept();

  Players& players_;
  const Space& space_;
  std::unique_ptr<Kept> kept_;  // null until there is something
};

}  // namespace laurel
