// derived_boards.h - the boards of a registry that are made from other boards, and their sources.
//
//   source     a board that such a board names, or whose name fits its pattern: "ranked" or
//              "sharded" of "ranked", for "count" and "firsts" also "capped"; without columns,
//              unless only the best of a group is taken; for "sum" and "mean" with decimals.
//   chain      a board that is made from others is not a source. A pattern that fits its own
//              board's name does not mean that board.
//   dropped    a named source cannot be dropped. One that a pattern means can, and its rows go.
//   threads    as the registry.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/board.h"
#include "board/registry_context.h"
#include "board/spec/spec_change.h"

namespace laurel {

class DerivedBoard;
class SourceBoard;

class DerivedBoards {
 public:
  explicit DerivedBoards(RegistryContext& context);
  ~DerivedBoards();
  DerivedBoards(const DerivedBoards&) = delete;
  DerivedBoards& operator=(const DerivedBoards&) = delete;

  // The boards that may be sources: of the registry, or those that an import adds to them.
  struct Boards {
    std::function<Board*(std::string_view name)> find;  // null: there is none
    std::function<void(const std::function<void(Board&)>& visit)> each;
    // Boards made from others that are not adopted yet.
    std::vector<const Board*> derived = {};
  };
  // Sets what a board of groups has from its source, and the change does not give.
  void fill_from_source(SpecChange& change, const Boards& boards) const;
  // Whether a board with this name and spec may be made. Of a combined board, fills what the spec
  // leaves to its sources: `decimals`, and `least`. Fails with invalid, naming the board that does
  // not fit, and with unavailable if there are too many.
  Status check_new(std::string_view name, Spec& spec, const Boards& boards) const;
  // As Registry::drop: fails with invalid, and names the board that is made from this one.
  Status check_drop(const Board& board) const;

  // The board is in the registry now; `boards` are all of it.
  void adopt(Board& board, const Boards& boards);
  // The board leaves the registry.
  void drop(const Board& board);
  // All boards leave.
  void clear();

 private:
  Status check_sources(std::string_view name, Spec& spec, const Boards& boards) const;
  static Status check_as_source(const Spec& groups, const Board& source);
  static void fill_defaults(Spec& spec, const std::vector<const Board*>& sources);
  std::unique_ptr<DerivedBoard> make(Board& board) const;
  void connect(DerivedBoard& derived, Board& source);

  // The same order after a restart, so that the same boards are named.
  struct BySpace {
    bool operator()(const Board* one, const Board* other) const {
      return one->space() < other->space();
    }
  };

  RegistryContext& context_;
  std::map<const Board*, std::unique_ptr<DerivedBoard>, BySpace> derived_;
  std::map<const Board*, std::unique_ptr<SourceBoard>, BySpace> sources_;
};

}  // namespace laurel
