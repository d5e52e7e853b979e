#include "engine/engine.h"

#include <cassert>

#include "base/bytes.h"
#include "engine/capped/capped_engine.h"
#include "engine/padded/padded_engine.h"
#include "engine/paged/paged_engine.h"
#include "engine/ranked/ranked_engine.h"
#include "engine/row_codec.h"
#include "engine/sharded/sharded_engine.h"

namespace laurel {

// The place is a position in this default implementation.
void Engine::scan(std::string& place, std::size_t n, Arena& arena,
                  std::vector<EngineRow>& out) const {
  const std::size_t first = place.empty() ? 0 : number_of_sortable(place);
  const std::size_t before = out.size();
  if (first < size()) read(first, n, arena, out);
  place = sortable(first + out.size() - before);
}

std::optional<std::size_t> EngineView::read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                                   std::vector<EngineRow>& out) const {
  read(first, n, arena, out);
  return std::nullopt;
}

std::optional<std::string> ScoreEngine::pack(const Player& player) const {
  Arena arena;
  const std::optional<EngineRow> row = held(player, arena);
  if (!row) return std::nullopt;
  return pack_row(*row);
}

void ScoreEngine::unpack(const Player& player, std::string_view packed) {
  put(player, unpack_row(packed));
}

void ScoreEngine::each_packed(const PackedVisitor& visit) const {
  constexpr std::size_t kRowsAtOnce = 256;
  Arena arena;
  std::vector<EngineRow> rows;
  for (std::size_t first = 0; first < size(); first += kRowsAtOnce) {
    rows.clear();
    arena.clear();
    read(first, kRowsAtOnce, arena, rows);
    for (const EngineRow& row : rows) visit(row.player, pack_row(row));
  }
}

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
    case EngineKind::sharded: return std::make_unique<ShardedEngine>(spec, context, first);
    case EngineKind::ranked:
    case EngineKind::rolling: break;
  }
  assert(spec.engine == EngineKind::ranked && "a rolling board holds activity");
  return std::make_unique<RankedEngine>(context.players, spec.ties,
                                        Space(context.store, first).open_log());
}

}  // namespace laurel
