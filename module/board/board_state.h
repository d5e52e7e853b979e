// board_state.h - all that a board is beyond its name and spec, for keeping it elsewhere and making
// it again.
//
//   state     who joined and who is banned, what bans hide, which season runs, and which are kept.
//   packed    entries as their engine packs them (engine/engine.h).
//   order     a new board is given its state once, before anybody plays on it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "board/seasons.h"
#include "engine/engine.h"

namespace laurel {

class Board;

class BoardState {
 public:
  // `board` outlives it.
  explicit BoardState(Board& board) : board_(board) {}

  // ---- as it stands

  using EachPlayer = std::function<void(std::string_view player)>;
  void each_joined(const EachPlayer& visit) const;
  void each_banned(const EachPlayer& visit) const;    // by this board
  void each_pardoned(const EachPlayer& visit) const;  // of those whom the registry bans
  void each_hidden(const Engine::PackedVisitor& visit) const;
  // Past seasons, the oldest first.
  void each_archived(const std::function<void(ArchivedSeason& season)>& visit) const;
  const Season& season() const;
  bool written() const;  // whether anything was written in the running season
  Engine& engine() const;

  // ---- made again

  void set_created(Time created);
  void set_season(const Season& season, std::optional<Time> due, bool written);
  // A past season without entries, newer than those there are; its entries go into the engine.
  // REQUIRES: the running season has no entries yet.
  Engine& add_archived(const Season& season, const Spec& spec);
  void join(std::string_view player);
  void ban(std::string_view player);
  void pardon(std::string_view player);
  void hide(std::string_view player, std::string_view packed);
  // Fails with bad_data: the engine cannot hold that score.
  // REQUIRES: nothing is held of the player in that engine.
  Status put(Engine& engine, std::string_view player, std::string_view packed);

 private:
  Board& board_;
};

}  // namespace laurel
