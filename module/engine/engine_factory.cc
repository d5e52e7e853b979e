#include "engine/engine_factory.h"

#include <cassert>

#include "engine/capped/capped_engine.h"
#include "engine/padded/padded_engine.h"
#include "engine/paged/paged_engine.h"
#include "engine/ranked/ranked_engine.h"
#include "engine/sharded/sharded_engine.h"

namespace laurel {

SpaceNumber spaces_of(const EngineSpec& spec) {
  return spec.engine == EngineKind::sharded ? spec.shards : 1;
}

std::unique_ptr<ScoreEngine> make_score_engine(const EngineSpec& spec, EngineContext context) {
  const SpaceNumber first = context.last_space + 1;
  context.last_space += spaces_of(spec);
  return make_score_engine(spec, context, first);
}

std::unique_ptr<ScoreEngine> make_score_engine(const EngineSpec& spec, EngineContext context,
                                               SpaceNumber first) {
  switch (spec.engine) {
    case EngineKind::capped: return std::make_unique<CappedEngine>(spec, context, first);
    case EngineKind::padded: return std::make_unique<PaddedEngine>(spec, context, first);
    case EngineKind::paged: return std::make_unique<PagedEngine>(spec, context, first);
    case EngineKind::sharded:
      return std::make_unique<ShardedEngine>(spec, context, first, MakeEngine{make_score_engine});
    case EngineKind::combined: return std::make_unique<RankedEngine>(context.players, spec.ties);
    case EngineKind::ranked:
    case EngineKind::groups:
    case EngineKind::rolling: break;
  }
  assert(spec.engine != EngineKind::rolling && "a rolling board holds activity");
  return std::make_unique<RankedEngine>(context.players, spec.ties,
                                        Space(context.store, first).open_buffer());
}

}  // namespace laurel
