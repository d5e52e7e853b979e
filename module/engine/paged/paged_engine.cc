#include "engine/paged/paged_engine.h"

#include <cassert>

#include "rank/invariant.h"

namespace laurel {

PagedEngine::PagedEngine(const EngineSpec& spec, EngineContext context, const PagedSizes& sizes)
    : PagedEngine(spec, context, ++context.last_space, sizes) {}

PagedEngine::PagedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space,
                         const PagedSizes& sizes)
    : PagedEngine(spec, Space(context.store, space), context.store, context.reads, sizes) {}

PagedEngine::PagedEngine(const EngineSpec& spec, const Space& space, const Reader& reader,
                         EngineReads& reads, const PagedSizes& sizes)
    : space_(space),
      ties_(spec.ties),
      changed_bytes_max_(sizes.cache_bytes / 4 * 3),
      tree_(space, reader, spec.ties, sizes, reads),
      players_(space, reader, reads) {}

std::unique_ptr<const PagedEngine> PagedEngine::at(const EngineSpec& spec, const Space& space,
                                                   const Reader& snapshot, EngineReads& reads,
                                                   const PagedSizes& sizes) {
  return std::unique_ptr<const PagedEngine>(new PagedEngine(spec, space, snapshot, reads, sizes));
}

std::optional<EngineRow> PagedEngine::find(const Player& player, Arena& arena) const {
  std::optional<EngineRow> row = players_.find(player.id);
  if (!row) return std::nullopt;
  row->player = arena.keep(row->player);
  if (row->data) row->data = arena.keep(*row->data);
  return row;
}

std::optional<std::size_t> PagedEngine::position(const Player& player) const {
  const std::optional<EngineRow> row = players_.find(player.id);
  if (!row) return std::nullopt;
  return tree_.rows_before(*row);
}

std::optional<std::uint64_t> PagedEngine::rank(const Player& player, Ranking ranking) const {
  const std::optional<EngineRow> row = players_.find(player.id);
  if (!row) return std::nullopt;
  RankCounts counts;
  switch (ranking) {
    case Ranking::competition: counts.better = tree_.rows_better(row->score); break;
    case Ranking::modified: counts.not_worse = tree_.rows_not_worse(row->score); break;
    case Ranking::dense: counts.distinct_better = tree_.distinct_better(row->score); break;
    case Ranking::ordinal: counts.position = tree_.rows_before(*row); break;
  }
  return rank_of_row(ranking, counts);
}

std::uint64_t PagedEngine::rank_of_newcomer(ScoreKey score, Ranking ranking) const {
  RankCounts counts;
  switch (ranking) {
    case Ranking::competition: counts.better = tree_.rows_better(score); break;
    case Ranking::modified: counts.not_worse = tree_.rows_not_worse(score); break;
    case Ranking::dense: counts.distinct_better = tree_.distinct_better(score); break;
    case Ranking::ordinal:
      if (ties_ == Ties::latest) {
        counts.better = tree_.rows_better(score);
      } else {
        counts.not_worse = tree_.rows_not_worse(score);
      }
      break;
  }
  return laurel::rank_of_newcomer(ranking, ties_, counts);
}

void PagedEngine::put(const Player& player, const EngineRow& row) {
  if (const std::optional<EngineRow> held = players_.find(player.id)) tree_.erase(*held);
  EngineRow placed = row;
  placed.player = player.id;
  tree_.insert(placed);
  players_.put(placed);
  write_back_if_much();
}

bool PagedEngine::erase(const Player& player) {
  const std::optional<EngineRow> held = players_.find(player.id);
  if (!held) return false;
  tree_.erase(*held);
  players_.erase(player.id);
  write_back_if_much();
  return true;
}

void PagedEngine::write_back_if_much() {
  if (tree_.changed_bytes() + players_.bytes() > changed_bytes_max_) write_back();
}

void PagedEngine::write_back() {
  Batch batch;
  tree_.write(batch);
  players_.write(batch);
  if (!batch.empty()) space_.store().write(batch);
}

// Memory first: a player's row there costs as much as an entry of the store, a whole node as some
// twenty.
bool PagedEngine::dismantle(std::size_t rows) {
  constexpr std::size_t kRowsANode = 20;
  if (players_.forget_some(rows)) return true;
  if (tree_.forget_some(rows / kRowsANode + 1)) return true;
  return space_.erase_some(rows);
}

void PagedEngine::check() const {
  tree_.check();
  must(players_.count() == size(), "not every player has a row, or a player has one too many");
  Arena arena;
  std::vector<EngineRow> rows;
  tree_.read(0, size(), arena, rows);
  for (const EngineRow& row : rows) {
    const std::optional<EngineRow> held = players_.find(row.player);
    must(held && held->score == row.score && held->at == row.at && held->data == row.data,
         "a player's row is not the one of the entry set");
  }
}

}  // namespace laurel
