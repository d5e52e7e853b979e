// row_list.h - up to about a thousand rows in a board's order, as flat arrays: the rows of an entry
// set, or the last row of each child of a manifest.
//
//   slot   0-based place in the list, best first.
//   text   the parts of a row with variable size: the id and the data. Texts are in one block in
//          the order of their insertion, so that moving a row does not move its text. The block is
//          compacted when an eighth of it is garbage.
//   views  of ids and data are valid until the list's next change.
//   form   u32 rows, u32 bytes of texts, the scores, the moments, the texts in order: u8 size of
//          the id, the id, u16 0 or the data's size + 1, the data.
//   cost   searches O(log n); insert and erase O(n), which move at most some kilobytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "engine/engine.h"

namespace laurel {

class RowList {
 public:
  static constexpr std::size_t kHeaderBytes = 8;  // of the form, before the first score
  // The bytes that a row adds to the form.
  static std::size_t form_bytes(const EngineRow& row);
  std::size_t form_bytes(std::size_t slot) const { return kNumberBytes + text(slot).size(); }

  std::size_t size() const { return scores_.size(); }
  ScoreKey score(std::size_t slot) const { return scores_[slot]; }
  EngineRow operator[](std::size_t slot) const;

  // The number of rows before this place, which need not be a row.
  std::size_t count_before(const EngineRow& place, Ties ties) const;
  std::size_t count_better(ScoreKey score) const;
  std::size_t count_not_worse(ScoreKey score) const;
  bool in_order(Ties ties) const;

  // REQUIRES: the row's views are not of this list.
  void insert(std::size_t slot, const EngineRow& row);
  void set(std::size_t slot, const EngineRow& row);
  void erase(std::size_t slot);
  // Removes the rows from the slot on, and returns them.
  RowList split_off(std::size_t slot);
  void append(const RowList& other);

  void encode(ByteWriter& writer) const;
  static RowList decode(ByteReader& reader);

  std::size_t bytes() const;

 private:
  static constexpr std::size_t kNumberBytes = 16;  // of a row in the form: score and moment

  std::string_view text(std::size_t slot) const;
  std::uint32_t add_text(const EngineRow& row);
  std::uint32_t add_text(std::string_view text);
  void drop_text(std::size_t slot);
  void gather_texts();
  void shrink();
  bool stands_before(std::size_t slot, const EngineRow& place, Ties ties) const;

  std::vector<ScoreKey> scores_;
  std::vector<Time> moments_;
  std::vector<std::uint32_t> texts_;  // offset of each row's text
  std::vector<char> text_;   // not a std::string, which doubles its capacity in spite of reserve()
  std::size_t garbage_ = 0;  // bytes of text_ that belong to no row
};

}  // namespace laurel
