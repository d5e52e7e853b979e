#include "engine/gather/gather.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "engine/gather/selection.h"

namespace laurel {

namespace {

// Iterates over the distinct scores of one part, best first, that are better than a given score.
// Reads a few rows at a time, and skips a long run of one score with a count.
class DistinctScores {
 public:
  DistinctScores(const EngineView& part, ScoreKey worse, EngineReads& reads)
      : part_(part), reads_(reads), end_(part.count_better(worse)) {}

  std::optional<ScoreKey> next() {
    while (true) {
      if (slot_ == rows_.size() && !fetch()) return std::nullopt;
      const ScoreKey score = rows_[slot_++].score;
      if (score == last_) continue;
      last_ = score;
      return score;
    }
  }

 private:
  static constexpr std::size_t kRows = 16;

  bool fetch() {
    if (last_ && !rows_.empty() && rows_.front().score == *last_) {
      position_ = part_.count_not_worse(*last_);
    }
    rows_.clear();
    arena_.clear();
    slot_ = 0;
    part_.read(position_, std::min(kRows, end_ - position_), arena_, rows_);
    position_ += rows_.size();
    reads_.entries += rows_.size();
    return !rows_.empty();
  }

  const EngineView& part_;
  EngineReads& reads_;
  std::size_t end_;
  std::size_t position_ = 0;  // of the next row to read
  std::size_t slot_ = 0;
  std::optional<ScoreKey> last_;
  std::vector<EngineRow> rows_;
  Arena arena_;
};

}  // namespace

std::size_t Gather::size() const {
  std::size_t sum = 0;
  for (const EngineView* part : parts_) sum += part->size();
  return sum;
}

std::size_t Gather::count_better(ScoreKey score) const {
  std::size_t sum = 0;
  for (const EngineView* part : parts_) sum += part->count_better(score);
  return sum;
}

std::size_t Gather::count_not_worse(ScoreKey score) const {
  std::size_t sum = 0;
  for (const EngineView* part : parts_) sum += part->count_not_worse(score);
  return sum;
}

// Merges the parts' distinct scores.
std::size_t Gather::distinct_better(ScoreKey score) const {
  if (parts_.size() == 1) return parts_.front()->distinct_better(score);
  using Head = std::pair<ScoreKey, std::size_t>;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<DistinctScores> scores;
  scores.reserve(parts_.size());
  for (const EngineView* part : parts_) {
    scores.emplace_back(*part, score, reads_);
    if (const auto best = scores.back().next()) heads.emplace(*best, scores.size() - 1);
  }
  std::size_t distinct = 0;
  std::optional<ScoreKey> last;
  while (!heads.empty()) {
    const auto [best, part] = heads.top();
    heads.pop();
    if (best != last) ++distinct;
    last = best;
    if (const auto next = scores[part].next()) heads.emplace(*next, part);
  }
  return distinct;
}

std::size_t Gather::count_before(const EngineRow& row) const {
  std::size_t sum = 0;
  for (const EngineView* part : parts_) sum += rows_before(*part, row, ties_, reads_);
  return sum;
}

Rank Gather::rank(const EngineRow& row, Ranking ranking) const {
  return rank_of_row(ranking, *this, row.score, [&] { return count_before(row); });
}

Rank Gather::rank_of_newcomer(ScoreKey score, Ranking ranking) const {
  return laurel::rank_of_newcomer(ranking, ties_, *this, score);
}

void Gather::read(std::size_t first, std::size_t n, Arena& arena,
                  std::vector<EngineRow>& out) const {
  const std::size_t rows = size();
  if (first >= rows) return;
  if (parts_.size() == 1) {
    const std::size_t before = out.size();
    parts_.front()->read(first, n, arena, out);
    reads_.entries += out.size() - before;
    ++reads_.rounds;
    return;
  }
  std::vector<std::size_t> starts;
  std::size_t skip = first > 0 ? approach(parts_, first, ties_, reads_, starts) : 0;
  const std::size_t wanted = skip + std::min(n, rows - first);
  RowMerge merge({parts_, starts, ties_}, wanted, fair_share(wanted, parts_.size()), reads_, arena);
  for (; skip > 0; --skip) merge.skip();
  merge.take_all(out);
}

bool Gather::read_once(std::size_t n, std::size_t each, Arena& arena,
                       std::vector<EngineRow>& out) const {
  RowMerge merge({parts_, {}, ties_}, n, {.first = each, .again = 0}, reads_, arena);
  merge.take_all(out);
  return !merge.missed();
}

}  // namespace laurel
