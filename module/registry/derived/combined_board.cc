#include "registry/derived/combined_board.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"

namespace laurel {

CombinedBoard::CombinedBoard(RegistryContext& context, Board& board)
    : DerivedBoard(board), context_(context), take_(board.spec().take), score_(board.spec()) {}

void CombinedBoard::add(SourceBoard& source) {
  const std::vector<std::string>& names = sources().names();
  const auto named = std::ranges::find(names, source.board().name());
  parts_.push_back({&source, static_cast<std::size_t>(named - names.begin())});
  // The order of their names, or, of a pattern, one that is the same after a restart.
  std::ranges::sort(parts_, {}, [](const Part& part) {
    return std::pair(part.place, part.source->board().space());
  });
  collected_.reserve(parts_.size());  // a change allocates nothing
  source.add(*this);
  all_changed();
}

void CombinedBoard::remove(const SourceBoard& source) {
  const auto is_it = [&](const Part& part) { return part.source == &source; };
  if (std::erase_if(parts_, is_it) > 0) all_changed();
}

void CombinedBoard::all_changed() {
  outdated_ = true;
  is_computed_ = false;
  rows_.outdate();
}

void CombinedBoard::present(Time now) {
  for (const Part& part : parts_) {
    Board& source = part.source->board();
    if (source.follows_clock()) source.present(now);
  }
  if (outdated_) make_anew();
}

Time CombinedBoard::next_change_at() const {
  Time next = std::numeric_limits<Time>::max();
  for (const Part& part : parts_) next = std::min(next, part.source->board().next_change_at());
  return next;
}

// Finds what the sources have of the player, in their order.
void CombinedBoard::collect(const Player& player, const Next& next) {
  collected_.clear();
  arena_.clear();
  for (const Part& part : parts_) {
    const SourceBoard& source = *part.source;
    if (takes_firsts() && source.first() != player.id) continue;
    std::optional<RowKey> row;
    if (&source == next.source) {
      row = next.row;
    } else {
      row = key_of(source.board().find_row(player, arena_));
    }
    if (!row) continue;
    collected_.push_back(
        {.source = part.place, .form = &source.form(), .score = row->score, .at = row->at});
  }
}

std::optional<RowKey> CombinedBoard::row_of(const Player& player, const Next& next) {
  collect(player, next);
  const std::optional<CombinedRow> row = score_.of(collected_);
  if (!row) return std::nullopt;
  if (row->stopped && !std::exchange(told_of_stop_, true)) {
    context_.log.warn(
        "board \"{}\": the score of player \"{}\" is beyond what a score holds, and stops there",
        escaped(board_.name(), 64), escaped(player.id, 64));
  }
  return RowKey{row->score, row->at};
}

void CombinedBoard::prefetch_player(const SourceBoard& source, PlayerHandle player) const {
  if (!follows_players()) return;
  for (const Part& part : parts_) {
    if (part.source != &source) part.source->board().prefetch_player(player);
  }
  rows_.prefetch_player(player);
}

void CombinedBoard::prefetch_row(const SourceBoard& source, PlayerHandle player) const {
  if (!follows_players()) return;
  for (const Part& part : parts_) {
    if (part.source != &source) part.source->board().prefetch_row(player);
  }
  rows_.prefetch_row(player);
}

void CombinedBoard::player_will_change(const SourceBoard& source, const Player& player,
                                       const RowKey& next) {
  if (!follows_players()) return;
  computed_ = row_of(player, {&source, next});
  is_computed_ = true;
  if (computed_) rows_.prefetch_place(computed_->score);
}

void CombinedBoard::player_changed(const Player& player) {
  if (outdated_) return;
  if (!std::exchange(is_computed_, false)) computed_ = row_of(player);
  if (computed_) {
    rows_.put(player, *computed_);
  } else {
    rows_.erase(player);
  }
}

void CombinedBoard::make_anew() {
  std::unique_ptr<ScoreEngine> rows = rows_.make();
  for (const Part& part : parts_) part.source->note_edges();
  if (takes_firsts()) {
    for (const Part& part : parts_) {
      const std::string& first = part.source->first();
      if (!first.empty()) take({first, context_.players.find(first)}, *rows);
    }
  } else if (take_ == Take::ratio) {
    if (parts_.size() == 2) {
      const auto players = [&](std::size_t i) { return parts_[i].source->board().size(); };
      take_each_of(players(0) <= players(1) ? 0 : 1, *rows);
    }
  } else {
    for (std::size_t i = 0; i < parts_.size(); ++i) take_each_of(i, *rows);
  }
  rows_.replace(std::move(rows));
  outdated_ = false;
}

// Takes the players on one source.
void CombinedBoard::take_each_of(std::size_t part, ScoreEngine& rows) {
  constexpr std::size_t kRowsAtOnce = 1024;
  const Board& source = parts_[part].source->board();
  Arena arena;
  std::vector<EngineRow> some;
  for (std::size_t first = 0; first < source.size(); first += kRowsAtOnce) {
    arena.clear();
    some.clear();
    source.rows_from(first, kRowsAtOnce, arena, some);
    for (const EngineRow& row : some) {
      take({row.player, context_.players.find(row.player)}, rows);
    }
  }
}

void CombinedBoard::take(const Player& player, ScoreEngine& rows) {
  if (rows.find(player, arena_)) return;  // it came with another source
  const std::optional<RowKey> row = row_of(player);
  if (row) rows.put(player, {player.id, row->score, row->at, std::nullopt});
}

}  // namespace laurel
