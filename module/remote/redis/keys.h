// keys.h - the layout of a board in Redis: its keys, and sorted-set members that sort in the
// board's order.
//
//   tag       keys of one shard share a slot, as scripts require: "laurel:{<board>/<shard>}:".
//             Bytes of the name that would break a tag or a terminal are written as %XX.
//   keys      laurel:{<board>}            hash: spec, revision, seasons (board_metadata.h)
//             ...:state                   hash: season, written, at (last default), top (changes),
//                                         distinct (the newest season with such a set)
//             ...:banned, ...:joined      sets of players
//             ...:servers                 hash: server -> "<last post> <Unix seconds>"
//             ...:ids                     sorted set: digest of a result's id -> when the result
//                                         was accepted, in microseconds
//             ...:<season>:scores         sorted set: member -> stored score
//             ...:<season>:players        hash: player -> at8, then "d" and any data
//             ...:<season>:hidden         hash: player -> score, " ", value in `players`
//             ...:<season>:attempts       hash: player -> "<taken> <granted> <counting>"
//             ...:<season>:distinct       sorted set: text of a stored score -> that score; only
//                                         for dense ranks (scripts/distinct_scripts.cc)
//   stored    a score as stored in Redis: the number itself, with decimals the whole number of
//             smallest units, or with columns the packed score (rank/score/score_columns.h). All
//             are exact.
//   member    tie key and player, so that equal scores sort in the board's order: forward for
//             `asc`, in reverse for `desc`. at8 is a time as 8 sortable bytes, ~ inverts all bits.
//             0xFF ends an inverted id; no byte inside an inverted id has that value.
//               ties          asc            desc
//               earliest      at8 id         ~at8 ~id
//               latest        ~at8 id        at8 ~id
//               player        id             ~id
//               player_desc   ~id            id
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "board/spec/score_bounds.h"
#include "board/spec/spec.h"

namespace laurel::redis {

std::string board_key(std::string_view board);

class ShardKeys {
 public:
  ShardKeys(std::string_view board, std::size_t shard);

  std::string state() const { return base_ + "state"; }
  std::string banned() const { return base_ + "banned"; }
  std::string joined() const { return base_ + "joined"; }
  std::string servers() const { return base_ + "servers"; }
  std::string ids() const { return base_ + "ids"; }
  std::string scores(std::uint64_t season) const { return of_season(season, "scores"); }
  std::string players(std::uint64_t season) const { return of_season(season, "players"); }
  std::string hidden(std::uint64_t season) const { return of_season(season, "hidden"); }
  std::string attempts(std::uint64_t season) const { return of_season(season, "attempts"); }
  std::string distinct(std::uint64_t season) const { return of_season(season, "distinct"); }
  // The channel for changes.
  std::string channel() const { return base_ + "changes"; }

 private:
  std::string of_season(std::uint64_t season, std::string_view what) const;

  std::string base_;
};

// A time as 8 bytes that sort in the order of the times.
std::string sortable_time(Time at);
Time time_of_sortable(std::string_view bytes);  // REQUIRES: 8 bytes

// One entry as stored in a shard.
struct Row {
  double stored = 0;
  std::string member;
  std::string player;
  Time at = 0;
  std::optional<std::string> data;
};

class RowForm {
 public:
  explicit RowForm(const Spec& spec);

  // The player's part of the member. at_mode() says how a script builds the part before it: "n"
  // none, "p" at8, "f" ~at8.
  std::string player_part(std::string_view player) const;
  std::string_view at_mode() const { return at_mode_; }
  bool inverts_id() const { return inverts_id_; }
  std::string member(std::string_view player, Time at) const;
  // Nothing if the member is invalid for this form.
  std::optional<std::string> player_of(std::string_view member) const;
  // Parses a value of the players' hash into `at` and `data`; false if it is damaged.
  static bool read_value(std::string_view value, Row& row);

  // Whether a precedes b in the board's order.
  bool before(const Row& a, const Row& b) const;
  bool better(double a, double b) const { return order_ == Order::desc ? a > b : a < b; }
  // The argument of scripts: "d" or "a".
  std::string_view order() const { return order_ == Order::desc ? "d" : "a"; }

  // Nothing if it is out of range. REQUIRES: finite.
  std::optional<double> stored(double score) const;
  double shown(double stored) const;
  // A range as arguments of scripts: its best and its worst score, infinite at an open end. Nothing
  // if the range is empty. REQUIRES: neither end is NaN.
  struct StoredBounds {
    double best = 0;
    double worst = 0;
  };
  std::optional<StoredBounds> bounds(const ScoreRange& range) const;

 private:
  Order order_;
  std::optional<int> decimals_;
  ScoreForm form_;
  ScoreColumns::Ptr columns_;
  bool inverts_id_;
  std::string_view at_mode_;
};

// A decimal that reads back as the same double.
std::string number_text(double number);

}  // namespace laurel::redis
