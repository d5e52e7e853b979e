#include "registry/watch.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "board/board.h"
#include "board/board_window.h"

namespace laurel {

namespace {

// A script's callback gets the event as tables, which are made inside the call: about this long for
// each entry.
constexpr std::int64_t kNanosecondsPerEntry = 1000;

std::int64_t cost_of(const WatchEvent& event) {
  const std::size_t entries =
      event.top->entries.size() + event.entered.size() + event.left.size() + event.moved.size();
  return static_cast<std::int64_t>(entries) * kNanosecondsPerEntry;
}

// Looks at watches that are nothing to tell of, until the time is looked at.
constexpr int kLooks = 256;

WindowPtr named_window(const Board& board, const std::optional<SegmentName>& segment, std::size_t n,
                       Names& names) {
  const std::shared_ptr<Window> window = top_window(board, segment, n, {.data = true});
  names.fill(*window);
  return window;
}

}  // namespace

WatchEvent compare_windows(const std::string& board, const Window& before, WindowPtr after) {
  WatchEvent event{.board = board, .top = std::move(after), .entered = {}, .left = {}, .moved = {}};
  std::unordered_map<std::string_view, const WindowEntry*> gone;
  for (const WindowEntry& entry : before.entries) gone.emplace(entry.player, &entry);

  for (const WindowEntry& entry : event.top->entries) {
    const auto found = gone.find(entry.player);
    if (found == gone.end()) {
      event.entered.push_back(entry);
      continue;
    }
    const WindowEntry& was = *found->second;
    if (was.score != entry.score || was.rank != entry.rank) {
      event.moved.push_back({entry, was.score, was.rank});
    }
    gone.erase(found);
  }
  for (const WindowEntry& entry : before.entries) {
    if (gone.contains(entry.player)) event.left.push_back(entry);
  }
  return event;
}

WatchId Watches::add(std::uint32_t slot, std::uint32_t generation, const Board& board,
                     const std::optional<SegmentName>& segment, std::size_t n, Names& names,
                     WatchCallback callback) {
  auto watch = std::make_shared<Watch>();
  watch->id = ++last_id_;
  watch->slot = slot;
  watch->generation = generation;
  watch->segment = segment;
  watch->n = n;
  watch->told = named_window(board, segment, n, names);
  watch->renames = names.renames();
  watch->callback = std::move(callback);
  const auto entry = boards_.try_emplace(&board).first;
  if (entry->second.watches.empty()) {
    entry->second.version = board.version();
    entry->second.next_change_at = board.next_change_at();
    deadlines_.emplace(entry->second.next_change_at, &board);
  }
  if (watches_.empty()) renames_ = watch->renames;
  entry->second.watches.emplace(watch->id, watch);
  watches_.emplace(last_id_, Place{&board, std::move(watch)});
  return last_id_;
}

void Watches::remove(WatchId id) {
  const auto ended = watches_.extract(id);
  if (ended.empty()) return;
  ended.mapped().watch->id = 0;  // outdated_ may still have it
  const auto entry = boards_.find(ended.mapped().board);
  entry->second.watches.erase(id);
  if (entry->second.watches.empty()) forget_board(entry);
}

void Watches::remove_board(const Board& board) {
  const auto entry = boards_.find(&board);
  if (entry == boards_.end()) return;
  for (const auto& [id, watch] : entry->second.watches) {
    watch->id = 0;
    watches_.erase(id);
  }
  forget_board(entry);
}

void Watches::forget_board(WatchedBoards::iterator entry) {
  deadlines_.erase({entry->second.next_change_at, entry->first});
  boards_.erase(entry);
}

void Watches::clear() {
  for (const auto& [id, place] : watches_) place.watch->id = 0;
  watches_.clear();
  boards_.clear();
  deadlines_.clear();
  outdated_.clear();
}

void Watches::outdate(const Board& board) {
  const auto entry = boards_.find(&board);
  if (entry == boards_.end()) return;
  keep_deadline(*entry);
  if (std::exchange(entry->second.version, board.version()) != board.version()) outdate(*entry);
}

void Watches::outdate(WatchedBoards::value_type& entry) {
  Watched& watched = entry.second;
  if (!std::exchange(watched.outdated, true)) {
    outdated_.push_back(entry.first);
  } else if (watched.looked_to > 0) {
    watched.again = true;
  }
}

// Its last watch was looked at.
void Watches::end_outdated(WatchedBoards::value_type& entry) {
  outdated_.pop_front();
  entry.second.outdated = false;
  entry.second.looked_to = 0;
  if (std::exchange(entry.second.again, false)) outdate(entry);
}

void Watches::keep_deadline(WatchedBoards::value_type& entry) {
  auto& [board, watched] = entry;
  if (watched.next_change_at == board->next_change_at()) return;
  deadlines_.erase({watched.next_change_at, board});
  watched.next_change_at = board->next_change_at();
  deadlines_.emplace(watched.next_change_at, board);
}

// Looks at the boards that the clock has changed. Those that follow it at every moment are always
// among them, so a part of them is looked at, and the next tick continues.
void Watches::outdate_due(const FindBoard& find_board, Time now, TickSlice& slice) {
  for (int looked = 1;; ++looked) {
    const auto next = due_to_ ? deadlines_.upper_bound(*due_to_) : deadlines_.begin();
    if (next == deadlines_.end() || next->first > now) return due_to_.reset();
    due_to_ = *next;
    const Board* const board = next->second;
    const Watch& any = *boards_.find(board)->second.watches.begin()->second;
    if (find_board(any.slot, any.generation) == board) outdate(*board);
    if (looked % kLooks == 0 && slice.spent(0.5)) return slice.put_off();
  }
}

// A new name may be in any top: a part of the watches is looked at, and the next tick continues.
void Watches::outdate_renamed(const Names& names, TickSlice& slice) {
  if (renamed_to_ == 0 && renames_ == names.renames()) return;
  if (renamed_to_ == 0) renames_ = names.renames();
  auto next = watches_.upper_bound(renamed_to_);
  for (int looked = 1; next != watches_.end(); ++next, ++looked) {
    const auto& [board, watch] = next->second;
    if (watch->renames != names.renames()) outdate(*boards_.find(board));
    renamed_to_ = next->first;
    if (looked % kLooks == 0 && slice.spent(0.5)) return slice.put_off();
  }
  renamed_to_ = 0;
}

// Returns true if the board had changed.
bool Watches::tell(Watch& watch, const FindBoard& find_board, Names& names, TickSlice& slice) {
  const Board* board = find_board(watch.slot, watch.generation);
  if (board == nullptr) return false;
  const bool renamed = std::exchange(watch.renames, names.renames()) != names.renames();
  if (board->version() == watch.told->version && !renamed) return false;
  const WindowPtr before =
      std::exchange(watch.told, named_window(*board, watch.segment, watch.n, names));
  if (before->entries == watch.told->entries) return true;
  const std::string name =
      watch.segment ? name_of_segment(board->name(), *watch.segment) : board->name();
  const WatchEvent event = compare_windows(name, *before, watch.told);
  slice.outside([&] { watch.callback(event); });
  slice.charge(cost_of(event));
  return true;
}

void Watches::tick(const FindBoard& find_board, Names& names, Time now, TickSlice& slice) {
  outdate_due(find_board, now, slice);
  outdate_renamed(names, slice);
  // Boards that become outdated meanwhile wait for the next tick.
  std::size_t waiting = outdated_.size();
  int looked = 0;
  bool spent = false;
  while (waiting > 0 && !spent && !outdated_.empty()) {  // a callback may clear() them
    const Board* const board = outdated_.front();
    const auto entry = boards_.find(board);
    if (entry == boards_.end() || !entry->second.outdated) {
      outdated_.pop_front();
      --waiting;
      continue;
    }
    const auto next = entry->second.watches.upper_bound(entry->second.looked_to);
    if (next == entry->second.watches.end()) {
      end_outdated(*entry);
      --waiting;
      continue;
    }
    entry->second.looked_to = next->first;
    const bool is_last = std::next(next) == entry->second.watches.end();
    const WatchPtr watch = next->second;
    if (is_last) {
      end_outdated(*entry);
      --waiting;
    }
    const bool told = tell(*watch, find_board, names, slice);
    spent = (told || ++looked % kLooks == 0) && slice.spent();
  }
  if (spent && !outdated_.empty()) slice.put_off();
}

}  // namespace laurel
