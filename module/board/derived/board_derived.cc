// Boards that are made from other boards: their rows, and the writes that they refuse.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/board.h"
#include "board/spec/spec_fields.h"
#include "engine/engine_factory.h"

namespace laurel {

Refusal Board::takes_no_writes() const {
  return {Code::unsupported,
          "board \"{}\" is made from other boards (engine \"{}\"): it takes no writes of its own",
          escaped(name_, 64), word(spec_.engine)};
}

Status Board::may_change() const {
  if (is_derived(spec_)) return takes_no_writes();
  return may_write();
}

Status Board::may_change(std::string_view player) const {
  if (is_derived(spec_)) return takes_no_writes();
  return context_.accepts(player);
}

void Board::put_derived(const Player& player, ScoreKey score, Time at) {
  auto& rows = static_cast<ScoreEngine&>(*engine_);
  const std::optional<EngineRow> held = rows.held(player, judged_);
  if (held && held->score == score && held->at == at) return;
  const ScoreKey better = held ? std::min(held->score, score) : score;
  change_row(player.id, [&] { rows.put(player, {player.id, score, at, std::nullopt}); });
  forget_top(better);
  list_changed();
}

void Board::erase_derived(const Player& player) { erase(player); }

std::unique_ptr<ScoreEngine> Board::make_derived_engine() const {
  return make_score_engine(spec_, context_.engines(), engine_space_);
}

// A loop over the entries has to hear of each row that differs.
void Board::replace_derived(std::unique_ptr<ScoreEngine> rows) {
  if (has_cursors()) return take_differences(*rows);
  const MemoryGuarantee guaranteed(0, MemoryGuarantee::Frees::yes);
  std::unique_ptr<Engine> others = std::move(rows);
  std::swap(engine_, others);
  show(engine_.get());
  context_.reclaimer.take(std::move(others));
  touched();
}

// If memory ends, some rows are as in `rows`, and the caller tries again.
void Board::take_differences(const ScoreEngine& rows) {
  std::vector<std::string> gone;
  Arena arena;
  engine_->each_packed([&](std::string_view id, std::string_view) {
    arena.clear();
    if (!rows.find(look_up(id), arena)) gone.emplace_back(id);
  });
  for (const std::string& id : gone) erase(look_up(id));
  rows.each_packed([&](std::string_view id, std::string_view) {
    arena.clear();
    const std::optional<EngineRow> row = rows.find(look_up(id), arena);
    put_derived(look_up(id), row->score, row->at);
  });
}

}  // namespace laurel
