// Bans, the entries that they hide, and players who are forgotten.
#include <algorithm>
#include <utility>

#include "base/memory_guarantee.h"
#include "board/board.h"
#include "board/results/board_results.h"
#include "board/spec/spec_fields.h"

namespace laurel {

Result<bool> Board::ban(std::string_view id) {
  if (const Status open = may_change(id); !open) return open.refusal();
  if (is_banned(context_.players.find(id))) return false;
  const MemoryGuarantee guaranteed;
  membership_.add(Membership::List::banned, id);
  membership_.remove(Membership::List::pardoned, context_.players.find(id));
  hide(look_up(id));
  return true;
}

Result<bool> Board::unban(std::string_view id) {
  if (const Status open = may_change(id); !open) return open.refusal();
  const PlayerHandle player = context_.players.find(id);
  if (!is_banned(player)) return false;
  const MemoryGuarantee guaranteed;
  if (context_.banned.contains(player)) membership_.add(Membership::List::pardoned, id);
  unhide(id);
  membership_.remove(Membership::List::banned, player);
  return true;
}

void Board::follow_registry_ban(std::string_view id) {
  if (is_derived(*spec_)) return;  // it follows its sources
  const Player player = look_up(id);
  if (is_banned(player.handle)) {
    hide(player);
  } else {
    unhide(id);
  }
}

void Board::clear_ban(std::string_view id) {
  const PlayerHandle player = context_.players.find(id);
  membership_.remove(Membership::List::banned, player);
  membership_.remove(Membership::List::pardoned, player);
}

std::vector<std::string> Board::banned() const {
  std::vector<std::string> ids;
  const auto list = [&](PlayerHandle player) {
    if (is_banned(player)) ids.push_back(context_.players.id(player).str());
  };
  membership_.each(Membership::List::banned, list);
  std::as_const(context_.banned).each(list);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

bool Board::has_entry_of(std::string_view id) const {
  const Player player = look_up(id);
  if (membership_.hidden(player.handle) != nullptr) return true;
  if (has_place_of(id)) return true;
  return engine_->pack(player).has_value() || past_.entries_of(id) > 0;
}

std::size_t Board::forget(std::string_view id) {
  if (is_derived(*spec_)) return 0;  // the sources have what there is to forget
  std::size_t entries = membership_.drop_hidden(context_.players.find(id)) ? 1 : 0;
  if (erase(look_up(id))) ++entries;
  entries += past_.forget(id);
  for (const Membership::List list : Membership::kEveryList) {
    membership_.remove(list, context_.players.find(id));
  }
  const auto is_theirs = [&](const Change& change) { return change.player == id; };
  if (pending_) std::erase_if(*pending_, is_theirs);
  if (results_) results_->forget(id);
  forget_mark(id);
  forget_places(id);
  return entries;
}

void Board::hide(const Player& player) {
  std::optional<std::string> packed = engine_->pack(player);
  if (!packed) return;
  membership_.hide(player.id, *packed);
  erase(player);
}

void Board::unhide(std::string_view id) {
  const Player player = look_up(id);
  const std::string* const packed = membership_.hidden(player.handle);
  if (packed == nullptr) return;
  change_row(player, [&] { engine_->unpack(player, *packed); });
  membership_.drop_hidden(player.handle);
  touched();
}

}  // namespace laurel
