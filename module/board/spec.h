// spec.h - what a board is: the fields that its owner gives, their defaults, and what is allowed.
//
//   field        one named setting. `stored_order` fields describe how entries are kept and cannot
//                change while the board lives; the others can, at any time.
//   SpecChange   the fields that one call gave. A field left out stays as it was.
//
// Refusals here are `invalid`, a configuration that can never work, which scripts see raised; but
// for `unsupported`, what an engine cannot do and another can.
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
#include "board/cron.h"
#include "engine/engine_spec.h"
#include "rank/ranking.h"
#include "rank/score.h"

namespace laurel {

enum class Keep : std::uint8_t { best, latest, sum, first };
enum class Join : std::uint8_t { open, required };
enum class RuleFailure : std::uint8_t { refuse, keep };

struct Spec : EngineSpec {
  Keep keep = Keep::best;  // of rolling boards nothing: they hold activity
  Ranking ranking = Ranking::competition;
  std::optional<Cron> reset;   // when a season ends; nothing: never
  std::size_t archive = 1;     // past seasons kept
  std::optional<Time> opens;   // before it, submissions are refused with `closed`
  std::optional<Time> closes;  // from it on, likewise
  Join join = Join::open;
  std::string remote;  // names where the board lives; empty: here
  std::string rule;    // names a rule; empty: none
  RuleFailure rule_failure = RuleFailure::refuse;
  std::optional<std::string> meta;
};

// A field's value as a script or a host writes it. `false` takes an optional field away.
using FieldValue = std::variant<std::string_view, double, bool>;

class SpecChange {
 public:
  // Takes one field. The two of a window are "window.buckets" and "window.seconds". Fails when no
  // field has that name (naming the nearest), or when the value is not allowed.
  Status set(std::string_view field, const FieldValue& value);

  // The spec of a new board: these fields and the defaults of the rest. Fails when fields do not
  // go together, such as one that belongs to another engine.
  Result<Spec> create() const;
  // The spec of a board that exists, changed by these fields. Fails likewise, and when one of them
  // describes the stored order and is not as it was, naming the field and both values.
  Result<Spec> update(const Spec& standing) const;
  // The remote that is given; empty: none is, or that the board lives here.
  const std::string& remote() const { return given_.remote; }
  // What was given, in the order of the manual; `false` where a field was taken away.
  void each_given(
      const std::function<void(std::string_view field, const FieldValue& value)>& visit) const;

 private:
  bool gives(std::string_view field) const;
  Status check_window(const RollingWindow& before) const;
  Status check_fields(const Spec& spec) const;

  Spec given_;
  std::bitset<32> which_;
};

// Whether its entries lie under padded keys, a sharded board's in each shard.
bool keys_are_padded(const Spec& spec);

// Each field of a spec that has a value and belongs to its engine, in the order of the manual, as
// `info` shows it.
void each_field(const Spec& spec,
                const std::function<void(std::string_view field, const FieldValue& value)>& visit);

std::string_view word(Ranking ranking);
std::optional<Ranking> ranking_from_word(std::string_view word);
// The words that ranking_from_word takes.
std::span<const std::string_view> ranking_words();

}  // namespace laurel
