#include "bindings/scripts/script_errors.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

namespace {

// Returns "scripts/goals.lua:3" if the message begins so, else the first 80 bytes of the message.
std::string_view place_of(std::string_view message) {
  for (std::size_t colon = message.find(':'); colon != std::string_view::npos;
       colon = message.find(':', colon + 1)) {
    const std::size_t end = message.find_first_not_of("0123456789", colon + 1);
    if (end != std::string_view::npos && end > colon + 1 && message[end] == ':') {
      return message.substr(0, end);
    }
  }
  return message.substr(0, 80);
}

}  // namespace

void ScriptErrors::report(std::string_view message, std::string_view during,
                          std::string_view traceback) {
  std::string_view place = place_of(message);
  if (places_.size() >= kErrorPlacesMax && !places_.contains(place)) place = "other places";
  auto known = places_.find(place);
  if (known == places_.end()) {
    known = places_.emplace(std::string(place), LogRateLimit(kSameErrorLinesPerSecond)).first;
  }
  if (!known->second.take()) return;

  log_.error("{} ({})", escaped(message, kLogLineBytesMax / 2), during);
  // Skips the lines that are not frames: Lua's traceback begins with a title.
  while (!traceback.empty()) {
    const std::string_view line = traceback.substr(0, traceback.find('\n'));
    traceback.remove_prefix(std::min(traceback.size(), line.size() + 1));
    if (line.starts_with('\t')) log_.error("    {}", escaped(line.substr(1)));
  }
}

void ScriptErrors::tick(Time now) {
  if (now >= second_began_ && now - second_began_ < kSecond) return;
  second_began_ = now;
  for (auto& [place, quota] : places_) {
    if (const std::uint64_t suppressed = quota.refill()) {
      log_.error("{}: {} more errors were not logged", escaped(place), suppressed);
    }
  }
  places_.clear();
}

}  // namespace laurel
