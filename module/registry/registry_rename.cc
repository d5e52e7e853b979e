// Moving everything of a player to another id.
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/validate.h"
#include "registry/registry.h"

namespace laurel {

// Brings all boards up to date; returns how many things boards and the registry hold of the player.
std::size_t Registry::traces_of(std::string_view player) {
  std::size_t traces = 0;
  each_board([&](Board& board) { traces += present(board).traces_of(player); });
  if (context_.banned.contains(context_.players.find(player))) ++traces;
  if (profiles_.get(player)) ++traces;
  if (!sessions_.of_player(player, 1).empty()) ++traces;
  return traces;
}

// A copy that has begun would keep the player under both ids.
Status Registry::check_copies(std::string_view player) const {
  for (const Board* const board : context_.to_copy) {
    if (const ArchivedSeason* const season = board->past_seasons().in_copy_with(player)) {
      return Refusal(
          Code::unavailable,
          "season {} of board \"{}\", with player \"{}\", is being copied to the archive; "
          "try again later",
          season->season().number, escaped(board->name(), 64), escaped(player, 64));
    }
  }
  return Done{};
}

Result<bool> Registry::rename(std::string_view from, std::string_view to) {
  if (const Status open = context_.accepts(from); !open) return open.refusal();
  if (const Status valid = check_player(to); !valid) return valid.refusal();
  if (remotes_) {
    if (const Status may = remotes_->may_rename(); !may) return may.refusal();
  }
  const std::size_t traces = traces_of(from);
  if (traces == 0) return false;
  if (traces_of(to) > 0) {
    return Refusal(Code::taken,
                   "player \"{}\" is known here; a player is renamed to an id that has nothing",
                   escaped(to, 64));
  }
  if (const Status copied = check_copies(from); !copied) return copied.refusal();
  const MemoryGuarantee guaranteed(traces * kMemoryPerBoardBytes + sessions_.rename_bytes(from));
  each_board([&](Board& board) { board.rename(from, to); });
  if (context_.banned.erase(context_.players.find(from))) context_.banned.insert(to);
  sessions_.rename(from, to);
  profiles_.rename(from, to);
  for (const auto& [id, attached] : observers_) attached.observer->on_rename(from, to);
  return true;
}

}  // namespace laurel
