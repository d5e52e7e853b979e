// spec_change.h - makes and changes specs: fields are set one by one, then checked together.
//
// A field that is not given stays as it was. Refusals are `invalid` (an impossible configuration,
// raised as an error in scripts), or `unsupported` (this engine cannot do it, another can).
#pragma once

#include <bitset>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "board/spec/spec.h"

namespace laurel {

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
  // Whether this field is given, and the given fields with defaults for the others.
  bool gives(std::string_view field) const;
  const Spec& given() const { return given_; }
  // The given remote; empty if none is given.
  const std::string& remote() const { return given_.remote; }
  // The given rule; empty if none is given.
  const std::string& rule() const { return given_.rule; }
  // Visits the given fields in the order of the manual; `false` for a removed one.
  void each_given(
      const std::function<void(std::string_view field, const FieldValue& value)>& visit) const;

 private:
  Status check_window(const RollingWindow& before) const;
  Status check_fields(const Spec& spec) const;

  Spec given_;
  std::bitset<64> which_;
};

// Visits the fields that have a value and belong to the engine, in the order of the manual, as
// `info` shows them.
void each_field(const Spec& spec,
                const std::function<void(std::string_view field, const FieldValue& value)>& visit);
// As each_field(), for the store, exports and remotes: without `days` if there is a `window`, which
// says the same, and without the defaults of fields that earlier versions do not know: the zone
// UTC, no history, no journal.
void each_stored_field(
    const Spec& spec,
    const std::function<void(std::string_view field, const FieldValue& value)>& visit);

}  // namespace laurel
