#include "bindings/values/entry_extras.h"

#include "base/limits.h"

namespace laurel {

namespace {

template <typename T>
void empty_list(std::vector<T>& list) {
  list.clear();
  if (list.capacity() > kListItemsKept) std::vector<T>().swap(list);
}

void read_names(Registry& registry, const Entries& entries, EntryExtras& extras) {
  Names& names = registry.names_of_players();
  if (!names.any() || extras.of_groups) return;
  extras.names.reserve(entries.size());
  for (const Entry& entry : entries) {
    const std::string_view name = names.find(entry.player);
    extras.names.push_back(name.empty() ? name : extras.arena.keep(name));
  }
}

void read_scores(const Registry& registry, const Entries& entries, EntryExtras& extras) {
  std::vector<const Board*> boards;
  boards.reserve(extras.boards.size());
  for (const std::string& name : extras.boards) {
    const std::optional<BoardHandle> handle = registry.find(name);
    const Board* const board = handle ? registry.get(*handle) : nullptr;
    boards.push_back(board);
    extras.columns_of.push_back(board == nullptr ? nullptr : board->columns());
  }
  extras.scores.reserve(entries.size() * boards.size());
  for (const Entry& entry : entries) {
    for (const Board* const board : boards) {
      const bool holds = board != nullptr && board->lists_groups() == extras.of_groups;
      extras.scores.push_back(holds ? board->score(entry.player) : std::nullopt);
    }
  }
}

}  // namespace

void EntryExtras::read_of_board(const Standings& board, const Entries& entries) {
  columns = board.columns();
  of_groups = board.lists_groups();
  rank_changes.clear();
  const auto changes = board.rank_changes(entries, rank_changes);
  if (changes.data() != rank_changes.data()) rank_changes.assign(changes.begin(), changes.end());
}

void EntryExtras::read(Registry& registry, const Entries& entries) {
  names.clear();
  scores.clear();
  columns_of.clear();
  if (entries.empty()) return;
  read_names(registry, entries, *this);
  if (!boards.empty()) read_scores(registry, entries, *this);
}

void EntryExtras::clear() {
  empty_list(names);
  boards.clear();
  columns_of.clear();
  columns.reset();
  with = false;
  of_groups = false;
  empty_list(scores);
  empty_list(rank_changes);
  arena.clear();
}

}  // namespace laurel
