#include "live/server/names.h"

#include "base/limits.h"

namespace laurel {

void Names::fill(Window& window, const Profiles& profiles) {
  for (WindowEntry& entry : window.entries) {
    const auto known = names_.find(entry.player);
    if (known != names_.end()) {
      entry.name = known->second;
      continue;
    }
    if (const std::optional<Profile> profile = profiles.get(entry.player)) {
      entry.name = profile->name;
    }
    if (names_.size() >= kLiveNamesKept) names_.clear();
    names_.emplace(entry.player, entry.name);
  }
}

std::optional<std::vector<std::string>> Names::take_renamed(const Profiles& profiles) {
  std::vector<std::string> shown;
  const std::uint64_t since = profiles.renames() - renames_;
  renames_ = profiles.renames();
  if (since > profiles.renamed().size()) {
    names_.clear();
    return std::nullopt;
  }
  for (std::uint64_t i = profiles.renamed().size() - since; i < profiles.renamed().size(); ++i) {
    const std::string& player = profiles.renamed()[i];
    if (names_.erase(player) > 0) shown.push_back(player);
  }
  return shown;
}

}  // namespace laurel
