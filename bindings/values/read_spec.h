// read_spec.h - reads the fields of a board from a table, as scripts give them to boards:board.
#pragma once

#include "base/result.h"
#include "bindings/lua/args.h"
#include "board/spec/spec_change.h"

namespace laurel {

// Reads the argument, a table, up to the first field that is refused. Fails with invalid, naming
// the field and what it takes. Never raises.
Status read_spec(const Call& call, int argument, SpecChange& out);

}  // namespace laurel
