// derived_board.h - keeps the rows of one board that is made from others.
//
//   kinds     combined_board.h, from several boards; group_board.h, from one, whose players are
//             groups.
//   threads   as the registry.
#pragma once

#include <cstddef>
#include <functional>

#include "board/board.h"
#include "board/derived/derived_rows.h"
#include "board/spec/source_list.h"
#include "board/standings/derivation.h"
#include "registry/derived/source_board.h"

namespace laurel {

// What it is made from: names, or a pattern. Fails with invalid. REQUIRES: is_derived(spec).
inline Result<SourceList> sources_of(const Spec& spec) {
  return is_of_groups(spec) ? SourceList::of_names({spec.source}) : SourceList::parse(spec.sources);
}

class DerivedBoard : public Derivation, public SourceFollower {
 public:
  const Board& board() const { return board_; }
  const SourceList& sources() const { return sources_; }
  // The number of boards that it is made from now.
  virtual std::size_t size() const = 0;
  // REQUIRES: sources() takes the board's name, and its spec fits (DerivedBoards::check_new).
  virtual void add(SourceBoard& source) = 0;
  // Does nothing if it is not made from that one.
  virtual void remove(const SourceBoard& source) = 0;
  virtual void each_source(const std::function<void(SourceBoard& source)>& visit) const = 0;

 protected:
  // REQUIRES: the board's spec is complete. It outlives this.
  explicit DerivedBoard(Board& board)
      : board_(board), rows_(board), sources_(*sources_of(board.spec())) {}

  Board& board_;
  DerivedRows rows_;

 private:
  SourceList sources_;
};

}  // namespace laurel
