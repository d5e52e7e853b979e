// engine.h - what keeps a board's entries in order. One interface, an engine for each need.
//
//   player     an id with the handle that it has in the registry at the moment, if any: looked up
//              once a submission, used by everybody on the way.
//   row        what an engine holds of one player.
//   position   0-based from the best.
//   views      ids and data in rows are valid until the engine's next change.
//   threads    one caller at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "rank/players.h"
#include "rank/ranking.h"
#include "rank/score.h"

namespace laurel {

struct Player {
  std::string_view id;
  PlayerHandle handle = kNoPlayer;
};

struct EngineRow {
  std::string_view player;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string_view> data;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::size_t size() const = 0;
  virtual std::optional<EngineRow> find(const Player& player) const = 0;

  // Holds the row in place of the one that its player had. `row.player` is ignored; data is copied.
  virtual void put(const Player& player, const EngineRow& row) = 0;
  virtual bool erase(const Player& player) = 0;
  virtual void clear() = 0;

  // Of the player's row; nothing when there is none.
  virtual std::optional<std::size_t> position(const Player& player) const = 0;
  virtual std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const = 0;
  // The rank that a newcomer with this score would have now.
  virtual std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const = 0;

  virtual std::size_t count_better(ScoreKey score) const = 0;
  virtual std::size_t count_not_worse(ScoreKey score) const = 0;
  virtual std::size_t distinct_better(ScoreKey score) const = 0;

  // Appends rows first, first+1, ... to out, at most n of them, best first.
  virtual void read(std::size_t first, std::size_t n, std::vector<EngineRow>& out) const = 0;

  virtual std::size_t bytes() const = 0;
};

}  // namespace laurel
