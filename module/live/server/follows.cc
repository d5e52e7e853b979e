#include "live/server/follows.h"

#include <algorithm>

namespace laurel {

Follows::Follow& Follows::begin(const Around& around, PeerId follower) {
  const auto [entry, is_new] = follows_.try_emplace(around);
  Follow& follow = entry->second;
  if (is_new) {
    follow.id = ++last_id_;
    by_id_.emplace(follow.id, &*entry);
    begun_.emplace(follow.id, around);
  }
  std::vector<PeerId>& all = follow.followers;
  if (std::find(all.begin(), all.end(), follower) == all.end()) all.push_back(follower);
  return follow;
}

void Follows::end(const Around& around, PeerId follower) {
  const auto entry = follows_.find(around);
  if (entry == follows_.end()) return;  // end_board() ended it
  std::erase(entry->second.followers, follower);
  if (entry->second.followers.empty()) end(entry);
}

void Follows::end_board(std::string_view board) {
  auto follow = follows_.lower_bound(Around{std::string(board), {}, 0});
  while (follow != follows_.end() && follow->first.board == board) follow = end(follow);
}

Follows::Map::iterator Follows::end(Map::iterator follow) {
  const FollowId id = follow->second.id;
  by_id_.erase(id);
  if (begun_.erase(id) == 0) ended_.push_back(id);
  return follows_.erase(follow);
}

std::pair<const Around, Follows::Follow>* Follows::find(FollowId id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

FollowNews Follows::take_news() {
  FollowNews news;
  news.begun.reserve(begun_.size());
  for (auto& [id, around] : begun_) news.begun.emplace_back(id, std::move(around));
  begun_.clear();
  news.ended = std::exchange(ended_, {});
  return news;
}

}  // namespace laurel
