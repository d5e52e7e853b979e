// padded_keys.h - scores as text that sorts as the scores do: the keys of a padded board.
//
//   key      SCORE#0000008420#p_alice: the score as a whole number (scaled by the board's
//            decimals), padded with zeros to the board's digits, and the player. With ties by time
//            the moment stands in between: SCORE#0000008420#8006472c1d3a8000#p_alice.
//   scan     the walk over keys that meets the best first: backwards where high scores win,
//            forwards where low ones do.
//   moment   microseconds with the sign bit turned over, in hex, so that later is larger; all bits
//            are turned over where the scan would otherwise meet the wrong moment first.
//   group    the keys that differ in nothing but the player. The scan meets groups in the board's
//            order, but the players of one always in its own direction, which may be the wrong one:
//            then the group is `turned`.
//   parts    have fixed widths, and the player comes last: keys are taken apart by offsets, since a
//            player is any bytes, '#' included.
//   ranges   are exact: SCORE$ is the first text behind all that begins with SCORE#, whatever
//            follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace laurel {

// The keys from one, included, to another, not included.
struct KeyRange {
  std::string from;
  std::string to;
};

class PaddedKeys {
 public:
  // REQUIRES: the spec has decimals, and 1 to kDigitsMax digits.
  explicit PaddedKeys(const EngineSpec& spec);
  // Of any score, decimal or not: in its place 20 digits that sort as the scores do. Every score
  // fits.
  static PaddedKeys of_any_score(const EngineSpec& spec);

  // Whether the scaled score is in 0..10^digits - 1.
  bool fits(ScoreKey score) const;
  // REQUIRES: fits(row.score).
  std::string key(const EngineRow& row) const;

  // Parts of a key: views of it.
  std::string_view score(std::string_view key) const { return key.substr(0, score_bytes_); }
  std::string_view group(std::string_view key) const { return key.substr(0, group_bytes_); }
  std::string_view player(std::string_view key) const { return key.substr(group_bytes_); }

  bool backwards() const { return order_ == Order::desc; }
  bool turned() const { return backwards() == (ties_ != Ties::player_desc); }

  KeyRange all() const;
  // Of any score, whether or not it fits.
  KeyRange better(ScoreKey score) const;
  KeyRange not_worse(ScoreKey score) const;
  // What stands before this key on the board: whole groups, and players of its own.
  KeyRange groups_before(std::string_view key) const;
  KeyRange players_before(std::string_view key) const;

  // The first text behind everything that begins with the prefix.
  // REQUIRES: the prefix ends in '#'.
  static std::string behind(std::string_view prefix);

 private:
  enum class Side : std::uint8_t { front, back };

  PaddedKeys(const EngineSpec& spec, int digits, bool any_score);
  std::int64_t scaled(ScoreKey score) const;
  std::uint64_t number(ScoreKey score) const;
  std::uint64_t moment(Time at) const;
  std::string edge(ScoreKey score, Side side) const;
  bool by_time() const { return ties_ == Ties::earliest || ties_ == Ties::latest; }

  Order order_;
  Ties ties_;
  bool any_score_;
  int digits_;
  std::int64_t largest_;  // 10^digits - 1
  ScoreKey zero_;         // the key of the score 0
  std::size_t score_bytes_;
  std::size_t group_bytes_;
};

}  // namespace laurel
