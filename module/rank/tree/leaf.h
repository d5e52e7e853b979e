// leaf.h - the leaf nodes of a tree, which hold its rows.
//
// An update changes two leaves, and both are cache misses. A leaf is therefore small: ten cache
// lines. The number of rows that fit depends on their form.
//
//   form     the narrowest form for all rows of the leaf. It changes when a row does not fit, and
//            when leaves exchange rows.
//   run      the rows with one score. A row starts a run if the row before it, in the order of the
//            whole board, has another score. The number of starts is the number of distinct scores.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include "rank/player/player_numbers.h"
#include "rank/tree/leaf_rows.h"

namespace laurel {

using LeafNumber = std::uint32_t;
using InnerNumber = std::uint32_t;
inline constexpr LeafNumber kNoLeaf = 0xFFFFFFFFU;
inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFU;

// The numbers of rows in leaves of a form.
struct LeafLimits {
  std::uint32_t rows;   // the maximum
  std::uint32_t share;  // a leaf with more takes no rows: it would soon be full
  std::uint32_t min;    // a leaf with fewer tries to merge, also three leaves into two
  std::uint32_t low;    // a leaf with fewer takes rows if it cannot merge
};
inline constexpr LeafLimits kLeafLimits[] = {{NarrowRows::kRows, 41, 32, 23},
                                             {MiddleRows::kRows, 35, 28, 20},
                                             {WideRows::kRows, 28, 22, 16},
                                             {CrowdedRows::kRows, 37, 29, 21}};
constexpr const LeafLimits& limits_of(LeafForm form) {
  return kLeafLimits[static_cast<std::size_t>(form)];
}
inline constexpr std::uint32_t kLeafRowsMax = NarrowRows::kRows;

struct alignas(64) Leaf {
  // An empty leaf; the first rows set its form.
  Leaf() : first_starts(true), form(LeafForm::narrow) { new (&narrow) NarrowRows; }

  InnerNumber parent = kNoNode;
  std::uint8_t count = 0;
  std::uint8_t slot_hint = 0;  // the leaf's slot in its parent at the last lookup
  std::uint8_t runs = 0;       // rows that start a run
  bool first_starts : 1;       // the first row starts a run
  LeafForm form : 2;
  union {
    NarrowRows narrow;
    CrowdedRows crowded;
    MiddleRows middle;
    WideRows wide;
  };

  // Calls act(rows) with the rows in their form.
  template <typename Act>
  decltype(auto) visit(Act act) const {
    const LeafForm mine = form;
    if (mine == LeafForm::narrow) return act(narrow);
    switch (mine) {
      case LeafForm::middle: return act(middle);
      case LeafForm::crowded: return act(crowded);
      default: return act(wide);
    }
  }
  template <typename Act>
  decltype(auto) visit(Act act) {
    const LeafForm mine = form;
    if (mine == LeafForm::narrow) return act(narrow);
    switch (mine) {
      case LeafForm::middle: return act(middle);
      case LeafForm::crowded: return act(crowded);
      default: return act(wide);
    }
  }

  // The rows, if the caller knows their form.
  template <typename Rows>
  Rows& rows_as() {
    if constexpr (Rows::kForm == LeafForm::narrow) return narrow;
    if constexpr (Rows::kForm == LeafForm::crowded) return crowded;
    if constexpr (Rows::kForm == LeafForm::middle) return middle;
    if constexpr (Rows::kForm == LeafForm::wide) return wide;
  }

  const LeafLimits& limits() const { return limits_of(form); }
  bool is_full() const { return count == limits().rows; }
  bool fits(const Place& place) const {
    return count > 0 && visit([&](const auto& rows) { return rows.fits(place); });
  }

  std::uint8_t cell_of(std::uint32_t slot) const {
    return visit([=](const auto& rows) { return rows.cell_of[slot]; });
  }
  std::uint32_t slot_of(std::uint8_t cell) const {
    return visit([=]<typename Rows>(const Rows& rows) {
      return slot_of_cell<Rows::kSlots>(rows.cell_of, cell);
    });
  }
  ScoreKey score(std::uint32_t slot) const {
    return visit([=](const auto& rows) { return rows.score(slot); });
  }
  ScoreKey last_score() const { return score(count - 1U); }
  std::uint64_t tie(std::uint32_t slot) const {
    return visit([=](const auto& rows) { return rows.tie_in(rows.cell_of[slot]); });
  }
  PlayerHandle player(std::uint32_t slot) const {
    return visit([=](const auto& rows) { return rows.player_in(rows.cell_of[slot]); });
  }
  Place place(std::uint32_t slot) const {
    return visit([=](const auto& rows) { return place_of(rows, slot); });
  }

  // The row in a cell; writes its slot to `slot`.
  Place place_in(std::uint8_t cell, std::uint32_t& slot) const {
    return visit([&]<typename Rows>(const Rows& rows) {
      slot = slot_of_cell<Rows::kSlots>(rows.cell_of, cell);
      return place_of(rows, slot);
    });
  }

  std::uint32_t better(ScoreKey score) const {
    return visit([=, this](const auto& rows) { return rows.better(score, count); });
  }
  std::uint32_t up_to(const Place& place, const RowOrder& order) const {
    return visit([&](const auto& rows) { return up_to(rows, place, order); });
  }
  template <typename Rows>
  [[gnu::always_inline]] std::uint32_t up_to(const Rows& rows, const Place& place,
                                             const RowOrder& order) const {
    const std::uint32_t first = rows.better(place.score, count);
    if (first == count || !rows.has_score(first, place.score)) return first;
    const std::uint32_t end =
        place.score == kWorstScore ? count : rows.better(place.score + 1, count);
    // A new row is usually newer than its equals: it goes behind all of them, or before them.
    const auto tie_of = [&rows](std::uint32_t slot) { return rows.tie_in(rows.cell_of[slot]); };
    if (order.ties() == Ties::earliest && tie_of(end - 1) < place.tie) return end;
    if (order.ties() == Ties::latest && tie_of(first) > place.tie) return first;
    return equals_up_to(*this, first, end, place, order);
  }
  // True if the place is certainly between rows of this leaf. Does not compare ids.
  bool surrounds(const Place& place, const RowOrder& order) const {
    if (count == 0) return false;
    const ScoreKey first = score(0);
    const ScoreKey last = last_score();
    if (first < place.score && place.score < last) return true;
    if (place.score < first || place.score > last || !order.is_by_time()) return false;
    return (first < place.score || tie(0) < place.tie) &&
           (place.score < last || place.tie < tie(count - 1U));
  }
  bool has_score(std::uint32_t slot, ScoreKey score) const {
    return visit([=](const auto& rows) { return rows.has_score(slot, score); });
  }
  bool same_score(std::uint32_t slot, std::uint32_t other) const {
    return visit([=](const auto& rows) { return rows.same_score(slot, other); });
  }
  bool starts_run(std::uint32_t slot) const {
    return slot == 0 ? first_starts : !same_score(slot, slot - 1);
  }
  // The number of runs that begin in slots 1 to end - 1.
  std::uint32_t runs_within(std::uint32_t end) const {
    return visit([=](const auto& rows) {
      std::uint32_t begun = 0;
      for (std::uint32_t i = 1; i < end; ++i) begun += rows.same_score(i, i - 1) ? 0 : 1;
      return begun;
    });
  }

  // Insert, erase and move rows without counting runs. `rows` are the rows of this leaf, so that a
  // caller visits once for several calls. REQUIRES of all calls with a place: it fits.

  // True if the adjacent rows in this leaf have the row's score.
  struct Equals {
    bool before;
    bool behind;
  };
  template <typename Rows>
  Equals insert(Rows& rows, std::uint32_t slot, const Place& place) {
    assert(!is_full());
    const Equals equals{slot > 0 && rows.has_fitting(slot - 1, place.score),
                        slot < count && rows.has_fitting(slot, place.score)};
    move_up(rows, slot, count++);
    rows.set(slot, place);
    return equals;
  }
  template <typename Rows>
  Equals erase(Rows& rows, std::uint32_t slot) {
    const Equals equals{slot > 0 && rows.same_score(slot, slot - 1),
                        slot + 1U < count && rows.same_score(slot, slot + 1)};
    move_down(rows, slot, --count);
    rows.in_order()[count] = Rows::kWorst;
    return equals;
  }
  template <typename Rows>
  void move(Rows& rows, std::uint32_t from, std::uint32_t to, const Place& place) {
    if (from < to) {
      move_down(rows, from, to);
    } else {
      move_up(rows, to, from);
    }
    rows.set(to, place);
  }

  LeafFraming framing() const {
    return {form, visit([]<typename Rows>(const Rows& rows) {
              if constexpr (Rows::kForm == LeafForm::wide)
                return LeafFrame();
              else
                return rows.frame;
            })};
  }
  // Adds the rows to the extent, in order.
  void extend(LeafExtent& extent) const {
    for (std::uint32_t slot = 0; slot < count; ++slot) extent.add(place(slot));
  }
  // Encodes the rows in another frame of the same form. They keep their cells. REQUIRES: all fit.
  void reframe(const LeafFrame& frame);
  // Replaces all rows by these, in this framing; their cells are 0, 1, ... REQUIRES: all fit.
  void assign(const LeafFraming& framing, std::span<const Place> places);
};
static_assert(sizeof(Leaf) == 640);
static_assert(std::is_trivially_copyable_v<Leaf>);
// In all forms the scores are in these bytes, except the last three of a wide leaf.
inline constexpr std::size_t kLeafScoresEnd = 256;

// The number of a player with a row: the row's leaf and cell.
struct RowNumber {
  static constexpr unsigned kCellBits = 6;
  static_assert(kLeafRowsMax <= 1U << kCellBits);
  static constexpr std::uint32_t kLeavesMax = kNoNumber >> kCellBits;

  explicit RowNumber(std::uint32_t number) : bits(number) {}
  RowNumber(LeafNumber leaf, std::uint8_t cell) : bits(leaf << kCellBits | cell) {}
  LeafNumber leaf() const { return bits >> kCellBits; }
  std::uint8_t cell() const { return bits & ((1U << kCellBits) - 1); }

  std::uint32_t bits;
};

}  // namespace laurel
