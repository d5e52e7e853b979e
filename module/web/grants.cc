#include "web/grants.h"

#include "base/steady_clock.h"
#include "web/http/limits.h"

namespace laurel::web {

class Grants::OpenStream final : public Stream {
 public:
  OpenStream(Grants& grants, All::iterator grant) : grants_(grants), grant_(grant) {}
  ~OpenStream() override { grants_.ended(grant_, steady_now()); }
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;

 private:
  Grants& grants_;
  All::iterator grant_;
};

std::optional<std::string> Grants::player_of(std::string_view token, Time now) {
  while (!ending_.empty() && ending_.begin()->first <= now) {
    all_.erase(ending_.begin()->second);
    ending_.erase(ending_.begin());
  }
  const auto found = all_.find(token);
  if (found == all_.end()) return std::nullopt;
  return found->second.player;
}

std::unique_ptr<Grants::Stream> Grants::let_in(std::string_view token, std::string_view player) {
  const auto [grant, is_new] = all_.try_emplace(std::string(token));
  if (!is_new && grant->second.streams == 0) ending_.erase({grant->second.until, grant->first});
  grant->second.player = player;
  ++grant->second.streams;
  return std::make_unique<OpenStream>(*this, grant);
}

void Grants::ended(All::iterator grant, Time now) {
  if (--grant->second.streams > 0) return;
  grant->second.until = now + kGrantFor;
  ending_.emplace(grant->second.until, grant->first);
  if (ending_.size() <= kGrantsMax) return;
  all_.erase(ending_.begin()->second);
  ending_.erase(ending_.begin());
}

}  // namespace laurel::web
