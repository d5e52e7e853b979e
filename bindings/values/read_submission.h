// read_submission.h - reads a submission from the arguments of a call.
#pragma once

#include "bindings/lua/args.h"
#include "bindings/values/column_values.h"
#include "board/standings/change.h"

namespace laurel {

// Arguments (player, score [, data [, at [, id]]]) into an empty submission. The views are valid
// while these are on the stack. `values` is as in read_score().
[[gnu::always_inline]] inline void read_submission(const Call& call, Submission& out,
                                                   ColumnValues& values) {
  out.player = call.string(1);
  read_score(call, 2, out, values);
  if (call.arguments() > 2) {
    out.data = call.optional_string(3);
    out.at = call.optional_number(4);
    out.id = call.optional_string(5);
  }
}

}  // namespace laurel
