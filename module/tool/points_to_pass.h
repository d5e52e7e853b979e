// points_to_pass.h - what a player lacks to be above the next one.
#pragma once

#include "board/spec/spec.h"
#include "board/standings/change.h"
#include "transfer/json_line.h"

namespace laurel::tool {

// The smallest difference, as JSON, that ranks `entry` above `next` if it is added to the score
// now: negative on a board where low scores win, a number for each column on a board with columns.
// Null if no score is better than that of `next`. REQUIRES: `next` is above `entry`.
Json points_to_pass(const Spec& spec, const Entry& entry, const Entry& next);

}  // namespace laurel::tool
