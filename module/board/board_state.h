// board_state.h - all that a board has besides its name and spec, to export it and to import it.
//
//   state     joined and banned players, hidden entries, the running season, and past seasons.
//   packed    entries as packed by their engine (engine/engine.h).
//   order     a new board gets its state once, before any other write.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "board/marks/board_marks.h"
#include "board/results/board_results.h"
#include "board/seasons/seasons.h"
#include "engine/engine.h"

namespace laurel {

class Board;

class BoardState {
 public:
  // `board` must outlive this.
  explicit BoardState(Board& board) : board_(board) {}

  // ---- reading

  using EachPlayer = std::function<void(std::string_view player)>;
  void each_joined(const EachPlayer& visit) const;
  void each_banned(const EachPlayer& visit) const;    // by this board
  void each_pardoned(const EachPlayer& visit) const;  // exempt from a registry ban
  void each_hidden(const Engine::PackedVisitor& visit) const;
  // Past seasons, oldest first.
  void each_archived(const std::function<void(ArchivedSeason& season)>& visit) const;
  const Season& season() const;
  bool written() const;  // any write in the running season
  Engine& engine() const;
  // Attempts counted in the running season.
  void each_attempts(
      const std::function<void(std::string_view player, const AttemptCount& count)>& visit) const;
  // Kept results of the running season, player by player, oldest first.
  void each_history(const ResultHistory::EachPlayer& visit) const;
  // Ids of accepted results; null if there never were any.
  const AcceptedIds* ids() const;
  // Null if there never were any.
  const BoardMarks* marks() const;
  // The running season's; null if it has none.
  const BoardCohorts* cohorts() const;

  // ---- restoring

  void set_created(Time created);
  void set_season(const Season& season, std::optional<Time> due, bool written);
  // Adds a past season without entries, newer than the others; the caller fills the engine.
  // REQUIRES: the running season has no entries yet.
  // `end`: if not all names have heard of its end.
  Engine& add_archived(const Season& season, const Spec& spec, std::optional<SeasonEnd> end = {});
  void join(std::string_view player);
  void ban(std::string_view player);
  void pardon(std::string_view player);
  void hide(std::string_view player, std::string_view packed);
  // Does nothing if the board has no `attempts`.
  void set_attempts(std::string_view player, const AttemptCount& count);
  // A player's results come in the order of their acceptance. Fails with bad_data if the board has
  // no `history`.
  Status add_result(std::string_view player, const KeptResult& result);
  // Ids come in the order of their acceptance, all with the same key. Fails with bad_data if the
  // board has ids with another one.
  Status accept_id(const AcceptedIds::Seed& key, const IdHash& id, Time at);
  // The last mark, and after it the players that changed since: their rows at the mark, if any. The
  // entries come before. Fails with bad_data if that cannot be.
  Status set_mark(bool is_empty, std::optional<Time> at, std::optional<Time> due);
  Status add_changed(std::string_view player, const std::optional<RowKey>& was);
  // The cohorts of the running season, or of the past one that was added last: how many there are,
  // first, then which one players with a value fill (empty: without one), and who is in which.
  // Fails with bad_data if that cannot be.
  enum class OfSeason : bool { running, past };
  Status set_cohorts(OfSeason season, std::uint64_t count);
  Status set_filled(OfSeason season, std::string_view value, std::uint64_t cohort);
  Status set_place(OfSeason season, std::string_view player, std::uint64_t cohort);
  // Fails with bad_data if the engine cannot hold the score. REQUIRES: the engine has no entry of
  // the player.
  Status put(Engine& engine, std::string_view player, std::string_view packed);

 private:
  BoardCohorts* cohorts(OfSeason season);

  Board& board_;
};

}  // namespace laurel
