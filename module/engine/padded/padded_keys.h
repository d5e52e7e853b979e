// padded_keys.h - scores as text that sorts like the scores: the keys of a padded board.
//
//   key     SCORE#0000008420#p_alice: the score as an integer (scaled by the board's decimals),
//           padded with zeros to the board's digits, and the player. If ties are broken by time,
//           the moment is between them: SCORE#0000008420#8006472c1d3a8000#p_alice.
//   columns of a score are joined with dots, each with the digits of its largest value:
//           SCORE#012.99946790#p_alice (rank/score/score_columns.h).
//   scan    the direction that finds the best key first: backwards if high scores win, forwards if
//           low scores win.
//   moment  microseconds with the sign bit inverted, in hex, so that later moments are larger. All
//           bits are inverted if the scan would otherwise find the wrong moment first.
//   group   the keys that differ only in the player. The scan finds groups in the board's order,
//           but the players of a group in the scan's own direction. If that is the wrong one,
//           groups are `turned`.
//   parts   have fixed widths, and the player is last. Keys are split by offsets, since a player
//           may contain any bytes, also '#'.
//   ranges  are exact: SCORE$ is the first text after all texts that begin with SCORE#.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace laurel {

// The keys from `from` (included) to `to` (excluded).
struct KeyRange {
  std::string from;
  std::string to;
};

class PaddedKeys {
 public:
  // REQUIRES: the spec has columns; or decimals, and 1 to kDigitsMax digits.
  explicit PaddedKeys(const EngineSpec& spec);
  // Keys of a board without decimals or digits: the score is written as 20 digits that sort like
  // the score keys. Every score fits.
  static PaddedKeys of_any_score(const EngineSpec& spec);

  // True if the scaled score is in 0..10^digits - 1, or is a whole score of the columns.
  bool fits(ScoreKey score) const;
  // REQUIRES: fits(row.score).
  std::string key(const EngineRow& row) const;

  // Parts of a key, as views of it.
  std::string_view score(std::string_view key) const { return key.substr(0, score_bytes_); }
  std::string_view group(std::string_view key) const { return key.substr(0, group_bytes_); }
  std::string_view player(std::string_view key) const { return key.substr(group_bytes_); }

  bool backwards() const { return order_ == Order::desc; }
  bool turned() const { return backwards() == (ties_ != Ties::player_desc); }

  KeyRange all() const;
  // These take any score; it need not fit.
  KeyRange better(ScoreKey score) const;
  KeyRange not_worse(ScoreKey score) const;
  KeyRange between(ScoreKey best, ScoreKey worst) const;  // both included
  // The keys before this key on the board: of earlier groups, and of its own group.
  KeyRange groups_before(std::string_view key) const;
  KeyRange players_before(std::string_view key) const;

  // The first text after all texts that begin with the prefix.
  // REQUIRES: the prefix ends in '#'.
  static std::string behind(std::string_view prefix);

 private:
  enum class Side : std::uint8_t { front, back };

  enum class Form : std::uint8_t { digits, any_score, columns };

  PaddedKeys(const EngineSpec& spec, int digits, Form form);
  std::int64_t scaled(ScoreKey score) const;
  std::uint64_t number(ScoreKey score) const;
  void append_score(std::string& key, ScoreKey score) const;
  bool is_below(ScoreKey score) const;
  std::uint64_t moment(Time at) const;
  std::string edge(ScoreKey score, Side side) const;
  bool by_time() const { return ties_ == Ties::earliest || ties_ == Ties::latest; }

  Order order_;
  Ties ties_;
  Form form_;
  ScoreColumns::Ptr columns_;
  int digits_;            // of a number; of columns, with their dots
  std::int64_t largest_;  // 10^digits - 1
  ScoreKey zero_;         // the key of the score 0
  std::size_t score_bytes_;
  std::size_t group_bytes_;
};

}  // namespace laurel
