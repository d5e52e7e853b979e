#include "registry/watch.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "board/board.h"

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

WindowPtr named_window(const Board& board, const std::optional<SegmentName>& segment, std::size_t n,
                       Names& names) {
  const std::shared_ptr<Window> window =
      segment ? board.window(*segment, n, true) : board.window(n, true);
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
  watches_.push_back(std::move(watch));
  return last_id_;
}

void Watches::remove(WatchId id) {
  std::erase_if(watches_, [&](const auto& watch) {
    if (watch->id != id) return false;
    watch->id = 0;  // tick() may still have it in its copy of the list
    return true;
  });
}

void Watches::remove_board(std::uint32_t slot, std::uint32_t generation) {
  std::erase_if(watches_, [&](const auto& watch) {
    if (watch->slot != slot || watch->generation != generation) return false;
    watch->id = 0;
    return true;
  });
}

void Watches::clear() {
  for (const auto& watch : watches_) watch->id = 0;
  watches_.clear();
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

void Watches::tick(const FindBoard& find_board, Names& names, TickSlice& slice) {
  auto standing = watches_;
  const auto first = std::find_if(standing.begin(), standing.end(),
                                  [this](const auto& watch) { return watch->id >= next_; });
  std::rotate(standing.begin(), first, standing.end());
  next_ = 0;
  bool spent = false;
  for (const auto& watch : standing) {
    if (watch->id == 0) continue;
    if (spent) {
      next_ = watch->id;
      slice.put_off();
      return;
    }
    spent = tell(*watch, find_board, names, slice) && slice.spent();
  }
}

}  // namespace laurel
