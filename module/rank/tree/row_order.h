// row_order.h - the order of a board's rows, and the form in which rows are compared.
//
//   row      one player's entry on a board: score key, time, handle.
//   tie      the time as an unsigned number in the order of `ties`: the smaller one is first.
//            Boards with ties by player store it too, but do not compare it.
//   place    a row as the tree stores it: score, tie, player.
//
// The order is total: score, then tie (except with ties by player), then the bytes of the ids.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "rank/player/players.h"
#include "rank/score/score.h"

namespace laurel {

// Which row is first among equal scores. `player` and `player_desc` compare the ids' bytes.
enum class Ties : std::uint8_t { earliest, latest, player, player_desc };

struct Row {
  ScoreKey score = 0;
  Time at = 0;  // when the score was attained
  PlayerHandle player = kNoPlayer;
};

struct Place {
  ScoreKey score = 0;
  std::uint64_t tie = 0;
  PlayerHandle player = kNoPlayer;

  friend bool operator==(const Place&, const Place&) = default;
};

// The effect of a put: the player had no row, another row, or the same row.
enum class Put : std::uint8_t { added, moved, unchanged };

class RowOrder {
 public:
  // `players` must outlive the order.
  RowOrder(const Players& players, Ties ties) : players_(&players), ties_(ties) {}

  Ties ties() const { return ties_; }
  bool is_by_time() const { return ties_ == Ties::earliest || ties_ == Ties::latest; }

  Place place(const Row& row) const {
    const std::uint64_t rising = static_cast<std::uint64_t>(row.at) ^ kSignBit;
    return {row.score, ties_ == Ties::latest ? ~rising : rising, row.player};
  }
  Row row(const Place& place) const {
    const std::uint64_t rising = ties_ == Ties::latest ? ~place.tie : place.tie;
    return {place.score, static_cast<Time>(rising ^ kSignBit), place.player};
  }

  const Players& players() const { return *players_; }

  // True if a row (tie, player) with the place's score is before the place or at it.
  bool stands_by(std::uint64_t tie, PlayerHandle player, const Place& place) const {
    if (is_by_time() && tie != place.tie) return tie < place.tie;
    if (player == place.player) return true;
    const int compared = players_->compare(player, place.player);
    return ties_ == Ties::player_desc ? compared >= 0 : compared <= 0;
  }

 private:
  static constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

  const Players* players_;
  Ties ties_;
};

}  // namespace laurel
