// group_totals.h - groups of players, each with the sum of its members' scores and the latest of
// their moments.
//
//   member   a player with a score, as a whole number, and a moment, in one group or in none.
//   latest   a group's members are a list in the order of their moments, the latest first. So a
//            member whose moment is the latest of all, as that of a new result is, comes to its
//            front, and no order is searched. A member with a moment before that of the front,
//            which a caller gave, is in a sorted set beside the list instead.
//   group    exists while it has members, and until settle(). At most `groups_max`; a player who
//            would bring one more is in none, until the value changes or the player comes again.
//   players  are of the registry, and held while they are members.
//   memory   32 bytes a member, and 4 to 16 for the map from players (player_numbers.h); 48 more
//            for one in the set. About 200 bytes a group.
//   cost     O(1), and O(log n) for members in the set and for a group that comes or goes.
//   threads  as the registry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/time.h"
#include "board/reclaimer.h"
#include "engine/engine.h"
#include "rank/player/player_numbers.h"
#include "registry/derived/exact_number.h"

namespace laurel {

class GroupTotals final : public Reclaimable {
 public:
  using GroupNumber = std::uint32_t;
  static constexpr GroupNumber kNoGroup = kNoNumber;

  // `players` outlives this.
  explicit GroupTotals(Players& players, std::size_t groups_max = kSegmentValuesMax);
  ~GroupTotals() override;
  GroupTotals(const GroupTotals&) = delete;
  GroupTotals& operator=(const GroupTotals&) = delete;

  bool has(PlayerHandle player) const {
    return player != kNoPlayer && member_of_.find(player) != kNoNumber;
  }
  // Hints, in this order, that the member will change; REQUIRES of the last one: has(player).
  void prefetch_player(PlayerHandle player) const { member_of_.prefetch(player); }
  void prefetch_member(PlayerHandle player) const;
  void prefetch_neighbours(PlayerHandle player) const;

  // Each returns the group that the member is in now, or, of erase(), was in. An empty value means
  // no group. REQUIRES of add(): !has(player.handle); of the others: has(player).
  GroupNumber add(const Player& player, std::string_view value, std::int64_t score, Time at);
  GroupNumber put(PlayerHandle player, std::int64_t score, Time at);
  GroupNumber erase(PlayerHandle player);
  // The member's value is this one: the groups before and after.
  std::pair<GroupNumber, GroupNumber> move(PlayerHandle player, std::string_view value);
  // Whether a player was left out since the last call, because there were too many groups.
  bool was_full() { return std::exchange(was_full_, false); }

  // ---- one group. REQUIRES: it exists.

  std::string_view value(GroupNumber group) const { return by_number_[group]->first; }
  Wide sum(GroupNumber group) const { return of(group).sum; }
  std::size_t members(GroupNumber group) const { return of(group).members; }
  // REQUIRES: it has members.
  Time latest(GroupNumber group) const;
  // For the caller: the handle of the value, as a player of the board of groups.
  PlayerHandle& handle(GroupNumber group) { return by_number_[group]->second.handle; }
  // The group ends if it has no members.
  void settle(GroupNumber group);
  // Calls visit(group) for each.
  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& [value, group] : by_value_) visit(group.number);
  }

  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const;

 private:
  using MemberNumber = std::uint32_t;
  static constexpr MemberNumber kNoMember = kNoNumber;
  static constexpr MemberNumber kInSet = kNoNumber - 1;  // as `older`: not in the list
  static constexpr std::size_t kChunkShift = 12;
  static constexpr std::size_t kChunkMembers = std::size_t{1} << kChunkShift;

  struct Member {
    std::int64_t score = 0;
    Time at = 0;
    GroupNumber group = kNoGroup;
    MemberNumber newer = kNoMember;
    MemberNumber older = kNoMember;  // of a free one: the next free one
  };
  struct Group {
    GroupNumber number = 0;
    MemberNumber latest = kNoMember;  // the front of the list
    PlayerHandle handle = kNoPlayer;
    std::size_t members = 0;
    Wide sum = 0;
    std::set<std::pair<Time, MemberNumber>> earlier;  // those that are not in the list
  };
  using ByValue = std::map<std::string, Group, std::less<>>;

  Member& member(MemberNumber number) {
    return chunks_[number >> kChunkShift][number & (kChunkMembers - 1)];
  }
  const Member& member(MemberNumber number) const {
    return chunks_[number >> kChunkShift][number & (kChunkMembers - 1)];
  }
  const Group& of(GroupNumber group) const { return by_number_[group]->second; }
  MemberNumber take_member();
  GroupNumber find_or_make(std::string_view value);
  void enter(MemberNumber number, GroupNumber group);
  void leave(MemberNumber number);

  Players& players_;
  std::size_t groups_max_;
  PlayerNumbers member_of_;
  std::vector<std::unique_ptr<Member[]>> chunks_;
  std::size_t used_ = 0;           // members that were ever taken
  MemberNumber free_ = kNoMember;  // the first free one of those
  ByValue by_value_;
  std::deque<ByValue::iterator> by_number_;
  std::deque<GroupNumber> free_numbers_;
  bool was_full_ = false;
};

}  // namespace laurel
