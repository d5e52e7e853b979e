// snapshots.h - windows for tests: fixed ones, and those of a random board; and their messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "board/standings/top_snapshot.h"
#include "live/wire/delta.h"

namespace laurel::test {

inline WindowEntry entry(std::string player, double score, std::uint64_t rank) {
  WindowEntry made;
  made.player = std::move(player);
  made.score = score;
  made.rank = rank;
  return made;
}

// An id of twelve bytes, like those for which PROTOCOL.md states sizes.
inline std::string player_id(std::size_t number) {
  std::string digits = std::to_string(number);
  return "player" + std::string(6 - digits.size(), '0') + digits;
}

// n players with falling scores, of a board of 1,539 players.
inline Window ladder(std::size_t n, std::uint64_t epoch = 7, std::uint64_t version = 1000) {
  Window window{epoch, version, 1539, {}};
  for (std::size_t i = 0; i < n; ++i) {
    window.entries.push_back(entry(player_id(i), 1e6 - 10.0 * static_cast<double>(i), i + 1));
  }
  return window;
}

inline Window cut(Window window, std::size_t n) {
  window.entries.resize(std::min(n, window.entries.size()));
  return window;
}

// The message as a server makes it. `body` must outlive it.
inline State message(const Window& target, std::size_t n, std::uint64_t back,
                     const std::string& body, const EntryFormat& format = {}) {
  State state;
  state.stream = 1;
  state.version = target.version;
  state.back = back;
  state.size = target.size;
  state.count = static_cast<std::uint8_t>(std::min(n, target.entries.size()));
  state.digest = digest(target, n, *whole_body(target, n, format));
  state.body = body;
  return state;
}

// A board on which players score, drop out, change their names and tie at random.
class RandomBoard {
 public:
  explicit RandomBoard(std::uint64_t seed, std::size_t players = 40)
      : random_(seed), players_(players), epoch_(random_() | 1) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  // Makes up to four changes, and returns the first `top` entries.
  Window next(std::size_t top) {
    for (std::size_t changes = below(5); changes > 0; --changes) change();
    ++version_;
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const WindowEntry& a, const WindowEntry& b) { return a.score > b.score; });
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool tied = i > 0 && rows_[i].score == rows_[i - 1].score;
      rows_[i].rank = tied ? rows_[i - 1].rank : i + 1;
    }
    Window window{epoch_, version_, rows_.size(), rows_};
    window.entries.resize(std::min(top, rows_.size()));
    return window;
  }

 private:
  void change() {
    const std::string player = player_id(below(players_));
    const auto at = std::find_if(rows_.begin(), rows_.end(),
                                 [&](const WindowEntry& row) { return row.player == player; });
    if (at == rows_.end()) return rows_.push_back(entry(player, score(), 1));
    switch (below(6)) {
      case 0: rows_.erase(at); break;
      case 1: at->name = below(2) == 0 ? std::nullopt : std::optional("name " + player); break;
      case 2:
        at->data = below(2) == 0 ? std::nullopt : std::optional(std::string(below(9), 'd'));
        break;
      default: at->score = score(); break;
    }
  }

  double score() { return static_cast<double>(below(30)) * 0.5 - 5; }  // few values: many ties

  std::mt19937_64 random_;
  std::size_t players_;
  std::uint64_t epoch_;
  std::uint64_t version_ = 0;
  std::vector<WindowEntry> rows_;
};

}  // namespace laurel::test
