// remotes.h - what a registry asks of the boards that live elsewhere, in an engine that many
// servers share. The registry knows no more of them than this; how they are asked and who answers
// is another room's (remote/).
//
//   names     boards here and boards there share one set of names.
//   threads   the registry's caller. Nothing here waits for the network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace laurel {

class Registry;

class Remotes {
 public:
  virtual ~Remotes() = default;

  // The registry stands, and lives on until close(): the moment to read what its store keeps.
  virtual void on_open(Registry& registry) = 0;
  // Whether a board that lives elsewhere has that name here.
  virtual bool has(std::string_view board) const = 0;
  // Their names, in any order.
  virtual std::vector<std::string> names() const = 0;
  // The registry's word about a player reaches every remote board, exactly once, like a post.
  virtual void ban(std::string_view player) = 0;
  virtual void unban(std::string_view player) = 0;
  virtual void forget(std::string_view player) = 0;
  // Whether past seasons of boards here are copied elsewhere: then those kept wait for it, until
  // Board::end_copy, kCopiesWaitingMax of them beyond `archive`. Always the same.
  virtual bool copies_seasons() const = 0;
  // Once a tick, after rules were reloaded and before anybody is told of changes: hands out the
  // answers that came.
  virtual void tick() = 0;
  // Ends all of it: who waits is not called any more. Before the registry's store closes.
  virtual void close() = 0;
};

}  // namespace laurel
