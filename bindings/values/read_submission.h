// read_submission.h - reads a submission from the arguments of a call.
#pragma once

#include "bindings/lua/args.h"
#include "board/standings/change.h"

namespace laurel {

// Arguments (player, score [, data [, at]]). The views are valid while these are on the stack.
inline Submission submission_of(const Call& call) {
  Submission submission{.player = call.string(1), .score = call.number(2)};
  if (call.arguments() > 2) {
    submission.data = call.optional_string(3);
    submission.at = call.optional_number(4);
  }
  return submission;
}

}  // namespace laurel
