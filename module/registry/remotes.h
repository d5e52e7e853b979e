// remotes.h - the interface from a registry to its remote boards, which many servers share. The
// registry knows only this; remote/ implements it.
//
//   names     local and remote boards share one set of names.
//   threads   the registry's caller. No call waits for the network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace laurel {

class MetricSet;
class NameSource;
class Registry;

class Remotes {
 public:
  virtual ~Remotes() = default;

  // The registry is ready, and remains so until close(). Remotes load their stored rows here.
  virtual void on_open(Registry& registry) = 0;
  // Whether a remote board has that name.
  virtual bool has(std::string_view board) const = 0;
  // Their names, in any order.
  virtual std::vector<std::string> names() const = 0;
  // Passes a ban, its end, or a forgotten player to every remote board, exactly once, like a post.
  virtual void ban(std::string_view player) = 0;
  virtual void unban(std::string_view player) = 0;
  virtual void forget(std::string_view player) = 0;
  // Whether a player of the registry can be renamed. Fails with unsupported if remotes keep boards
  // or players, which would keep the former id.
  virtual Status may_rename() const = 0;
  // The names of players, if remotes keep these; else null. Constant, and valid until the end of
  // the remotes, also after close().
  virtual NameSource* player_names() { return nullptr; }
  // Whether past seasons of local boards are copied to a remote archive; constant. If so, a season
  // is kept until Board::end_copy, at most kCopiesWaitingMax beyond `archive`.
  virtual bool copies_seasons() const = 0;
  // Once a tick, after rules were reloaded and before changes are reported: delivers answers.
  virtual void tick() = 0;
  // Adds what is measured of them.
  virtual void collect(MetricSet&) const {}
  // Ends everything: pending callbacks are no longer called. Called before the registry's store
  // closes.
  virtual void close() = 0;
};

// Fails with unsupported if this library was built without Redis and DynamoDB (LAUREL_REMOTES). The
// sentence is for those who name a remote. remote/ defines it.
Status remotes_are_built();

}  // namespace laurel
