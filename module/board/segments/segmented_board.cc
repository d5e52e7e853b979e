// A board's segments. Out of line: few boards have any.
#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"
#include "board/board.h"
#include "board/spec/segment_names.h"

namespace laurel {

void SegmentedBoards::attributes_changed(std::string_view player, std::string_view attributes) {
  for (Board* const board : boards_) board->attributes_changed(player, attributes);
}

// With the rows that the board has.
std::unique_ptr<BoardSegments> Board::make_segments(const Spec& spec) const {
  if (spec.segments.empty()) return nullptr;
  Result<std::vector<std::string>> attributes = parse_segments(spec.segments);
  assert(attributes && "a spec has valid names");
  auto segments = std::make_unique<BoardSegments>(
      BoardSegments::Context{context_.players, context_.profiles, context_.reclaimer, context_.log,
                             name_},
      std::move(*attributes), SegmentForm{form(), spec.ties, spec.ranking, spec.columns}, *engine_);
  segments->take_all();
  return segments;
}

void Board::replace_segments(std::unique_ptr<BoardSegments> segments) {
  if (segments_) segments_->dismantle();
  segments_ = std::move(segments);
  note_told();
  if (segments_) {
    context_.segmented.add(*this);
  } else {
    context_.segmented.remove(*this);
  }
}

void Board::derive_segments() {
  if (spec_.segments.empty()) return;
  replace_segments(make_segments(spec_));
}

void Board::attributes_changed(std::string_view player, std::string_view attributes) {
  if (segments_ && segments_->attributes_changed(player, attributes)) list_changed();
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

std::shared_ptr<Window> Board::window(const SegmentName& name, std::size_t n,
                                      bool with_data) const {
  Entries entries;
  const Result<const Standings*> found = segment(name.attribute, name.value);
  if (found) (*found)->read(0, std::min(n, kWatchTopMax), entries);
  const std::shared_ptr<Window> window =
      window_of(found ? **found : *this, entries, with_data, false);
  if (!found) window->size = 0;
  return window;
}

std::shared_ptr<Window> Board::window_around(const SegmentName& name, std::string_view player,
                                             std::size_t n, bool with_data) const {
  Entries entries;
  const Result<const Standings*> found = segment(name.attribute, name.value);
  if (found) (*found)->around(player, n, entries);
  const std::shared_ptr<Window> window =
      window_of(found ? **found : *this, entries, with_data, false);
  if (!found) window->size = 0;
  return window;
}

void Board::rank_overall(Entries& entries) const {
  for (Entry& entry : entries) {
    entry.overall = engine_->rank(look_up(entry.player), spec_.ranking).value_or(Rank());
  }
}

}  // namespace laurel
