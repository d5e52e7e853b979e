// spec.h - the fields of a board: their defaults and allowed values.
//
//   field        one named setting. `stored_order` fields describe how entries are stored and
//                cannot change while the board exists; the others can, at any time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "board/spec/cron.h"
#include "engine/engine_spec.h"
#include "rank/score/score.h"
#include "rank/tree/ranking.h"

namespace laurel {

enum class Keep : std::uint8_t { best, latest, sum, first };
enum class Join : std::uint8_t { open, required };
enum class RuleFailure : std::uint8_t { refuse, keep };
// How a derived board makes a score. A combined board: the sum of the weighted scores, the first
// score divided by the second, on how many sources the player is listed, and on how many first. A
// board of groups: the sum of the members' scores, their mean, or the first member's score.
enum class Take : std::uint8_t { sum, ratio, count, firsts, mean, best };

struct Spec : EngineSpec {
  Keep keep = Keep::best;  // not used by rolling boards, which hold activity
  Ranking ranking = Ranking::competition;
  std::optional<Cron> reset;   // when seasons end, in the zone; absent: never
  std::size_t archive = 1;     // past seasons kept
  std::optional<Time> opens;   // submissions before it are refused with `closed`
  std::optional<Time> closes;  // submissions from it on are refused too
  // How long a season takes results, from its start on; absent: until its end. Needs `reset`.
  std::optional<Time> duration;
  Join join = Join::open;
  std::uint64_t attempts = 0;  // results taken of a player in a season; 0: any number
  std::uint64_t capacity = 0;  // players on the board; 0: any number
  std::string remote;          // name of the remote; empty: local
  std::string rule;            // name of the rule; empty: none
  RuleFailure rule_failure = RuleFailure::refuse;
  std::optional<std::string> meta;
  std::size_t history = 0;    // accepted results kept of each player
  std::size_t journal = 0;    // latest submissions kept, to rehearse rules on
  std::string segments;       // attributes by whose values it is divided (segment_names.h)
  std::string cohorts;        // as cohort_form.h has them; empty: none
  std::optional<Cron> marks;  // when ranks are remembered, in the zone; absent: by calls alone

  // Combined boards.
  std::string sources;  // as SourceList has it
  Take take = Take::sum;
  std::string weights;  // of a sum of named sources: one number for each; else empty
  double least = 0;     // of a ratio: the least second score; 0: any above 0

  // Boards of groups, with `take`. Here `least` is the number of members from which on a group is
  // listed.
  std::string source;    // the name of the board that it is made from
  std::string group;     // the attribute whose values are the groups
  std::size_t best = 0;  // how many of the best members count; 0: all
};

// A field's value, as a script or host gives it. `false` removes an optional field.
using FieldValue = std::variant<std::string_view, double, bool>;

// Whether entries are stored under padded keys, also in the shards of a sharded board.
inline bool keys_are_padded(const Spec& spec) {
  return spec.engine == EngineKind::padded ||
         (spec.engine == EngineKind::sharded && spec.of == EngineKind::padded);
}

// Whether all rows are in trees in memory, of the board or of its shards.
inline bool has_ranked_rows(const Spec& spec) {
  return spec.engine == EngineKind::ranked ||
         (spec.engine == EngineKind::sharded && spec.of == EngineKind::ranked);
}

// Whether the board is made from other boards, and takes no submissions of its own.
inline bool is_derived(const EngineSpec& spec) {
  return spec.engine == EngineKind::combined || spec.engine == EngineKind::groups;
}
// Whether the board's players are groups of players. It has the seasons of its source.
inline bool is_of_groups(const EngineSpec& spec) { return spec.engine == EngineKind::groups; }

std::string_view word(Take take);
std::string_view word(Ranking ranking);
std::optional<Ranking> ranking_from_word(std::string_view word);
// As ranking_from_word(). Fails with unknown, and a sentence that lists the words.
Result<Ranking> to_ranking(std::string_view word);

}  // namespace laurel
