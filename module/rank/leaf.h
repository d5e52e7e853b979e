// leaf.h - the nodes at the bottom of a tree, which hold its rows.
//
// An update moves scores of two leaves, which nobody has in cache: so a leaf is small, ten cache
// lines. How many rows it has room for depends on the form that they are written in.
//
//   form     a leaf's is what its rows need together. It changes where a row comes that does not
//            fit, and where leaves share rows.
//   run      the rows of one score. A row starts a run when the row before it, in the order of
//            the whole board, has another score: counting starts counts distinct scores.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include "rank/leaf_rows.h"
#include "rank/player_numbers.h"

namespace laurel {

using LeafNumber = std::uint32_t;
using InnerNumber = std::uint32_t;
inline constexpr LeafNumber kNoLeaf = 0xFFFFFFFFU;
inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFU;

// How many rows leaves of a form hold.
struct LeafLimits {
  std::uint32_t rows;   // at most
  std::uint32_t share;  // one with more is as good as full: what makes it so would not last
  std::uint32_t min;    // three with fewer become two
  std::uint32_t low;    // one with fewer takes rows, or merges
};
inline constexpr LeafLimits kLeafLimits[] = {{NarrowRows::kRows, 41, 32, 23},
                                             {MiddleRows::kRows, 35, 28, 20},
                                             {WideRows::kRows, 28, 22, 16}};
constexpr const LeafLimits& limits_of(LeafForm form) {
  return kLeafLimits[static_cast<std::size_t>(form)];
}
inline constexpr std::uint32_t kLeafRowsMax = NarrowRows::kRows;

struct alignas(64) Leaf {
  // Without rows. The first that come choose their form.
  Leaf() : first_starts(true), form(LeafForm::narrow) { new (&narrow) NarrowRows; }

  InnerNumber parent = kNoNode;
  std::uint8_t count = 0;
  std::uint8_t slot_hint = 0;  // the leaf's slot in its parent when it was last looked for
  std::uint8_t runs = 0;       // rows that start a run
  bool first_starts : 1;       // whether the first row does
  LeafForm form : 2;
  union {
    NarrowRows narrow;
    MiddleRows middle;
    WideRows wide;
  };

  // Calls act(rows) with the rows as they lie.
  template <typename Act>
  decltype(auto) visit(Act act) const {
    switch (form) {
      case LeafForm::narrow: return act(narrow);
      case LeafForm::middle: return act(middle);
      default: return act(wide);
    }
  }
  template <typename Act>
  decltype(auto) visit(Act act) {
    switch (form) {
      case LeafForm::narrow: return act(narrow);
      case LeafForm::middle: return act(middle);
      default: return act(wide);
    }
  }

  // The rows, of a form that the caller knows.
  template <typename Rows>
  Rows& rows_as() {
    if constexpr (Rows::kForm == LeafForm::narrow) return narrow;
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

  // The row in the cell, and its slot.
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
  std::uint32_t up_to(const Rows& rows, const Place& place, const RowOrder& order) const {
    const std::uint32_t first = rows.better(place.score, count);
    if (first == count || !rows.has_score(first, place.score)) return first;
    const std::uint32_t end =
        place.score == kWorstScore ? count : rows.better(place.score + 1, count);
    // A row that comes is newer than its equals as a rule: behind all of them, or in front.
    const auto tie_of = [&rows](std::uint32_t slot) { return rows.tie_in(rows.cell_of[slot]); };
    if (order.ties() == Ties::earliest && tie_of(end - 1) < place.tie) return end;
    if (order.ties() == Ties::latest && tie_of(first) > place.tie) return first;
    return equals_up_to(*this, first, end, place, order);
  }
  // Whether the place is between rows of this leaf, as far as that can be told without ids.
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
  // How many runs of equal scores begin in slots 1 to end - 1.
  std::uint32_t runs_within(std::uint32_t end) const {
    return visit([=](const auto& rows) {
      std::uint32_t runs_there = 0;
      for (std::uint32_t i = 1; i < end; ++i) runs_there += rows.same_score(i, i - 1) ? 0 : 1;
      return runs_there;
    });
  }

  // Rows that come, go and move, without counting runs. `rows` are the leaf's own: who does several
  // of these visits once. REQUIRES of all that take a place: it fits.

  // Whether the rows beside a row, of this leaf, have its score.
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
    return {form, form == LeafForm::narrow   ? narrow.frame
                  : form == LeafForm::middle ? middle.frame
                                             : LeafFrame()};
  }
  // Its rows to the extent, in their order.
  void extend(LeafExtent& extent) const {
    for (std::uint32_t slot = 0; slot < count; ++slot) extent.add(place(slot));
  }
  // Writes its rows in another frame of their form, each in its cell. REQUIRES: all fit.
  void reframe(const LeafFrame& frame);
  // Has these rows alone, in this framing; their cells are 0, 1 and so on. REQUIRES: all fit.
  void assign(const LeafFraming& framing, std::span<const Place> places);
};
static_assert(sizeof(Leaf) == 640);
static_assert(std::is_trivially_copyable_v<Leaf>);
// Whatever the form, scores end in these lines, but for a wide leaf's last three.
inline constexpr std::size_t kLeafScoresEnd = 256;

// The number of a player who has a row: in which leaf it lies, and in which cell.
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
