// spec_text.h - a spec as it is kept in a remote, where every server that names the board reads it.
//
//   remote   is not among its fields: each server has a name of its own for the remote.
//   absent   a field that has no value, or belongs to another engine, is not there.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "board/spec.h"
#include "remote/ask.h"

namespace laurel {

SpecText text_of(const Spec& spec);
// The same spec again, of a board in that remote. Fails with bad_data: a field that this version
// does not know, or what no spec is.
Result<Spec> spec_of(const SpecText& text, const std::string& remote);

// The first field that the change gives, that describes the stored order, and that is another
// there: "field 'order' is "asc" there and "desc" here". Nothing where there is none.
std::optional<std::string> difference(const SpecChange& change, const Spec& there);

}  // namespace laurel
