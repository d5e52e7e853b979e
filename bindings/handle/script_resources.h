// script_resources.h - the watches, handlers and channels that a script version started on the
// boards of its host.
//
//   watches    end with the version that started them.
//   hearing    handlers of season ends end with the version. A handler replaces that of another
//              version only as long as its own version exists, so that a version that fails to load
//              leaves the one before it hearing.
//   channels   of boards:serve end with the version too, unless the next version asks for a channel
//              with the same options: then it inherits the running one with its clients.
//   ended      a version that has ended cannot start anything, since nothing would stop it.
//   threads    the registry's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/lua/callback.h"
#include "registry/registry.h"

namespace laurel {

// Ends a watch of a local or a remote board.
void end_watch(Registry& registry, WatchId watch, bool remote);

class ScriptResources {
 public:
  // `remote`: the board is remote.
  void watch(CallbackKey key, WatchId watch, bool remote) {
    watches_.insert_or_assign(key, Watched{watch, remote});
  }
  void unwatch(CallbackKey key);
  void hear(CallbackKey key, SeasonEndHandlerId handler) { hearing_.push_back({key, handler}); }
  void unhear(CallbackKey key);
  // Removes watches that ended by themselves.
  void forget(const std::vector<CallbackKey>& keys);

  void serve(std::string_view options, Registry::ObserverId channel);
  // Takes over the running channel of the previous version with these options. Each channel is
  // taken over once.
  std::optional<Registry::ObserverId> take_over(const Registry& registry, std::string_view options);

  // Call before a version runs: it may take over the channels of the previous version.
  void inherit_from(const ScriptResources& before) { offered_ = before.channels_; }
  // Ends all watches and handlers, and all channels except those that `other` has too. `registry`
  // is null if it is gone.
  void end(Registry* registry, const ScriptResources* other);
  bool ended() const { return ended_; }

 private:
  struct Channel {
    std::string options;
    Registry::ObserverId id = 0;
  };
  struct Watched {
    WatchId id;
    bool remote;
  };
  struct Listening {
    CallbackKey key;
    SeasonEndHandlerId id;
  };
  bool has(Registry::ObserverId channel) const;

  std::map<CallbackKey, Watched> watches_;
  std::vector<Listening> hearing_;
  std::vector<Channel> channels_;
  std::vector<Channel> offered_;  // channels of the previous version
  bool ended_ = false;
};

}  // namespace laurel
