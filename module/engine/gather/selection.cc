#include "engine/gather/selection.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/limits.h"
#include "engine/gather/row_merge.h"

namespace laurel {

namespace {

// The first steps take medians at the expected position. Later steps take them in the middle, which
// bounds the number of steps by O(log n) for any spreading of the players.
constexpr int kExpectingSteps = 6;

EngineRow row_at(const EngineView& part, std::size_t position, EngineReads& reads, Arena& arena,
                 std::vector<EngineRow>& rows) {
  rows.clear();
  part.read(position, 1, arena, rows);
  assert(rows.size() == 1 && "a part has fewer rows than it says");
  ++reads.entries;
  return rows.front();
}

// Searches for a position of all parts together.
class Selection {
 public:
  Selection(std::span<const EngineView* const> parts, Ties ties, EngineReads& reads)
      : parts_(parts), ties_(ties), reads_(reads), windows_(parts.size()) {
    for (std::size_t i = 0; i < parts.size(); ++i) windows_[i].high = parts[i]->size();
  }

  // Narrows the windows around a pivot row near this fraction of the remaining rows, counted from
  // the best.
  void narrow(double fraction, std::size_t position) {
    const EngineRow pivot = median(fraction);
    counts_.clear();
    for (const EngineView* part : parts_) {
      counts_.push_back(rows_before(*part, pivot, ties_, reads_));
    }
    const std::size_t sum = std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      (sum <= position ? windows_[i].low : windows_[i].high) = counts_[i];
    }
  }

  // low(): rows known to be before the position. left(): rows that may be before or after it.
  std::size_t low() const {
    std::size_t sum = 0;
    for (const Window& window : windows_) sum += window.low;
    return sum;
  }
  std::size_t left() const {
    std::size_t sum = 0;
    for (const Window& window : windows_) sum += window.high - window.low;
    return sum;
  }
  std::size_t low(std::size_t part) const { return windows_[part].low; }

 private:
  // The search range in one part: rows before low are before the position, rows from high on are
  // not.
  struct Window {
    std::size_t low = 0;
    std::size_t high = 0;
  };
  struct Candidate {
    EngineRow row;
    std::size_t weight = 0;
  };

  // The weighted median of the windows' rows at the fraction. With a fraction of one half, at least
  // a quarter of the remaining rows is before it, and a quarter after it.
  EngineRow median(double fraction) {
    candidates_.clear();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t width = windows_[i].high - windows_[i].low;
      if (width == 0) continue;
      const auto offset = static_cast<std::size_t>(fraction * static_cast<double>(width));
      const std::size_t position = windows_[i].low + std::min(offset, width - 1);
      candidates_.push_back({row_at(*parts_[i], position, reads_, arena_, rows_), width});
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [this](const auto& a, const auto& b) { return stands_before(a.row, b.row, ties_); });
    const std::size_t half = left() / 2;
    std::size_t weight = 0;
    for (const Candidate& candidate : candidates_) {
      weight += candidate.weight;
      if (weight > half) return candidate.row;
    }
    assert(false && "took a median of nothing");
    return {};
  }

  std::span<const EngineView* const> parts_;
  Ties ties_;
  EngineReads& reads_;
  std::vector<Window> windows_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> counts_;  // of rows before the pivot, in each part
  std::vector<EngineRow> rows_;
  Arena arena_;  // of the rows read
};

}  // namespace

std::size_t rows_before(const EngineView& part, const EngineRow& row, Ties ties,
                        EngineReads& reads) {
  std::size_t low = part.count_better(row.score);
  std::size_t high = part.count_not_worse(row.score);
  if (low == high) return low;
  Arena arena;
  std::vector<EngineRow> rows;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (stands_before(row_at(part, middle, reads, arena, rows), row, ties)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::size_t approach(std::span<const EngineView* const> parts, std::size_t position, Ties ties,
                     EngineReads& reads, std::span<std::size_t> starts) {
  const std::size_t near = kGatherSkipMax * parts.size();
  Selection selection(parts, ties, reads);
  std::size_t gap = position;
  for (int step = 0; gap > near; ++step) {
    double fraction = 0.5;
    if (step < kExpectingSteps) {
      // Aim two standard deviations short of the gap: a pivot behind the position would not reduce
      // the gap.
      const double wanted = static_cast<double>(gap);
      fraction = (wanted - 2 * std::sqrt(wanted)) / static_cast<double>(selection.left());
    }
    selection.narrow(fraction, position);
    gap = position - selection.low();
  }
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = selection.low(i);
  return gap;
}

}  // namespace laurel
