// source.h - a directory of boards that is read, and what the words look for in it.
//
//   state    what the last transaction wrote, in memory brought up to the clock: a season that is
//            due has ended. Nothing of it is written (store/reading/read_only_store.h).
//   threads  one caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "registry/registry.h"
#include "store/reading/read_only_store.h"

namespace laurel::tool {

// What the libraries log goes to standard error, from warnings on.
Log tool_log();

class Source {
 public:
  // Without rules, boards have none. Fails as ReadOnlyStore::open and Registry::open do.
  static Result<Source> open(const std::string& directory, std::unique_ptr<Rules> rules = nullptr);

  Registry& registry() { return *registry_; }
  // It is the registry's.
  ReadOnlyStore& store() { return *store_; }

  // Whether the server that had the directory open last had this board in a remote, as far as the
  // directory tells.
  bool is_remote(std::string_view name);
  // Fails with unknown, and names a board with a similar name; with unavailable if it is remote.
  Result<Board*> board(std::string_view name);

  struct Chosen {
    std::string name;
    Board* board = nullptr;
    const ArchivedSeason* past = nullptr;  // null: the running season
    const Standings* part = nullptr;       // a segment or cohort of it; null: all of it
    const Standings& standings() const {
      if (part != nullptr) return *part;
      return past == nullptr ? static_cast<const Standings&>(*board) : *past;
    }
    const Spec& spec() const { return past == nullptr ? board->spec() : past->spec(); }
    std::uint64_t season() const {
      return past == nullptr ? board->season().number : past->season().number;
    }
  };
  // The running season, or that with the number, of the board with this name, or of its segment or
  // cohort: "season_3:country=DE", "season_3:cohort=17". Fails as board(), with unknown, naming the
  // seasons that are kept, and as Board::segment() and cohorts() do.
  Result<Chosen> choose(std::string_view name, std::optional<std::uint64_t> season);

 private:
  // A name of a segment or cohort whose board exists.
  struct PartName {
    Board* board = nullptr;
    SegmentName name;
  };
  std::optional<PartName> find_part(std::string_view name);
  Result<Chosen> choose_season(std::string_view name, Board& board,
                               std::optional<std::uint64_t> season);

  Source(std::unique_ptr<Registry> registry, ReadOnlyStore* store)
      : registry_(std::move(registry)), store_(store) {}

  std::unique_ptr<Registry> registry_;
  ReadOnlyStore* store_;
};

}  // namespace laurel::tool
