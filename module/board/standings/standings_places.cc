// Reads that begin at a place in the order: a position, a share of the players, a score.
#include <algorithm>
#include <optional>

#include "board/standings/places.h"
#include "board/standings/standings.h"

namespace laurel {

std::optional<ScoreKey> Standings::key_at(std::size_t position) const {
  if (position >= view_->size()) return std::nullopt;
  if (const CountedTree* const tree = view_->in_memory()) return tree->from(position, 1).score();
  found_.clear();
  std::vector<EngineRow>& rows = last_read().rows;
  rows.clear();
  view_->read(position, 1, found_, rows);
  return rows.front().score;
}

std::optional<double> Standings::score_at(std::size_t position) const {
  const std::optional<ScoreKey> key = key_at(position);
  if (!key) return std::nullopt;
  return form_.score(*key);
}

Result<std::optional<double>> Standings::score_at_percentile(double p) const {
  if (const Status valid = check_percentage(p); !valid) return valid.refusal();
  const std::uint64_t not_worse = not_worse_at_percentile(p, view_->size());
  if (not_worse == 0) return std::optional<double>();
  const ScoreKey key = *key_at(not_worse - 1);
  if (ranking_ == Ranking::ordinal || view_->count_not_worse(key) <= not_worse) {
    return std::optional(form_.score(key));
  }
  // Equals of this score continue behind these positions, so that all of them have a lower
  // percentile.
  const std::size_t better = view_->count_better(key);
  return better == 0 ? std::optional<double>() : score_at(better - 1);
}

Status Standings::top_percent(double p, std::size_t limit, Entries& out) const {
  if (Status valid = check_percentage(p); !valid) return valid;
  read(0, std::min<std::size_t>(limit, count_of_percent(p, view_->size())), out);
  return Done{};
}

Result<Rank> Standings::around_score(double score, std::size_t n, Entries& out) const {
  const Result<ScoreKey> key = key_of(score);
  if (!key) return key.refusal();
  const std::size_t place =
      ties_ == Ties::latest ? view_->count_better(*key) : view_->count_not_worse(*key);
  const PositionRange range = positions_around(place, 0, n, view_->size());
  read(range.first, range.count, out);
  return view_->rank_of_newcomer(*key, ranking_);
}

}  // namespace laurel
