// past_seasons.h - the past seasons of a board, the newest first: which are kept, and what they
// wait for.
//
//   kept     the newest; the spec's `archive` is their number. A season that is awaited stays
//            longer: until it is copied to a remote archive (remotes.h), and until all names have
//            heard of its end (seasons/season_end.h). At most kCopiesWaitingMax or
//            kSeasonEndsWaitingMax seasons stay so; then the oldest is dropped, and that
//            is an error in the log.
//   rows     in the board's space by season number, in the transactions of the seasons themselves:
//            the season; the place where its copy continues, or empty if it ended; and its end,
//            until all names have heard of it. Without a row the copy starts at the front, so
//            seasons older than the archive are copied too.
//   memory   what writes has it guaranteed (base/memory_guarantee.h), except load().
//   threads  as the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/persistent_rows.h"
#include "board/registry_context.h"
#include "board/seasons/season_end.h"
#include "board/seasons/seasons.h"
#include "board/spec/shared_specs.h"
#include "engine/engine.h"
#include "store/space.h"

namespace laurel {

class Board;

class PastSeasons {
 public:
  // All of the board, and the context, outlive it.
  PastSeasons(RegistryContext& context, Board& board, const std::string& name,
              const SharedSpec& spec, SpaceNumber space)
      : context_(context), board_(board), name_(name), spec_(spec), space_(space) {}
  ~PastSeasons();
  PastSeasons(const PastSeasons&) = delete;
  PastSeasons& operator=(const PastSeasons&) = delete;

  // Makes the engine of a season that ended then, without its rows.
  using MakeEngine =
      std::function<std::unique_ptr<Engine>(const Spec& spec, SpaceNumber first, Time ended)>;
  // From a durable store. Call it once, before anything else. Fails with bad_data.
  Status load(const MakeEngine& make, const Engine::LoadProgress& progress);
  // A season that ended after all others. Drops none.
  ArchivedSeason& add(std::unique_ptr<ArchivedSeason> season);
  // Drops those that are too many: after add(), and if `archive` changed.
  void trim();
  // Hands all entries to the reclaimer: the board is dropped.
  void dismantle();

  auto begin() const { return seasons_.begin(); }
  auto end() const { return seasons_.end(); }
  auto rbegin() const { return seasons_.rbegin(); }
  auto rend() const { return seasons_.rend(); }
  // Null if there is none.
  ArchivedSeason* newest() const { return seasons_.empty() ? nullptr : seasons_.front().get(); }
  ArchivedSeason* find(std::uint64_t number) const;
  std::size_t bytes() const;

  // ---- players

  // How many seasons have an entry of the player.
  std::size_t entries_of(std::string_view player) const;
  // Removes the player's entries; returns how many.
  std::size_t forget(std::string_view player);
  // Moves them to another id, which has none.
  void rename(std::string_view from, std::string_view to);

  // ---- copies to a remote archive

  // The oldest season that is not copied completely; its to_copy() is the place of Engine::scan to
  // continue from. Null if there is none.
  const ArchivedSeason* next_to_copy() const;
  // A season with the player that is not copied completely; null if there is none.
  const ArchivedSeason* in_copy_with(std::string_view player) const;
  // Notes that rows up to `to`, scanned when the season had this copy_version(), are copied. False
  // if the version has changed since, for example because a player was forgotten; then nothing is
  // noted.
  bool note_copied(std::uint64_t season, std::uint64_t version, std::string_view to);
  // The copy is complete, or was given up. The season no longer waits for it.
  void end_copy(std::uint64_t season);

  // ---- ends (seasons/season_end.h)

  // The season stays until all of the names have heard of its end.
  void await_hearing(ArchivedSeason& season, SeasonEnd end);
  // The name has heard of the season's end, or never will. If it was the last one, the season no
  // longer waits for it.
  void note_heard(std::uint64_t season, std::string_view name);

 private:
  PersistentRows rows(char letter) const;
  Status load_ends();
  void load_copies();
  void save(const ArchivedSeason& season) const;
  void save_end(const ArchivedSeason& season) const;
  // If seasons are copied: the season waits, and its copy continues from that place.
  void wait_for_copy(ArchivedSeason& season, std::string_view place);
  void restart_copy(ArchivedSeason& season);
  std::size_t awaited_max() const;
  void lose_oldest();
  void drop(std::size_t index);

  RegistryContext& context_;
  Board& board_;
  const std::string& name_;
  const SharedSpec& spec_;  // the board's present one
  SpaceNumber space_;
  std::vector<std::unique_ptr<ArchivedSeason>> seasons_;  // newest first
};

}  // namespace laurel
