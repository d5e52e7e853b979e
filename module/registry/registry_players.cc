#include <algorithm>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "registry/registry.h"

namespace laurel {

// Brings all boards up to date; returns how many orders have an entry of the player, or follow one.
std::size_t Registry::present_all_with(std::string_view player) {
  std::size_t boards = 0;
  each_board(
      [&](Board& board) { boards += present(board).has_entry_of(player) ? board.orders() : 0; });
  return boards;
}

Result<bool> Registry::ban(std::string_view player) {
  if (const Status open = context_.accepts(player); !open) return open.refusal();
  return restore_ban(player);
}

bool Registry::restore_ban(std::string_view player) {
  const MemoryGuarantee guaranteed(present_all_with(player) * kMemoryPerBoardBytes +
                                   known_tops_.bytes_to_forget(player));
  if (remotes_) remotes_->ban(player);
  known_tops_.forget(player);
  bool changed = context_.banned.insert(player);
  each_board([&](Board& board) {
    const bool was_pardoned = !board.is_banned(context_.players.find(player));
    board.clear_ban(player);
    board.follow_registry_ban(player);
    changed = changed || was_pardoned;
  });
  return changed;
}

Result<bool> Registry::unban(std::string_view player) {
  if (const Status open = context_.accepts(player); !open) return open.refusal();
  const MemoryGuarantee guaranteed(present_all_with(player) * kMemoryPerBoardBytes);
  if (remotes_) remotes_->unban(player);
  const PlayerHandle handle = context_.players.find(player);
  bool changed = context_.banned.contains(handle);
  each_board([&](const Board& board) { changed = changed || board.is_banned(handle); });
  if (!changed) return false;
  // The registry's ban is removed first, while the boards' entries still hold the player's handle.
  context_.banned.erase(handle);
  each_board([&](Board& board) {
    board.clear_ban(player);
    board.follow_registry_ban(player);
  });
  return true;
}

Result<std::size_t> Registry::forget(std::string_view player) {
  if (const Status open = context_.accepts(player); !open) return open.refusal();
  const MemoryGuarantee guaranteed(present_all_with(player) * kMemoryPerBoardBytes +
                                   known_tops_.bytes_to_forget(player));
  // First, since a player of very many sessions may need more than the reserve: then only sessions
  // are gone, and the next call continues.
  sessions_.forget(player);
  std::size_t entries = 0;
  each_board([&](Board& board) { entries += board.forget(player); });
  context_.banned.erase(context_.players.find(player));
  profiles_.forget(player);
  if (remotes_) remotes_->forget(player);
  known_tops_.forget(player);
  for (const auto& [id, attached] : observers_) attached.observer->on_forget(player);
  return entries;
}

std::vector<std::string> Registry::banned() const {
  std::vector<std::string> ids;
  context_.banned.each(
      [&](PlayerHandle player) { ids.push_back(context_.players.id(player).str()); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<Registry::ScoreOf> Registry::scores_of(std::string_view player) const {
  std::vector<ScoreOf> scores;
  for (const auto& [name, slot] : by_name_) {
    if (slots_[slot].board->lists_groups()) continue;
    const Board& board = present(*slots_[slot].board);
    const std::optional<Entry> entry = board.get(player);
    if (!entry) continue;
    scores.push_back({.board = std::string(name),
                      .season = board.season().number,
                      .score = entry->score,
                      .rank = entry->rank,
                      .at = entry->at,
                      .columns = board.columns()});
  }
  return scores;
}

}  // namespace laurel
