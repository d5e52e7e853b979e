// borrowed.h - what scripts began on the boards that their host lends them, and how it ends.
//
//   watches    end with the script's version that began them.
//   channels   of boards:serve likewise, unless the version that comes next asks for a channel with
//              the same options: it is given the one that runs, with whoever is connected.
//   ended      nothing more is begun: a function that outlived its version would begin what nobody
//              ends.
//   threads    the registry's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/lua_callback.h"
#include "board/registry.h"

namespace laurel {

// Ends a watch of a board here, or of one that lives elsewhere.
void end_watch(Registry& registry, WatchId watch, bool remote);

class Borrowed {
 public:
  // `remote`: of a board that lives elsewhere.
  void watch(CallbackKey key, WatchId watch, bool remote) {
    watches_.push_back({key, watch, remote});
  }
  void unwatch(CallbackKey key);
  // Those of them that ended by themselves.
  void forget(const std::vector<CallbackKey>& keys);

  void serve(std::string_view options, Registry::AudienceId channel);
  // The running channel with these options of the version before, once.
  std::optional<Registry::AudienceId> take_over(const Registry& registry, std::string_view options);

  // While a version loads, it may take over what the one before has.
  void succeed(const Borrowed& before) { offered_ = before.channels_; }
  // Ends all of it, but for channels that `other` has too. A null registry is gone.
  void end(Registry* registry, const Borrowed* other);
  bool ended() const { return ended_; }

 private:
  struct Channel {
    std::string options;
    Registry::AudienceId id = 0;
  };
  struct Watched {
    CallbackKey key;
    WatchId id;
    bool remote;
  };
  bool has(Registry::AudienceId channel) const;

  std::vector<Watched> watches_;
  std::vector<Channel> channels_;
  std::vector<Channel> offered_;  // by the version before
  bool ended_ = false;
};

}  // namespace laurel
