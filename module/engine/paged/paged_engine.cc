#include "engine/paged/paged_engine.h"

#include <cassert>
#include <new>

#include "base/invariant.h"
#include "base/memory_guarantee.h"

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
      notes_max_(sizes.notes),
      tree_(space, reader, spec.ties, sizes, reads),
      notes_(space.store().is_durable() ? std::optional<ChangeBuffer>(std::in_place, space, reader)
                                        : std::nullopt),
      players_(space, reader, notes_ ? &*notes_ : nullptr, reads) {}

std::unique_ptr<const PagedEngine> PagedEngine::at(const EngineSpec& spec, const Space& space,
                                                   const Reader& snapshot, EngineReads& reads,
                                                   const PagedSizes& sizes) {
  std::unique_ptr<PagedEngine> engine(new PagedEngine(spec, space, snapshot, reads, sizes));
  engine->load([](std::size_t) {});
  return engine;
}

// Brings the pages up to date with the players' rows.
void PagedEngine::load(const LoadProgress& progress) {
  if (!notes_) return;
  std::size_t rows = 0;
  notes_->load([&](std::string_view player, const std::optional<EngineRow>& in_pages) {
    const std::optional<PlayerRows::Held> held = players_.find(player);
    if (in_pages) tree_.erase(*in_pages);
    if (held) tree_.insert(held->row);
    if (++rows % kRowsPerProgress == 0) progress(kRowsPerProgress);
  });
  progress(rows % kRowsPerProgress);
}

std::optional<EngineRow> PagedEngine::find(const Player& player, Arena& arena) const {
  const std::optional<PlayerRows::Held> held = players_.find(player.id);
  if (!held) return std::nullopt;
  EngineRow row = held->row;
  row.player = arena.keep(row.player);
  if (row.data) row.data = arena.keep(*row.data);
  return row;
}

std::optional<std::size_t> PagedEngine::position(const Player& player) const {
  const std::optional<PlayerRows::Held> held = players_.find(player.id);
  if (!held) return std::nullopt;
  return tree_.rows_before(held->row);
}

std::optional<Rank> PagedEngine::rank(const Player& player, Ranking ranking) const {
  const std::optional<PlayerRows::Held> held = players_.find(player.id);
  if (!held) return std::nullopt;
  const EngineRow& row = held->row;
  return rank_of_row(ranking, *this, row.score, [&] { return tree_.rows_before(row); });
}

Rank PagedEngine::rank_of_newcomer(ScoreKey score, Ranking ranking) const {
  return laurel::rank_of_newcomer(ranking, ties_, *this, score);
}

void PagedEngine::put(const Player& player, const EngineRow& row) {
  const std::optional<PlayerRows::Held> held = players_.find(player.id);
  if (held) tree_.erase(held->row);
  EngineRow placed = row;
  placed.player = player.id;
  tree_.insert(placed);
  players_.put(placed, held);
  write_some_if_much();
}

bool PagedEngine::erase(const Player& player) {
  const std::optional<PlayerRows::Held> held = players_.find(player.id);
  if (!held) return false;
  tree_.erase(held->row);
  players_.erase(player.id, *held);
  write_some_if_much();
  return true;
}

// A change does not depend on this: if there is no memory for a write of pages, a later change
// tries again.
void PagedEngine::write_some_if_much() {
  const MemoryGuarantee::Suspension suspended;
  try {
    write_some();
  } catch (const std::bad_alloc&) {
  }
}

// A durable store already has each row, so pages may be written at any time. In a memory store the
// rows wait for their pages.
void PagedEngine::write_some() {
  if (!notes_) {
    if (tree_.changed_bytes() + players_.bytes() > changed_bytes_max_) write_back();
    return;
  }
  const bool much = tree_.changed_bytes() > changed_bytes_max_;
  if (writes_ && (much || notes_->count() >= notes_max_)) end_write();
  if (!writes_ && (much || notes_->count() >= notes_max_ / 4 * 3)) begin_write();
  if (writes_ && !tree_.write_some(kPagedNodesPerCall)) end_write();
  notes_->erase_some(kReclaimStepsPerCall);
}

void PagedEngine::begin_write() {
  const MemoryGuarantee guaranteed(2 * tree_.changed_bytes());
  if (notes_) notes_->begin_generation();
  tree_.begin_write(batch_);
  writes_ = true;
}

// The batch is written to a store, which copies it and may keep a second copy to be read.
void PagedEngine::end_write() {
  const MemoryGuarantee guaranteed(4 * (batch_.bytes() + tree_.changed_bytes() + players_.bytes()));
  tree_.write_some(SIZE_MAX);
  players_.write(batch_);
  if (notes_ && notes_->count() > notes_->count_present()) notes_->retire(batch_);
  if (!batch_.empty()) space_.store().write(batch_);
  batch_ = Batch();
  tree_.end_write();
  writes_ = false;
}

void PagedEngine::write_back() {
  if (writes_) end_write();
  begin_write();
  end_write();
}

// Memory is freed first: a pending row costs about as much as an entry of the store, a node about
// twenty.
bool PagedEngine::dismantle(std::size_t rows) {
  constexpr std::size_t kRowsANode = 20;
  if (players_.forget_some(rows)) return true;
  if (tree_.forget_some(rows / kRowsANode + 1)) return true;
  return space_.erase_some(rows);
}

void PagedEngine::check() const {
  tree_.check();
  if (notes_) notes_->check();
  must(players_.count() == size(), "not every player has a row, or a player has one too many");
  Arena arena;
  std::vector<EngineRow> rows;
  tree_.read(0, size(), arena, rows);
  for (const EngineRow& row : rows) {
    const std::optional<PlayerRows::Held> held = players_.find(row.player);
    must(held && held->row.score == row.score && held->row.at == row.at &&
             held->row.data == row.data,
         "a player's row is not the one of the entry set");
  }
}

}  // namespace laurel
