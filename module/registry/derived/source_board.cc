#include "registry/derived/source_board.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "board/segments/board_segments.h"

namespace laurel {

SourceBoard::SourceBoard(Board& board, const Players& players)
    : board_(board),
      players_(players),
      form_(board.spec().order, board.spec().decimals),
      is_capped_(board.spec().engine == EngineKind::capped) {
  for (std::string* id : {&first_, &last_, &first_before_, &last_before_}) {
    id->reserve(kPlayerBytesMax);  // a change allocates nothing
  }
  row_.reserve(1);
  board_.listen(this);
}

void SourceBoard::add(SourceFollower& follower) {
  followers_.push_back(&follower);
  has_firsts_ = has_firsts_ || follower.takes_firsts();
  if (follower.hears_attributes()) board_.hear_attributes(true);
}

bool SourceBoard::remove(const SourceFollower& follower) {
  std::erase(followers_, &follower);
  const auto takes_firsts = [](const SourceFollower* each) { return each->takes_firsts(); };
  has_firsts_ = std::ranges::any_of(followers_, takes_firsts);
  const auto hears = [](const SourceFollower* each) { return each->hears_attributes(); };
  if (follower.hears_attributes() && std::ranges::none_of(followers_, hears)) {
    board_.hear_attributes(false);
  }
  if (!follower.ordered_by().empty()) order(Orders::kept);
  return !followers_.empty();
}

void SourceBoard::stop() {
  board_.listen(nullptr);
  board_.hear_attributes(false);
  board_.order_groups({}, nullptr);
}

void SourceBoard::order(Orders which) {
  const BoardSegments* const kept = board_.orders_by_attribute();
  std::vector<std::string> attributes;
  for (const SourceFollower* const follower : followers_) {
    const std::string_view attribute = follower->ordered_by();
    if (attribute.empty() || std::ranges::find(attributes, attribute) != attributes.end()) continue;
    if (which == Orders::kept && !(kept != nullptr && kept->keeps(attribute))) continue;
    attributes.emplace_back(attribute);
  }
  board_.order_groups(std::move(attributes), this);
}

bool SourceBoard::note(std::string& player, std::size_t position, std::string& before) {
  arena_.clear();
  row_.clear();
  board_.rows_from(position, 1, arena_, row_);
  const std::string_view now = row_.empty() ? std::string_view() : row_.front().player;
  before.assign(player);
  if (now == player) return false;
  player.assign(now);
  return true;
}

void SourceBoard::note_edges() {
  if (has_firsts_) note(first_, 0, first_before_);
  if (is_capped_) note(last_, std::max<std::size_t>(board_.size(), 1) - 1, last_before_);
}

void SourceBoard::prefetch_player(PlayerHandle player) const {
  for (const SourceFollower* const follower : followers_) follower->prefetch_player(*this, player);
}

void SourceBoard::prefetch_row(PlayerHandle player) const {
  for (const SourceFollower* const follower : followers_) follower->prefetch_row(*this, player);
}

void SourceBoard::row_will_change(const Player& player, const RowKey* next) {
  if (next == nullptr || is_capped_) return;
  for (SourceFollower* const follower : followers_) {
    if (!follower->takes_firsts()) follower->player_will_change(*this, player, *next);
  }
}

void SourceBoard::row_changed(const Player& player) {
  const bool other_first = has_firsts_ && note(first_, 0, first_before_);
  const bool other_last =
      is_capped_ && note(last_, std::max<std::size_t>(board_.size(), 1) - 1, last_before_);
  for (SourceFollower* const follower : followers_) {
    const auto tell = [&](std::string_view id) {
      if (!id.empty()) follower->player_changed({id, players_.find(id)});
    };
    if (follower->takes_firsts()) {
      if (other_first) tell(first_before_);
      if (other_first || player.id == first_) tell(first_);
      continue;
    }
    follower->player_changed(player);
    if (other_last) {
      tell(last_before_);
      tell(last_);
    }
  }
}

void SourceBoard::all_changed() {
  for (SourceFollower* const follower : followers_) follower->all_changed();
}

void SourceBoard::attributes_changed(std::string_view player, std::string_view attributes) {
  for (SourceFollower* const follower : followers_) {
    follower->attributes_changed(player, attributes);
  }
}

void SourceBoard::season_will_end() {
  for (SourceFollower* const follower : followers_) follower->season_will_end();
}

void SourceBoard::season_ended(Time ended) {
  for (SourceFollower* const follower : followers_) follower->season_ended(ended);
}

void SourceBoard::segment_changed(std::string_view attribute, std::string_view value,
                                  const SegmentRows& rows, const Row* before, const Row* after) {
  for (SourceFollower* const follower : followers_) {
    if (follower->ordered_by() == attribute) follower->segment_changed(value, rows, before, after);
  }
}

}  // namespace laurel
