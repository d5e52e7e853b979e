// spec.h - what a board is: the fields that its owner gives, their defaults, and what is allowed.
//
//   field        one named setting. `stored_order` fields describe how entries are kept and cannot
//                change while the board lives; the others can, at any time.
//   SpecChange   the fields that one call gave. A field left out stays as it was.
//
// Every refusal here is `invalid`: a configuration that can never work. Scripts see it raised.
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
#include "rank/counted_tree.h"
#include "rank/ranking.h"
#include "rank/score.h"

namespace laurel {

enum class Keep : std::uint8_t { best, latest, sum, first };
enum class Join : std::uint8_t { open, required };
enum class RuleFailure : std::uint8_t { refuse, keep };
enum class EngineKind : std::uint8_t { ranked };

struct Spec {
  EngineKind engine = EngineKind::ranked;
  Order order = Order::desc;
  Keep keep = Keep::best;
  Ties ties = Ties::earliest;
  Ranking ranking = Ranking::competition;
  std::optional<int> decimals;  // 0 to 9; nothing: Lua numbers as they are
  std::optional<Time> opens;    // before it, submissions are refused with `closed`
  std::optional<Time> closes;   // from it on, likewise
  Join join = Join::open;
  std::string rule;  // names a rule; empty: none
  RuleFailure rule_failure = RuleFailure::refuse;
  std::optional<std::string> meta;
};

// A field's value as a script or a host writes it. `false` takes an optional field away.
using FieldValue = std::variant<std::string_view, double, bool>;

class SpecChange {
 public:
  // Takes one field. Fails when no field has that name (naming the nearest), when the field belongs
  // to an engine or a version that is not here (naming what is), or when the value is not allowed.
  Status set(std::string_view field, const FieldValue& value);

  // The spec of a new board: these fields and the defaults of the rest.
  Result<Spec> create() const;
  // The spec of a board that exists, changed by these fields. Fails when one of them describes the
  // stored order and is not as it was, naming the field and both values.
  Result<Spec> update(const Spec& standing) const;

 private:
  Spec given_;
  std::bitset<32> which_;
};

// Each field of a spec that has a value, in the order of the manual, as `info` shows it.
void each_field(const Spec& spec,
                const std::function<void(std::string_view field, const FieldValue& value)>& visit);

std::string_view word(Ranking ranking);
std::optional<Ranking> ranking_from_word(std::string_view word);
// The words that ranking_from_word takes.
std::span<const std::string_view> ranking_words();

}  // namespace laurel
