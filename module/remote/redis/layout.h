// layout.h - how a board lies in Redis: its keys, and members of sorted sets that stand in the
// board's order.
//
//   tag       keys of one shard share a slot, as a script's keys must: "laurel:{<board>/<shard>}:".
//             Of the name, bytes that a tag or a terminal would trip over stand as %XX.
//   keys      laurel:{<board>}            hash: spec, revision, seasons (board_facts.h)
//             ...:state                   hash: season, written, at (last given), top (of changes)
//             ...:banned, ...:joined      sets of players
//             ...:servers                 hash: server -> "<last post> <Unix seconds>"
//             ...:<season>:scores         sorted set: member -> stored score
//             ...:<season>:players        hash: player -> at8, and "d" and the data where there is
//             ...:<season>:hidden         hash: player -> score, " ", what `players` had
//   stored    a score as Redis has it: the number itself, or with decimals the whole number of
//             smallest units; exact either way.
//   member    tie key and player, such that equal scores come out in the board's order: of `asc`
//             read forward, of `desc` in reverse. at8 is a time as 8 bytes that sort, ~ all bits
//             inverted; an inverted id ends in 0xFF, which no inverted byte of an id is.
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
#include "board/score_bounds.h"
#include "board/spec.h"

namespace laurel::redis {

std::string board_key(std::string_view board);

class ShardKeys {
 public:
  ShardKeys(std::string_view board, std::size_t shard);

  std::string state() const { return base_ + "state"; }
  std::string banned() const { return base_ + "banned"; }
  std::string joined() const { return base_ + "joined"; }
  std::string servers() const { return base_ + "servers"; }
  std::string scores(std::uint64_t season) const { return of_season(season, "scores"); }
  std::string players(std::uint64_t season) const { return of_season(season, "players"); }
  std::string hidden(std::uint64_t season) const { return of_season(season, "hidden"); }
  // Where changes are told.
  std::string channel() const { return base_ + "changes"; }

 private:
  std::string of_season(std::uint64_t season, std::string_view what) const;

  std::string base_;
};

// A time as 8 bytes that sort as it does.
std::string sortable_time(Time at);
Time time_of_sortable(std::string_view bytes);  // REQUIRES: 8 bytes

// One entry as a shard has it.
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

  // The member's part that is the player's, and how a script is to build the part before it:
  // "n" there is none, "p" at8, "f" ~at8.
  std::string player_part(std::string_view player) const;
  std::string_view at_mode() const { return at_mode_; }
  bool inverts_id() const { return inverts_id_; }
  std::string member(std::string_view player, Time at) const;
  // Nothing where no board with this form has such a member.
  std::optional<std::string> player_of(std::string_view member) const;
  // Fills `at` and `data` from what the players' hash has; false where that is damaged.
  static bool read_value(std::string_view value, Row& row);

  // Whether a stands before b in the board's order.
  bool before(const Row& a, const Row& b) const;
  bool better(double a, double b) const { return order_ == Order::desc ? a > b : a < b; }
  // "d" or "a", as scripts know the order.
  std::string_view order() const { return order_ == Order::desc ? "d" : "a"; }

  // Nothing where it is out of range. REQUIRES: finite.
  std::optional<double> stored(double score) const;
  double shown(double stored) const;
  // The two ends of a range as scripts take them, the best and the worst score in it; infinite
  // where it is open. Nothing where no score can lie in it. REQUIRES: neither end is NaN.
  struct StoredBounds {
    double best = 0;
    double worst = 0;
  };
  std::optional<StoredBounds> bounds(const ScoreRange& range) const;

 private:
  Order order_;
  std::optional<int> decimals_;
  ScoreForm form_;
  bool inverts_id_;
  std::string_view at_mode_;
};

// A number that reads back as the same double there.
std::string number_text(double number);

}  // namespace laurel::redis
