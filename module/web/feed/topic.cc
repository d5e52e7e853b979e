#include "web/feed/topic.h"

#include <utility>

namespace laurel::web {

Topic::~Topic() { schedule_.forget(*this); }

void Topic::show(const Window& window, std::uint64_t season, bool is_stale) {
  if (state_ && state_->id() == StateId{window.epoch, window.version, season, is_stale}) return;
  set(std::make_shared<const State>(State::Subject{board_, player_}, window, season, is_stale));
}

void Topic::show_gone() {
  if (state_ && state_->is_gone()) return;
  set(std::make_shared<const State>(board_));
}

void Topic::set(StatePtr state) {
  state_ = std::move(state);
  if (!viewers_.empty()) schedule_.changed(*this);
}

void Topic::join(Viewer& viewer, std::uint8_t part, std::uint32_t& place) {
  place = static_cast<std::uint32_t>(viewers_.size());
  viewers_.push_back({&viewer, &place, part});
}

// Keeps those that this pass has visited before the cursor.
void Topic::leave(std::uint32_t place) {
  std::size_t hole = place;
  const auto fill_from = [&](std::size_t from) {
    viewers_[hole] = viewers_[from];
    *viewers_[hole].place = static_cast<std::uint32_t>(hole);
    hole = from;
  };
  if (pace_ == Pace::runs && hole < cursor_) fill_from(--cursor_);
  if (hole + 1 != viewers_.size()) fill_from(viewers_.size() - 1);
  viewers_.pop_back();
  if (!is_used()) owner_.unused(*this);
}

}  // namespace laurel::web
