#include "registry/derived/group_totals.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "rank/prefetch.h"

namespace laurel {

GroupTotals::GroupTotals(Players& players, std::size_t groups_max)
    : players_(players), groups_max_(groups_max) {}

GroupTotals::~GroupTotals() { dismantle(SIZE_MAX); }

void GroupTotals::prefetch_member(PlayerHandle player) const {
  const MemberNumber number = member_of_.find(player);
  if (number != kNoMember) prefetch_to_write(&member(number));
}

void GroupTotals::prefetch_neighbours(PlayerHandle player) const {
  const Member& moved = member(member_of_.find(player));
  if (moved.older < kInSet) prefetch_to_write(&member(moved.older));
  if (moved.newer != kNoMember) prefetch_to_write(&member(moved.newer));
}

GroupTotals::MemberNumber GroupTotals::take_member() {
  if (free_ != kNoMember) {
    const MemberNumber number = free_;
    free_ = member(number).older;
    return number;
  }
  if (used_ == chunks_.size() * kChunkMembers) {
    chunks_.push_back(std::make_unique<Member[]>(kChunkMembers));
  }
  return static_cast<MemberNumber>(used_++);
}

GroupTotals::GroupNumber GroupTotals::find_or_make(std::string_view value) {
  if (value.empty()) return kNoGroup;
  const auto found = by_value_.find(value);
  if (found != by_value_.end()) return found->second.number;
  if (by_value_.size() == groups_max_) {
    was_full_ = true;
    return kNoGroup;
  }
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<GroupNumber>(by_number_.size()));
    by_number_.emplace_back();
  }
  const GroupNumber number = free_numbers_.back();
  const auto made = by_value_.try_emplace(std::string(value)).first;
  free_numbers_.pop_back();
  made->second.number = number;
  by_number_[number] = made;
  return number;
}

// Puts the member, which is in no group, into this one.
void GroupTotals::enter(MemberNumber number, GroupNumber into) {
  Member& entering = member(number);
  entering.group = into;
  entering.newer = kNoMember;
  entering.older = kNoMember;
  if (into == kNoGroup) return;
  Group& group = by_number_[into]->second;
  group.sum += entering.score;
  ++group.members;
  if (group.latest == kNoMember) {
    group.latest = number;
    return;
  }
  Member& front = member(group.latest);
  if (entering.at < front.at) {
    entering.older = kInSet;
    group.earlier.emplace(entering.at, number);
    return;
  }
  front.newer = number;
  entering.older = group.latest;
  group.latest = number;
}

void GroupTotals::leave(MemberNumber number) {
  const Member& leaving = member(number);
  if (leaving.group == kNoGroup) return;
  Group& group = by_number_[leaving.group]->second;
  group.sum -= leaving.score;
  --group.members;
  if (leaving.older == kInSet) {
    group.earlier.erase({leaving.at, number});
    return;
  }
  if (leaving.older != kNoMember) member(leaving.older).newer = leaving.newer;
  if (leaving.newer != kNoMember) {
    member(leaving.newer).older = leaving.older;
  } else {
    group.latest = leaving.older;
  }
}

GroupTotals::GroupNumber GroupTotals::add(const Player& player, std::string_view value,
                                          std::int64_t score, Time at) {
  assert(!has(player.handle) && "the player is a member already");
  PlayerHandle handle = player.handle;
  if (handle == kNoPlayer) {
    handle = players_.hold(player.id);
  } else {
    players_.hold(handle);
  }
  const MemberNumber number = take_member();
  member(number).score = score;
  member(number).at = at;
  enter(number, find_or_make(value));
  member_of_.set(handle, number);
  return member(number).group;
}

GroupTotals::GroupNumber GroupTotals::put(PlayerHandle player, std::int64_t score, Time at) {
  const MemberNumber number = member_of_.find(player);
  const GroupNumber group = member(number).group;
  leave(number);
  member(number).score = score;
  member(number).at = at;
  enter(number, group);
  return group;
}

GroupTotals::GroupNumber GroupTotals::erase(PlayerHandle player) {
  const MemberNumber number = member_of_.find(player);
  const GroupNumber group = member(number).group;
  leave(number);
  member(number).older = free_;
  free_ = number;
  member_of_.erase(player);
  players_.release(player);
  return group;
}

std::pair<GroupTotals::GroupNumber, GroupTotals::GroupNumber> GroupTotals::move(
    PlayerHandle player, std::string_view given) {
  const MemberNumber number = member_of_.find(player);
  const GroupNumber before = member(number).group;
  if (before == kNoGroup ? given.empty() : value(before) == given) return {before, before};
  leave(number);
  enter(number, find_or_make(given));
  return {before, member(number).group};
}

Time GroupTotals::latest(GroupNumber number) const {
  const Group& group = of(number);
  assert(group.members > 0);
  if (group.earlier.empty()) return member(group.latest).at;
  const Time at = group.earlier.rbegin()->first;
  return group.latest == kNoMember ? at : std::max(at, member(group.latest).at);
}

void GroupTotals::settle(GroupNumber number) {
  if (of(number).members > 0) return;
  by_value_.erase(by_number_[number]);
  free_numbers_.push_back(number);
}

bool GroupTotals::dismantle(std::size_t rows) {
  while (!by_value_.empty()) {
    if (rows == 0) return true;
    const auto last = std::prev(by_value_.end());
    std::set<std::pair<Time, MemberNumber>>& earlier = last->second.earlier;
    for (; rows > 0 && !earlier.empty(); --rows) earlier.erase(earlier.begin());
    if (!earlier.empty()) return true;
    by_value_.erase(last);
    if (rows > 0) --rows;
  }
  return member_of_.take_apart(rows, [this](PlayerHandle player) { players_.release(player); });
}

std::size_t GroupTotals::bytes() const {
  constexpr std::size_t kNodeBytes = 40;  // of a map or set, besides what it holds
  std::size_t bytes =
      sizeof *this + member_of_.bytes() + chunks_.size() * kChunkMembers * sizeof(Member) +
      by_number_.size() * sizeof(ByValue::iterator) + free_numbers_.size() * sizeof(GroupNumber);
  for (const auto& [value, group] : by_value_) {
    bytes += kNodeBytes + sizeof value + sizeof group +
             group.earlier.size() * (kNodeBytes + sizeof(std::pair<Time, MemberNumber>));
    if (value.capacity() >= sizeof value / 2) bytes += value.capacity() + 1;
  }
  return bytes;
}

}  // namespace laurel
