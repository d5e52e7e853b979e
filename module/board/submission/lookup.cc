// For what few boards have: out of line.
#include "board/submission/lookup.h"

#include "board/segments/board_cohorts.h"
#include "board/segments/board_segments.h"

namespace laurel {

[[gnu::noinline]] PlayerHandle Board::Lookup::find_with_more(const Submission& submission,
                                                             Decision& decision) const {
  return find_with_prefetch<true>(submission, decision);
}

// For what is kept beside the board's own order, and is told of changes: what it has of players.
void Board::Lookup::prefetch_told_players(std::span<const PlayerHandle> players) const {
  if (board_.marks_) board_.marks_->prefetch_players(players);
  for (const PlayerHandle player : players) {
    if (board_.segments_) board_.segments_->prefetch_player(player);
    if (board_.cohorts_) board_.cohorts_->prefetch_player(player);
    if (board_.listener() != nullptr) board_.listener()->prefetch_player(player);
  }
}

// After that, their rows.
void Board::Lookup::prefetch_told_rows(std::span<const PlayerHandle> players) const {
  for (const PlayerHandle player : players) {
    if (board_.segments_) board_.segments_->prefetch_row(player);
    if (board_.cohorts_) board_.cohorts_->prefetch_row(player);
    if (board_.listener() != nullptr) board_.listener()->prefetch_row(player);
  }
}

void Board::Lookup::prefetch_more(std::span<const Submission> submissions,
                                  std::span<Prefetched> prefetched) const {
  const auto likely = prefetched.first(submissions.size());
  if (board_.results_) {
    for (std::size_t i = 0; i < submissions.size(); ++i) {
      likely[i].id = board_.results_->prefetch(submissions[i], likely[i].hash);
      board_.results_->prefetch(likely[i].likely);
    }
  }
  if (!board_.is_told()) return;
  std::array<PlayerHandle, ScoreEngine::kPrefetchMax> players;
  std::array<ScoreKey, ScoreEngine::kPrefetchMax> scores;
  std::size_t keys = 0;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    players[i] = likely[i].likely;
    if (find_likely_key(submissions[i].score, scores[keys])) ++keys;
  }
  if (board_.marks_) board_.marks_->prefetch_paths(std::span(scores).first(keys));
  prefetch_told_players(std::span(players).first(likely.size()));
  prefetch_told_rows(std::span(players).first(likely.size()));
}

}  // namespace laurel
