#include "engine/engine.h"

#include "base/bytes.h"
#include "engine/row_codec.h"

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

std::string ScoreEngine::repacked(std::string_view packed,
                                  const std::optional<std::string_view>& data) const {
  EngineRow row = unpack_row(packed);
  row.data = data;
  return pack_row(row);
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

}  // namespace laurel
