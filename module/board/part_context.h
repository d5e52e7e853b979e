// part_context.h - what a board gives to a part that keeps something in the store beside the
// entries: results, marks and cohorts. All of it outlives the part.
#pragma once

#include "board/reclaimer.h"
#include "engine/engine.h"
#include "store/space.h"

namespace laurel {

struct PartContext {
  EngineContext engines;
  Reclaimer& reclaimer;
  Space board;  // the board's space
};

}  // namespace laurel
