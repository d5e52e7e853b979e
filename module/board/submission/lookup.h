// lookup.h - finds the players of submissions. Meanwhile it prefetches what deciding and applying
// them will read, so that their cache misses overlap.
//
//   order    each step prefetches what the next one reads: the id's bucket and the place of the
//            new score, the player's record and number, the player's row.
//   threads  as the board.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "board/decision.h"
#include "board/marks/board_marks.h"
#include "board/results/board_results.h"

namespace laurel {

class Board::Lookup {
 public:
  explicit Lookup(const Board& board) : board_(board) {}

  // What is known of a submission before its player is looked up.
  struct Prefetched {
    std::uint64_t hash = 0;           // of the player's id
    PlayerHandle likely = kNoPlayer;  // the player's probable handle
    std::optional<IdHash> id;         // of the submission's id, if what is kept was prefetched
  };

  // The player of one submission. May set the decision's `id`.
  [[gnu::always_inline]] PlayerHandle find(const Submission& submission, Decision& decision) const {
    if (!wants_prefetch()) return board_.context_.players.find(submission.player);
    if (board_.results_ || board_.is_told()) [[unlikely]]
      return find_with_more(submission, decision);
    return find_with_prefetch<false>(submission, decision);
  }

  // Prefetches for a list of submissions in `engine`, if not null, with these players.
  // REQUIRES: submissions.size() <= ScoreEngine::kPrefetchMax.
  template <typename Submissions>
  void prefetch(const Players& players, ScoreEngine* engine, const Submissions& submissions,
                std::span<Prefetched> prefetched) const;
  // The same for what few boards have; they do if wants_more().
  bool wants_more() const { return (board_.results_ || board_.is_told()) && wants_prefetch(); }
  void prefetch_more(std::span<const Submission> submissions,
                     std::span<Prefetched> prefetched) const;

 private:
  bool wants_prefetch() const {
    return board_.scores_ != nullptr && board_.scores_->wants_prefetch();
  }
  // False if the key is slower to compute than memory is to read, as for a fraction.
  bool find_likely_key(double score, ScoreKey& key) const {
    if (!std::isfinite(score)) return false;
    if (board_.form().has_decimals() && score != std::floor(score)) return false;
    return board_.form().find_key(score, key);
  }
  // `kMore`: the board keeps something of results, or others are made from it.
  template <bool kMore>
  [[gnu::always_inline]] inline PlayerHandle find_with_prefetch(const Submission& submission,
                                                                Decision& decision) const;
  PlayerHandle find_with_more(const Submission& submission, Decision& decision) const;
  void prefetch_told_players(std::span<const PlayerHandle> players) const;
  void prefetch_told_rows(std::span<const PlayerHandle> players) const;

  const Board& board_;
};

template <bool kMore>
inline PlayerHandle Board::Lookup::find_with_prefetch(const Submission& submission,
                                                      Decision& decision) const {
  Players& players = board_.context_.players;
  const std::uint64_t hash = players.prefetch(submission.player);
  if (kMore && board_.results_) decision.id = board_.results_->prefetch(submission, hash);
  ScoreKey key = 0;
  if (find_likely_key(submission.score, key)) {
    board_.scores_->prefetch_paths({&key, 1});
    if (kMore && board_.marks_) board_.marks_->prefetch_paths({&key, 1});
  }
  const PlayerHandle likely = players.prefetch_record(hash);
  board_.scores_->prefetch_players({&likely, 1});
  if (kMore && board_.results_) board_.results_->prefetch(likely);
  if (kMore) prefetch_told_players({&likely, 1});
  const PlayerHandle player = players.find(submission.player, hash, likely);
  board_.scores_->prefetch_rows({&player, 1});
  if (kMore) prefetch_told_rows({&player, 1});
  return player;
}

template <typename Submissions>
void Board::Lookup::prefetch(const Players& players, ScoreEngine* engine,
                             const Submissions& submissions,
                             std::span<Prefetched> prefetched) const {
  const std::size_t count = submissions.size();
  if (engine == nullptr || !engine->wants_prefetch()) {
    for (std::size_t i = 0; i < count; ++i) {
      prefetched[i].hash = players.hash(submissions[i].player);
    }
    return;
  }
  std::array<ScoreKey, ScoreEngine::kPrefetchMax> scores;
  std::size_t keys = 0;
  for (std::size_t i = 0; i < count; ++i) {
    prefetched[i].hash = players.prefetch(submissions[i].player);
    if (find_likely_key(submissions[i].score, scores[keys])) ++keys;
  }
  engine->prefetch_paths(std::span(scores).first(keys));
  std::array<PlayerHandle, ScoreEngine::kPrefetchMax> likely;
  for (std::size_t i = 0; i < count; ++i) {
    likely[i] = prefetched[i].likely = players.prefetch_record(prefetched[i].hash);
  }
  const auto handles = std::span(likely).first(count);
  engine->prefetch_players(handles);
  engine->prefetch_rows(handles);
}

}  // namespace laurel
