// engine_factory.h - makes the engine that a spec names.
#pragma once

#include <memory>

#include "engine/engine.h"
#include "engine/engine_spec.h"

namespace laurel {

// How many spaces the engine of a spec uses: one, or for a sharded engine one for each shard.
SpaceNumber spaces_of(const EngineSpec& spec);
// Creates an empty engine for the spec in new spaces. REQUIRES: the kind is not `rolling`.
std::unique_ptr<ScoreEngine> make_score_engine(const EngineSpec& spec, EngineContext context);
// Creates an engine in existing spaces, `first` and those that follow. It has the rows that an
// engine of the same spec left in them; some kinds have them only after load().
std::unique_ptr<ScoreEngine> make_score_engine(const EngineSpec& spec, EngineContext context,
                                               SpaceNumber first);

}  // namespace laurel
