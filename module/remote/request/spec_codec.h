// spec_codec.h - a spec as text, which a remote stores for all servers that open the board.
//
//   remote  is not among its fields: each server has a name of its own for the remote.
//   absent  fields that have no value, or belong to another engine, are left out.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "board/spec/spec_change.h"
#include "remote/request/request.h"

namespace laurel {

SpecText text_of(const Spec& spec);
// The inverse of text_of(), for a board in that remote. Fails with bad_data: a field that this
// version does not know, or an invalid spec.
Result<Spec> spec_of(const SpecText& text, const std::string& remote);

// The text's values of the fields of season and admission, which may change at any time and which
// every server must follow at once: reset, zone, archive, opens, closes, duration, join, ranking,
// attempts, capacity. Compares no others.
bool same_mutable_fields(const SpecText& a, const SpecText& b);
// The spec with the text's values of them. Fails with bad_data: this version, or this machine, does
// not know a value.
Result<Spec> with_mutable_fields(const Spec& spec, const SpecText& there);

// Describes the first field that the change sets, that belongs to the stored order, and that the
// remote spec has differently: "field 'order' is "asc" in the remote and "desc" here". Nothing if
// there is none.
std::optional<std::string> difference(const SpecChange& change, const Spec& there);

}  // namespace laurel
