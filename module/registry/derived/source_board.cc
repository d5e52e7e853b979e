#include "registry/derived/source_board.h"

#include <algorithm>

#include "base/limits.h"

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
}

bool SourceBoard::remove(const SourceFollower& follower) {
  std::erase(followers_, &follower);
  const auto takes_firsts = [](const SourceFollower* each) { return each->takes_firsts(); };
  has_firsts_ = std::ranges::any_of(followers_, takes_firsts);
  return !followers_.empty();
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

}  // namespace laurel
