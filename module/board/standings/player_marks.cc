#include "board/standings/player_marks.h"

#include "base/hash.h"
#include "base/limits.h"

namespace laurel {

Players* PlayerMarks::find_table(const EngineView& engine, std::string_view id) const {
  Players* const table = engine.players_of(id);
  return table != nullptr ? table : own_.get();
}

bool PlayerMarks::has(const EngineView& engine, std::string_view id) const {
  Players* const table = find_table(engine, id);
  if (table == nullptr) return false;
  const auto found = marked_.find(table);
  return found != marked_.end() && found->second.has(table->find(id));
}

bool PlayerMarks::mark(const EngineView& engine, std::string_view id) {
  Players* table = find_table(engine, id);
  if (table == nullptr) {
    own_ = std::make_unique<Players>(HashSecret::random());
    table = own_.get();
  }
  if (table == own_.get() && own_->size() >= kCursorIdsMax) return false;
  const PlayerHandle player = table->hold(id);
  if (!marked_[table].add(player)) table->release(player);
  return true;
}

bool PlayerMarks::unmark(const EngineView& engine, std::string_view id) {
  Players* const table = find_table(engine, id);
  const auto found = marked_.find(table);
  if (found == marked_.end()) return false;
  const PlayerHandle player = table->find(id);
  if (player == kNoPlayer || !found->second.remove(player)) return false;
  table->release(player);
  return true;
}

std::string_view PlayerMarks::first(Arena& arena) const {
  for (const auto& [table, players] : marked_) {
    const PlayerHandle player = players.first();
    if (player == kNoPlayer) continue;
    const IdText id = table->id(player);
    return arena.keep(id);
  }
  return {};
}

void PlayerMarks::clear() {
  for (auto& [table, players] : marked_) {
    for (PlayerHandle player = players.first(); player != kNoPlayer; player = players.first()) {
      players.remove(player);
      table->release(player);
    }
  }
  marked_.clear();
}

}  // namespace laurel
