#include "board/segments/segment_orders.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <utility>

#include "profile/attributes.h"

namespace laurel {

SegmentOrders::SegmentOrders(Players& players, const EngineView& order, Ties ties,
                             const std::vector<std::string>& attributes, std::size_t values_max)
    : players_(players),
      order_(order),
      ties_(ties),
      values_max_(values_max),
      nobody_(players, ties, order) {
  for (const std::string& name : attributes) attributes_.emplace_back(name);
  assert(!attributes_.empty() && "segments are of an attribute");
}

SegmentOrders::~SegmentOrders() { dismantle(SIZE_MAX); }

// Puts the player's row into the segment of the value; returns its number.
std::uint32_t SegmentOrders::enter(Attribute& attribute, const Player& player, const Row& row,
                                   std::string_view value) {
  if (value.empty()) return kNoSegment;
  auto found = attribute.by_value.find(value);
  if (found == attribute.by_value.end()) {
    if (values_ == values_max_) return kNoSegment;
    if (attribute.free_numbers.empty()) {
      attribute.free_numbers.push_back(static_cast<std::uint32_t>(attribute.by_number.size()));
      attribute.by_number.emplace_back();
    }
    const std::uint32_t number = attribute.free_numbers.back();
    found =
        attribute.by_value.try_emplace(std::string(value), number, players_, ties_, order_).first;
    attribute.free_numbers.pop_back();
    attribute.by_number[number] = found;
    ++values_;
  }
  found->second.segment.put(player.id, row);
  if (attribute.listener != nullptr) [[unlikely]] {
    attribute.listener->segment_changed(attribute.name, found->first, found->second.segment.rows(),
                                        nullptr, &row);
  }
  return found->second.number;
}

// Takes the player's row out of its segment, which ends with its last player.
void SegmentOrders::leave(Attribute& attribute, const Player& player) {
  const std::uint32_t number = attribute.segment_of.find(player.handle);
  if (number == kNoSegment) return;
  const ByValue::iterator segment = attribute.by_number[number];
  std::optional<Row> before;
  if (attribute.listener != nullptr) before = segment->second.segment.rows().row_of(player.handle);
  segment->second.segment.erase(player.id, player.handle);
  if (before) [[unlikely]] {
    attribute.listener->segment_changed(attribute.name, segment->first,
                                        segment->second.segment.rows(), &*before, nullptr);
  }
  if (segment->second.segment.size() > 0) return;
  boards_.forget(segment->second.segment);
  attribute.by_value.erase(segment);
  attribute.free_numbers.push_back(number);
  --values_;
}

bool SegmentOrders::add(const Player& player, ScoreKey score, Time at,
                        std::string_view attributes) {
  assert(!has(player.handle) && "the player has a row already");
  Player held = player;
  if (held.handle == kNoPlayer) {
    held.handle = players_.hold(player.id);
  } else {
    players_.hold(held.handle);
  }
  bool is_complete = true;
  for (Attribute& attribute : attributes_) {
    const std::string_view value = attribute_of(attributes, attribute.name);
    const std::uint32_t number = enter(attribute, held, {score, at, held.handle}, value);
    attribute.segment_of.set(held.handle, number);
    is_complete = is_complete && (value.empty() || number != kNoSegment);
  }
  return is_complete;
}

void SegmentOrders::prefetch_numbers(PlayerHandle player) const {
  for (const Attribute& attribute : attributes_) attribute.segment_of.prefetch(player);
}

void SegmentOrders::prefetch_segments(PlayerHandle player) const {
  with_segments(player, [](const Segment& segment) { segment.prefetch_head(); });
}

void SegmentOrders::prefetch_rows(PlayerHandle player) {
  with_segments(player, [=](Segment& segment) { segment.prefetch(player); });
}

void SegmentOrders::put(const Player& player, ScoreKey score, Time at) {
  for (Attribute& attribute : attributes_) {
    const std::uint32_t number = attribute.segment_of.find(player.handle);
    if (number == kNoSegment) continue;
    auto& [value, numbered] = *attribute.by_number[number];
    const Row row{score, at, player.handle};
    std::optional<Row> before;
    if (attribute.listener != nullptr) before = numbered.segment.rows().row_of(player.handle);
    numbered.segment.put(player.id, row);
    if (before) [[unlikely]] {
      attribute.listener->segment_changed(attribute.name, value, numbered.segment.rows(), &*before,
                                          &row);
    }
  }
}

void SegmentOrders::erase(const Player& player) {
  for (Attribute& attribute : attributes_) {
    leave(attribute, player);
    attribute.segment_of.erase(player.handle);
  }
  players_.release(player.handle);
}

SegmentOrders::Moved SegmentOrders::move(const Player& player, ScoreKey score, Time at,
                                         std::string_view attributes) {
  Moved moved = Moved::no;
  for (Attribute& attribute : attributes_) {
    const std::string_view value = attribute_of(attributes, attribute.name);
    const std::uint32_t number = attribute.segment_of.find(player.handle);
    const std::string_view before =
        number == kNoSegment ? std::string_view() : attribute.by_number[number]->first;
    if (before == value) continue;
    leave(attribute, player);
    const std::uint32_t now = enter(attribute, player, {score, at, player.handle}, value);
    attribute.segment_of.move(player.handle, now);
    const bool is_out = !value.empty() && now == kNoSegment;
    moved = is_out || moved == Moved::out ? Moved::out : Moved::yes;
  }
  return moved;
}

std::size_t SegmentOrders::find_attribute(std::string_view name) const {
  const auto found = std::ranges::find(attributes_, name, &Attribute::name);
  return static_cast<std::size_t>(found - attributes_.begin());
}

const SegmentBoard& SegmentOrders::board(std::size_t attribute, std::string_view value,
                                         const SegmentForm& form) const {
  const ByValue& by_value = attributes_[attribute].by_value;
  const auto found = by_value.find(value);
  const Segment& segment = found == by_value.end() ? nobody_ : found->second.segment;
  return boards_.board(segment, players_, form);
}

std::vector<SegmentSize> SegmentOrders::sizes(std::size_t attribute) const {
  std::vector<SegmentSize> sizes;
  sizes.reserve(attributes_[attribute].by_value.size());
  for (const auto& [value, numbered] : attributes_[attribute].by_value) {
    sizes.push_back({value, numbered.segment.size()});
  }
  // The map is in the order of bytes.
  std::ranges::stable_sort(sizes, std::greater<>(), &SegmentSize::size);
  return sizes;
}

// First the rows, from the last segments on, then the players of the first attribute, who are those
// of all.
bool SegmentOrders::dismantle(std::size_t rows) {
  end_boards();
  for (Attribute& attribute : attributes_) {
    while (!attribute.by_value.empty()) {
      if (rows == 0) return true;
      const auto last = std::prev(attribute.by_value.end());
      last->second.segment.cut(rows);
      if (last->second.segment.size() > 0) return true;
      attribute.by_value.erase(last);
    }
  }
  return attributes_.front().segment_of.take_apart(
      rows, [this](PlayerHandle player) { players_.release(player); });
}

std::size_t SegmentOrders::bytes() const {
  constexpr std::size_t kNodeBytes = 40;  // of a map, besides what it holds
  std::size_t bytes = sizeof *this;
  for (const Attribute& attribute : attributes_) {
    bytes += sizeof attribute + attribute.segment_of.bytes() +
             attribute.by_number.size() * sizeof(ByValue::iterator) +
             attribute.free_numbers.size() * sizeof(std::uint32_t);
    for (const auto& [value, numbered] : attribute.by_value) {
      bytes += kNodeBytes + sizeof value + sizeof numbered + numbered.segment.bytes();
      if (value.capacity() >= sizeof value / 2) bytes += value.capacity() + 1;
    }
  }
  return bytes;
}

void SegmentOrders::check() const {
  for (const Attribute& attribute : attributes_) {
    for (const auto& [value, numbered] : attribute.by_value) numbered.segment.check();
  }
}

}  // namespace laurel
