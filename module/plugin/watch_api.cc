// The C interface's watches of local and remote boards.
#include <iterator>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "laurel/watch.h"
#include "plugin/host.h"
#include "remote/remote_boards.h"

namespace laurel {

namespace {

// Remote watches have numbers of their own, marked with this bit.
constexpr laurel_watch kRemoteWatchBit = laurel_watch{1} << 63;

laurel_board_entry shown(const WindowEntry& entry) {
  return {.player = entry.player.data(),
          .player_size = entry.player.size(),
          .score = entry.score,
          .rank = entry.rank.whole(),
          .at = entry.at.value_or(0),
          .data = entry.data ? entry.data->data() : nullptr,
          .data_size = entry.data ? entry.data->size() : 0};
}

std::vector<laurel_board_entry> shown(const std::vector<WindowEntry>& entries) {
  std::vector<laurel_board_entry> all;
  all.reserve(entries.size());
  for (const WindowEntry& entry : entries) all.push_back(shown(entry));
  return all;
}

std::vector<double> ranks_of(const std::vector<WindowEntry>& entries) {
  std::vector<double> ranks;
  ranks.reserve(entries.size());
  for (const WindowEntry& entry : entries) ranks.push_back(static_cast<double>(entry.rank));
  return ranks;
}

void tell_host(laurel_on_change on_change, void* context, laurel_watch watch,
               const WatchEvent& event) {
  const std::vector<laurel_board_entry> top = shown(event.top->entries);
  const std::vector<laurel_board_entry> entered = shown(event.entered);
  const std::vector<laurel_board_entry> left = shown(event.left);
  const std::vector<double> top_ranks = ranks_of(event.top->entries);
  const std::vector<double> entered_ranks = ranks_of(event.entered);
  const std::vector<double> left_ranks = ranks_of(event.left);
  std::vector<laurel_moved> moved;
  std::vector<double> moved_ranks, moved_previous_ranks;
  moved.reserve(event.moved.size());
  for (const Moved& each : event.moved) {
    moved.push_back({shown(each.entry), each.previous, each.previous_rank.whole()});
    moved_ranks.push_back(static_cast<double>(each.entry.rank));
    moved_previous_ranks.push_back(static_cast<double>(each.previous_rank));
  }
  const laurel_watch_event told{.struct_size = sizeof told,
                                .watch = watch,
                                .board = event.board.c_str(),
                                .top = top.data(),
                                .top_count = top.size(),
                                .entered = entered.data(),
                                .entered_count = entered.size(),
                                .left = left.data(),
                                .left_count = left.size(),
                                .moved = moved.data(),
                                .moved_count = moved.size(),
                                .top_ranks = top_ranks.data(),
                                .entered_ranks = entered_ranks.data(),
                                .left_ranks = left_ranks.data(),
                                .moved_ranks = moved_ranks.data(),
                                .moved_previous_ranks = moved_previous_ranks.data()};
  on_change(context, &told);
}

// Begins the watch in the registry or in its remote boards, whichever has the board.
Result<WatchId> begin(laurel_boards& boards, laurel_board handle,
                      const std::optional<SegmentName>& segment, std::size_t n,
                      WatchCallback callback) {
  Registry& registry = *boards.registry;
  if (!is_remote(handle)) {
    return registry.watch({handle.slot, handle.generation}, n, std::move(callback), segment);
  }
  RemoteBoards* const remotes = RemoteBoards::of(registry);
  if (remotes == nullptr) return Refusal(Code::unknown, "this board was dropped or never opened");
  return remotes->watch(from_remote_handle(handle), n, std::move(callback));
}

laurel_code watch(laurel_boards* boards, laurel_board handle, size_t n, laurel_on_change on_change,
                  void* context, laurel_watch* watch, laurel_error* error) {
  return begin_watch(boards, handle, std::nullopt, n, on_change, context, watch, error);
}

void unwatch(laurel_boards* boards, laurel_watch watch) {
  guarded(nullptr, 0, [&] {
    if ((watch & kRemoteWatchBit) == 0) {
      boards->registry->unwatch(watch);
    } else if (RemoteBoards* const remotes = RemoteBoards::of(*boards->registry)) {
      remotes->unwatch(watch & ~kRemoteWatchBit);
    }
    return 0;
  });
}

laurel_watch_api make_watch_api() {
  laurel_watch_api api{};
  api.struct_size = sizeof api;
  api.watch = watch;
  api.unwatch = unwatch;
  return api;
}

}  // namespace

laurel_code begin_watch(laurel_boards* boards, laurel_board handle,
                        const std::optional<SegmentName>& segment, size_t n,
                        laurel_on_change on_change, void* context, laurel_watch* watch,
                        laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (n < 1 || n > kWatchTopMax) {
      return tell(error, Refusal(Code::invalid, "n is {}; a watch takes 1 to {}", n, kWatchTopMax));
    }
    if (on_change == nullptr) return tell(error, LAUREL_INVALID, "invalid: on_change is null");
    if (!is_remote(handle) && to_board(boards, handle) == nullptr) {
      return tell_no_board(error, handle);
    }
    // Set after the watch has its number; the callback does not run before the next tick.
    auto number = std::make_shared<laurel_watch>(0);
    const Result<WatchId> begun =
        begin(*boards, handle, segment, n, [on_change, context, number](const WatchEvent& event) {
          tell_host(on_change, context, *number, event);
        });
    if (!begun) return tell(error, begun.refusal());
    *number = is_remote(handle) ? *begun | kRemoteWatchBit : *begun;
    if (watch != nullptr) *watch = *number;
    return tell_ok(error);
  });
}

void fill_watch_api(laurel_api& api) {
  static const laurel_watch_api watching = make_watch_api();
  api.watching = &watching;
}

}  // namespace laurel
