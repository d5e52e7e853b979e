// rehearsals.h - the rehearsals of a registry's rules that are not finished
// (board/submission/rehearsal.h).
//
//   slice    each tick works on them for kRehearsalTickNs, on the oldest one first. Once a call
//            ends, its owner is told inside that tick.
//   version  a rule's new version that asks for it is rehearsed on the journals of all boards with
//            the rule. It comes into force if it does not fail on what was judged without failing.
//   threads  none of its own; one caller at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "board/submission/rehearsal.h"
#include "registry/board_handle.h"

namespace laurel {

class Rehearsals {
 public:
  // Finds a board; null if it was dropped.
  using Find = std::function<const Board*(BoardHandle board)>;
  // Visits all local boards.
  using EachBoard =
      std::function<void(const std::function<void(BoardHandle handle, const Board& board)>& visit)>;

  using Id = std::uint64_t;  // never reused
  // Gets the report, or `unknown` if the board was dropped meanwhile. May do anything.
  using Told = std::function<void(Result<RehearsalReport> report)>;
  // Fails with unavailable if kRehearsalsMax are not finished.
  Status check_room() const;
  // `told` is called in a tick.
  Id begin(const Board& board, BoardHandle handle, std::shared_ptr<RuleTrial> version, Told told);
  // Does nothing if it is finished.
  void cancel(Id id);

  // Begins rehearsals of new versions, and works on all for a slice of time.
  void tick(Rules& rules, const Find& find, const EachBoard& each_board);
  // Rehearses all new versions to the end; returns those that did not come into force.
  std::vector<RuleError> finish_versions(Rules& rules, const Find& find,
                                         const EachBoard& each_board);
  void clear();

 private:
  struct Call {
    Id id = 0;
    BoardHandle board;
    Rehearsal work;
    Told told;
  };
  // A version on the journals of several boards.
  struct Version {
    Rules::Candidate candidate;
    struct OnBoard {
      BoardHandle board;
      Rehearsal work;
    };
    std::deque<OnBoard> boards;
    std::uint64_t judged = 0;
    std::uint64_t newly_failed = 0;
    std::string first_failure;

    // Judges one more submission; false if there is none left.
    bool step(const Find& find);
    std::optional<std::string> problem() const;
  };

  void follow(const Rules& rules, const EachBoard& each_board);
  bool step_call(const Find& find);

  std::deque<Call> calls_;
  std::deque<Version> versions_;
  Id last_id_ = 0;
};

}  // namespace laurel
