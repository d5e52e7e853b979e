// spec.h - the fields of a board: their defaults and allowed values.
//
//   field        one named setting. `stored_order` fields describe how entries are stored and
//                cannot change while the board exists; the others can, at any time.
//   SpecChange   the fields given to one call. A field that is not given stays as it was.
//
// Refusals are `invalid` (an impossible configuration, raised as an error in scripts), or
// `unsupported` (this engine cannot do it, another can).
#pragma once

#include <bitset>
#include <functional>
#include <optional>
#include <span>
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

struct Spec : EngineSpec {
  Keep keep = Keep::best;  // not used by rolling boards, which hold activity
  Ranking ranking = Ranking::competition;
  std::optional<Cron> reset;   // when seasons end; absent: never
  std::size_t archive = 1;     // past seasons kept
  std::optional<Time> opens;   // submissions before it are refused with `closed`
  std::optional<Time> closes;  // submissions from it on are refused too
  Join join = Join::open;
  std::string remote;  // name of the remote; empty: local
  std::string rule;    // name of the rule; empty: none
  RuleFailure rule_failure = RuleFailure::refuse;
  std::optional<std::string> meta;
};

// A field's value, as a script or host gives it. `false` removes an optional field.
using FieldValue = std::variant<std::string_view, double, bool>;

class SpecChange {
 public:
  // Sets one field. The fields of a window are "window.buckets" and "window.seconds". Fails if no
  // field has that name (naming the nearest), or if the value is not allowed.
  Status set(std::string_view field, const FieldValue& value);

  // The spec of a new board: the given fields, and defaults. Fails if fields do not fit together,
  // for example a field of another engine.
  Result<Spec> create() const;
  // The spec of an existing board with the given fields changed. Fails as create() does, and if a
  // field that describes the stored order changes, naming the field and both values.
  Result<Spec> update(const Spec& standing) const;
  // The given remote; empty if none is given.
  const std::string& remote() const { return given_.remote; }
  // Visits the given fields in the order of the manual; `false` for a removed one.
  void each_given(
      const std::function<void(std::string_view field, const FieldValue& value)>& visit) const;

 private:
  bool gives(std::string_view field) const;
  Status check_window(const RollingWindow& before) const;
  Status check_fields(const Spec& spec) const;

  Spec given_;
  std::bitset<32> which_;
};

// Whether entries are stored under padded keys, also in the shards of a sharded board.
bool keys_are_padded(const Spec& spec);

// Visits the fields that have a value and belong to the engine, in the order of the manual, as
// `info` shows them.
void each_field(const Spec& spec,
                const std::function<void(std::string_view field, const FieldValue& value)>& visit);

std::string_view word(Ranking ranking);
std::optional<Ranking> ranking_from_word(std::string_view word);
// The words that ranking_from_word accepts.
std::span<const std::string_view> ranking_words();

}  // namespace laurel
