// crash_fixture.h - a registry in a directory, its twin in memory, and pictures of both that can be
// compared.
//
//   picture   the whole content of a registry: its export, each line with its board and season, and
//             what combined boards show; sorted.
//   twin      plays the operations that the registry on disk accepted, and none that its disk
//             refused.
//   threads   one caller at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "faults.h"
#include "history.h"
#include "registry/registry.h"

namespace laurel::crash {

// A temporary directory; the destructor deletes it.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // A path in the directory.
  std::string path(std::string_view name) const { return (root_ / name).string(); }

 private:
  std::filesystem::path root_;
};

using Picture = std::vector<std::string>;

Picture picture_of(Registry& registry);
// Some of the lines that only one of them has. Empty if both are equal.
std::string difference(const Picture& found, const Picture& expected);

// How to open a registry for a history.
struct Opening {
  std::string path;  // empty: in memory
  Durability durability = Durability::tick;
  std::shared_ptr<Time> now;
  std::vector<std::string>* log = nullptr;  // null: no log
};

Result<std::unique_ptr<Registry>> open_registry(const Opening& opening);
std::unique_ptr<Registry> make_twin(const std::shared_ptr<Time>& now);

class Scene {
 public:
  // Creates the directory.
  explicit Scene(std::uint64_t seed, Durability durability = Durability::tick);

  // Plays the next operation on the registry, and on the twin if the disk accepted it. Returns the
  // operation's answer. Under Durability::always it waits for the disk, as a script's call does.
  std::string step();
  void play(int operations);
  Picture found() { return picture_of(*registry); }
  Picture expected() { return picture_of(*twin); }
  // Closes and opens the registry; fails if one of them fails.
  Status reopen();
  // The number of log lines that contain these words.
  int lines_with(std::string_view words) const;

  std::string path() const { return scratch.path("boards"); }
  std::string file() const { return path() + "/laurel.mdb"; }

  Scratch scratch;
  std::shared_ptr<Time> now;
  std::vector<std::string> log;
  Durability durability;
  History history;
  std::uint64_t number = 0;  // of the last operation
  std::uint64_t refused = 0;
  Status committed = Done{};  // of the last operation, under Durability::always
  std::unique_ptr<Registry> registry;
  std::unique_ptr<Registry> twin;
  faults::Cure cure;  // last, so that it is destroyed first
};

}  // namespace laurel::crash
