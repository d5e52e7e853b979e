// published.h - a board that is published on the live channel: its windows, and its description.
//
//   board      a local board, one of its segments or cohorts, or a remote board.
//   windows    of a local board are read from it, those of a remote board come from RemoteBoards.
//              Names of players are not filled in. The memory of posted ones is counted, for
//              metrics.
//   threads    the registry's caller.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/limits.h"
#include "board/board.h"
#include "board/segments/segment_name.h"
#include "live/server/follows.h"
#include "live/wire/board_list.h"
#include "registry/registry.h"

namespace laurel {

struct PublishOptions {
  std::size_t top = kLiveTopMax;  // 1 to kLiveTopMax; clients may ask for any n up to it
  bool data = false;              // whether entries include their data
  bool changes = false;           // whether entries include rank changes, if the board has marks
};

struct Published {
  BoardHandle board;
  std::optional<SegmentName> segment;  // of the board; absent: all of it
  bool is_remote = false;
  PublishOptions options;
  std::shared_ptr<const Spec> spec;  // of a remote board; null: not known yet

  // The first entries, and those around a player. REQUIRES: it is a local board.
  std::shared_ptr<Window> top(const Board& local) const;
  std::shared_ptr<Window> around(const Board& local, const Around& around) const;
  // Removes what is not published from the window of a remote board, and sets how ranks are shown.
  void trim(Window& window) const;
};

BoardDescription description_of(const Board& board);
// The description of a remote board. Its season, and times that depend on it, are not known.
BoardDescription description_of(const Spec& spec);
// Compares the fields that may change while the board exists.
bool describes(const BoardDescription& description, const Board& board);

// The window of a board, or of a followed player, that was posted last. Its memory is counted in a
// total, which outlives it.
class PostedWindow {
 public:
  explicit PostedWindow(std::size_t& total) : total_(total) {}
  ~PostedWindow() { set(nullptr); }
  PostedWindow(const PostedWindow&) = delete;
  PostedWindow& operator=(const PostedWindow&) = delete;

  // Null: one must be posted.
  const WindowPtr& get() const { return window_; }
  void set(WindowPtr window);

 private:
  std::size_t& total_;
  std::size_t bytes_ = 0;
  WindowPtr window_;
};

// Whether a client sees no difference but the version's. `before` may be null: then it does.
bool same_entries(const WindowPtr& before, const Window& after);
// `window` may be null.
bool shows(const WindowPtr& window, std::string_view player);

}  // namespace laurel
