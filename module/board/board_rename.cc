// What a board holds of a player, and moving it to another id.
#include <algorithm>
#include <utility>

#include "board/board.h"
#include "board/marks/board_marks.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"

namespace laurel {

std::size_t Board::traces_of(std::string_view id) const {
  if (is_derived(spec_)) return 0;  // the sources hold what it shows
  const Player player = look_up(id);
  const auto holds = [&](const Engine& engine) { return engine.pack(player) ? 1 : 0; };
  std::size_t traces = hidden_ && hidden_->find(player.handle) != nullptr ? 1 : 0;
  traces += holds(*engine_);
  for (const auto& season : archives_) traces += holds(std::as_const(*season).engine());
  for (const PlayerSet* set : {&joined_, &banned_, &ban_exempt_}) {
    if (set->contains(player.handle)) ++traces;
  }
  if (results_ && results_->has(id)) ++traces;
  if (marks_ && marks_->has(player)) ++traces;
  if (has_place_of(id)) ++traces;
  return traces;
}

const ArchivedSeason* Board::season_in_copy_with(std::string_view id) const {
  if (is_derived(spec_)) return nullptr;
  const auto found = std::ranges::find_if(archives_, [&](const auto& season) {
    return season->to_copy() && std::as_const(*season).engine().pack(look_up(id));
  });
  return found == archives_.end() ? nullptr : found->get();
}

void Board::rename(std::string_view from, std::string_view to) {
  if (is_derived(spec_)) return;  // it follows its sources
  const std::optional<std::string> held = engine_->pack(look_up(from));
  if (held) erase(look_up(from));
  if (cohorts_) cohorts_->rename(from, to);
  if (held) {
    change_row({to}, [&] { engine_->unpack(look_up(to), *held); });
    touched();
  }
  if (const std::optional<std::string> packed = hidden_of(from)) {
    drop_hidden(context_.players.find(from));
    hidden_rows_.put(to, *packed);
    hold_hidden(to, *packed);
  }
  for (const auto& season : archives_) {
    if (season->rename(from, to)) restart_copy(*season);
  }
  for (PlayerSet* set : {&joined_, &banned_, &ban_exempt_}) {
    if (set->erase(context_.players.find(from))) set->insert(to);
  }
  rename_in_mark(from, to);
  if (results_) results_->rename(from, to);
  if (!pending_) return;
  for (Change& change : *pending_) {
    if (change.player == from) change.player = to;
  }
}

std::optional<std::string> Board::hidden_of(std::string_view id) const {
  if (!hidden_) return std::nullopt;
  const std::string* const packed = hidden_->find(context_.players.find(id));
  return packed == nullptr ? std::nullopt : std::optional(*packed);
}

}  // namespace laurel
