// submission_counts.h - what became of the submissions of a registry: by board, and by reason.
//
//   label    of a board in metrics. The first kMetricBoardsMax names have their own for good, also
//            when the board is dropped and made again; all others share one, kOtherBoards.
//   threads  one at a time.
//   cost     one counter a submission; of(): O(log boards); total(): O(labels).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel {

inline constexpr std::string_view kOtherBoards = "_other";
inline constexpr std::size_t kRefusalCodes = static_cast<std::size_t>(Code::full) + 1;

struct SubmissionStats {
  std::uint64_t submissions = 0;  // all, refused ones included
  std::uint64_t changed = 0;      // those that changed an entry
  std::uint64_t refused = 0;      // those refused
};

// What the boards with one label have counted. A submission that was decided and never applied
// counts nowhere.
struct BoardSubmissions {
  std::uint64_t unchanged = 0;
  std::uint64_t changed = 0;
  std::uint64_t refused = 0;
};

class SubmissionCounts {
 public:
  // The label of a board. Valid as long as this object, as is what of() returns.
  std::string_view label(std::string_view board);
  BoardSubmissions& of(std::string_view board) { return entry(board).second; }

  void count_reason(Code code, std::uint64_t times = 1) {
    reasons_[static_cast<std::size_t>(code)] += times;
  }
  std::uint64_t reasons(Code code) const { return reasons_[static_cast<std::size_t>(code)]; }

  SubmissionStats total() const;
  std::uint64_t changed() const;  // of total()
  // In the order in which the labels were given.
  void each(
      const std::function<void(std::string_view label, const BoardSubmissions&)>& visit) const;

 private:
  using Entry = std::pair<std::string, BoardSubmissions>;

  Entry& entry(std::string_view board);

  std::deque<Entry> entries_;  // at most kMetricBoardsMax and one
  std::map<std::string_view, Entry*> by_label_;
  std::array<std::uint64_t, kRefusalCodes> reasons_{};
};

}  // namespace laurel
