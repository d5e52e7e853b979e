// What a board holds of a player, and moving it to another id.
#include <utility>

#include "board/board.h"
#include "board/marks/board_marks.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"

namespace laurel {

std::size_t Board::traces_of(std::string_view id) const {
  if (is_derived(*spec_)) return 0;  // the sources hold what it shows
  const Player player = look_up(id);
  std::size_t traces = membership_.hidden(player.handle) != nullptr ? 1 : 0;
  if (engine_->pack(player)) ++traces;
  traces += past_.entries_of(id);
  for (const Membership::List list : Membership::kEveryList) {
    if (membership_.has(list, player.handle)) ++traces;
  }
  if (results_ && results_->has(id)) ++traces;
  if (marks_ && marks_->has(player)) ++traces;
  if (has_place_of(id)) ++traces;
  return traces;
}

void Board::rename(std::string_view from, std::string_view to) {
  if (is_derived(*spec_)) return;  // it follows its sources
  const std::optional<std::string> held = engine_->pack(look_up(from));
  if (held) erase(look_up(from));
  if (cohorts_) cohorts_->rename(from, to);
  if (held) {
    change_row({to}, [&] { engine_->unpack(look_up(to), *held); });
    touched();
  }
  if (const std::string* const hidden = membership_.hidden(context_.players.find(from))) {
    const std::string packed = *hidden;
    membership_.drop_hidden(context_.players.find(from));
    membership_.hide(to, packed);
  }
  past_.rename(from, to);
  for (const Membership::List list : Membership::kEveryList) {
    if (membership_.remove(list, context_.players.find(from))) membership_.add(list, to);
  }
  rename_in_mark(from, to);
  if (results_) results_->rename(from, to);
  if (!pending_) return;
  for (Change& change : *pending_) {
    if (change.player == from) change.player = to;
  }
}

}  // namespace laurel
