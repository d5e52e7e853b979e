// row_order.h - which of two rows stands first, and rows in the form in which that is compared.
//
//   row      one player's place on a board: score key, moment, handle.
//   tie      the moment as an unsigned number whose natural order is that of `ties`: the smaller
//            stands first. Boards whose ties go by player keep it too, and do not compare it.
//   place    a row as the tree keeps it: score, tie, player.
//
// The order is total: score, then tie, then the ids' bytes; but ties by player skip the tie.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "rank/players.h"
#include "rank/score.h"

namespace laurel {

// Who stands first among equal scores. `player` and `player_desc` go by the id's bytes.
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

// What putting a row did: its player was new, or had another row, or had this very one.
enum class Put : std::uint8_t { added, moved, unchanged };

class RowOrder {
 public:
  // `players` outlives the order.
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

  std::string_view id(PlayerHandle player) const { return players_->id(player); }

  // Whether a row of the same score stands before this place or at it.
  bool stands_by(std::uint64_t tie, PlayerHandle player, const Place& place) const {
    if (is_by_time() && tie != place.tie) return tie < place.tie;
    if (player == place.player) return true;
    const int compared = players_->id(player).compare(players_->id(place.player));
    return ties_ == Ties::player_desc ? compared >= 0 : compared <= 0;
  }

 private:
  static constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

  const Players* players_;
  Ties ties_;
};

}  // namespace laurel
