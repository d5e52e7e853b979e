// A board's segments, and windows of its parts. Out of line: few boards have any.
#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "base/text.h"
#include "board/board.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/board_segments.h"
#include "board/spec/segment_names.h"

namespace laurel {

void SegmentedBoards::attributes_changed(std::string_view player, std::string_view attributes) {
  for (Board* const board : boards_) board->attributes_changed(player, attributes);
}

void SegmentedBoards::attributes_will_change() {
  for (Board* const board : boards_) board->attributes_will_change();
}

std::size_t SegmentedBoards::bytes_of_change() const {
  std::size_t orders = 0;
  for (const Board* const board : boards_) orders += board->orders();
  return orders * kMemoryPerBoardBytes;
}

// With the rows that the board has.
std::unique_ptr<BoardSegments> Board::make_segments(const Spec& spec) const {
  std::vector<std::string> attributes;
  if (!spec.segments.empty()) {
    Result<std::vector<std::string>> shown = parse_segments(spec.segments);
    assert(shown && "a spec has valid names");
    attributes = std::move(*shown);
  }
  const std::size_t shown = attributes.size();
  if (group_orders_) {
    for (const std::string& name : group_orders_->attributes) {
      if (std::ranges::find(attributes, name) == attributes.end()) attributes.push_back(name);
    }
  }
  if (attributes.empty()) return nullptr;
  auto segments = std::make_unique<BoardSegments>(
      BoardSegments::Context{context_.players, context_.profiles, context_.reclaimer, context_.log,
                             name_},
      std::move(attributes), SegmentForm{form(), spec.ties, spec.ranking, spec.columns}, *engine_);
  segments->show(shown);
  segments->take_all();
  if (group_orders_) segments->listen(group_orders_->attributes, group_orders_->listener);
  return segments;
}

void Board::replace_segments(std::unique_ptr<BoardSegments> segments) {
  if (segments_) segments_->dismantle();
  segments_ = std::move(segments);
  note_told();
  follow_attributes();
}

void Board::follow_attributes() {
  if (segments_ || hears_attributes_) {
    context_.segmented.add(*this);
  } else {
    context_.segmented.remove(*this);
  }
}

void Board::hear_attributes(bool hears) {
  hears_attributes_ = hears;
  follow_attributes();
}

void Board::order_groups(std::vector<std::string> attributes, SegmentListener* listener) {
  const auto is_kept = [this](const std::string& name) {
    return segments_ && segments_->keeps(name);
  };
  const bool has_all = std::ranges::all_of(attributes, is_kept);
  const bool is_over = attributes.empty() && spec_->segments.empty();
  auto orders = std::make_unique<GroupOrders>(GroupOrders{std::move(attributes), listener});
  if (orders->attributes.empty()) orders.reset();
  std::swap(group_orders_, orders);
  if (!has_all) {
    try {
      replace_segments(make_segments(*spec_));
    } catch (const std::bad_alloc&) {
      std::swap(group_orders_, orders);
      throw;
    }
  } else if (is_over) {
    replace_segments(nullptr);
  } else if (segments_) {
    segments_->listen(group_orders_ ? group_orders_->attributes : std::vector<std::string>(),
                      listener);
  }
}

void Board::derive_orders() {
  if (!spec_->segments.empty() || group_orders_) replace_segments(make_segments(*spec_));
  if (cohorts_) cohorts_->take_all();
  for (const auto& season : past_) {
    if (season->cohorts() != nullptr) season->cohorts()->take_all();
  }
}

// Without boards of groups nothing tells when attributes changed.
void Board::attributes_will_change() {
  if (listener() != nullptr && follows_clock_) present(context_.timestamps.now());
}

void Board::attributes_changed(std::string_view player, std::string_view attributes) {
  if (segments_ && segments_->attributes_changed(player, attributes)) list_changed();
  if (hears_attributes_ && hearer() != nullptr) hearer()->attributes_changed(player, attributes);
}

Status Board::check_segments() const {
  if (segments_) return Done{};
  return Refusal(Code::unknown, "board \"{}\" has no segments", escaped(name_, 64));
}

Result<const Standings*> Board::segment(std::string_view attribute, std::string_view value) const {
  if (const Status has = check_segments(); !has) return has.refusal();
  return segments_->board(attribute, value);
}

Result<std::vector<SegmentSize>> Board::segments(std::string_view attribute) const {
  if (const Status has = check_segments(); !has) return has.refusal();
  return segments_->sizes(attribute);
}

void Board::rank_overall(Entries& entries) const {
  for (Entry& entry : entries) {
    entry.overall = engine_->rank(look_up(entry.player), spec_->ranking).value_or(Rank());
  }
}

}  // namespace laurel
