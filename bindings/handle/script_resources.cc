#include "bindings/handle/script_resources.h"

#include <algorithm>

#include "remote/remote_boards.h"

namespace laurel {

void end_watch(Registry& registry, WatchId watch, bool remote) {
  if (!remote) {
    registry.unwatch(watch);
  } else if (RemoteBoards* const remotes = RemoteBoards::of(registry)) {
    remotes->unwatch(watch);
  }
}

void ScriptResources::unwatch(CallbackKey key) { watches_.erase(key); }

void ScriptResources::unhear(CallbackKey key) {
  std::erase_if(hearing_, [key](const Listening& hearing) { return hearing.key == key; });
}

void ScriptResources::forget(const std::vector<CallbackKey>& keys) {
  for (const CallbackKey key : keys) watches_.erase(key);
  std::erase_if(hearing_, [&keys](const Listening& hearing) {
    return std::ranges::find(keys, hearing.key) != keys.end();
  });
}

void ScriptResources::serve(std::string_view options, Registry::ObserverId channel) {
  channels_.push_back({std::string(options), channel});
}

std::optional<Registry::ObserverId> ScriptResources::take_over(const Registry& registry,
                                                               std::string_view options) {
  const auto offered = std::ranges::find_if(offered_, [&](const Channel& channel) {
    return channel.options == options && registry.observer(channel.id) != nullptr;
  });
  if (offered == offered_.end()) return std::nullopt;
  channels_.push_back(std::move(*offered));
  offered_.erase(offered);
  return channels_.back().id;
}

void ScriptResources::end(Registry* registry, const ScriptResources* other) {
  if (registry != nullptr && !registry->closed()) {
    for (const auto& [key, watch] : watches_) end_watch(*registry, watch.id, watch.remote);
    for (const Listening& hearing : hearing_) registry->season_ends().end(hearing.id);
    for (const Channel& channel : channels_) {
      if (other == nullptr || !other->has(channel.id)) registry->detach(channel.id);
    }
  }
  decltype(watches_)().swap(watches_);
  decltype(hearing_)().swap(hearing_);
  decltype(channels_)().swap(channels_);
  decltype(offered_)().swap(offered_);
  ended_ = true;
}

bool ScriptResources::has(Registry::ObserverId channel) const {
  return std::ranges::any_of(channels_,
                             [channel](const Channel& own) { return own.id == channel; });
}

}  // namespace laurel
