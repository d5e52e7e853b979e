#include "remote/core/player_erasure.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

void Forgetting::add(std::string_view player) {
  Result<Post> kept = journal_.keep(name_, PostKind::forget, {.player = std::string(player)});
  if (kept) {
    forgotten_.push_back(std::move(*kept));
    return;
  }
  requests_.registry().log().error("remote \"{}\": the erasure of player \"{}\" cannot be sent: {}",
                                   remote_.name, escaped(player, 64), kept.refusal().text());
}

void Forgetting::restore(const std::vector<Post>& forgotten) {
  forgotten_.insert(forgotten_.end(), forgotten.begin(), forgotten.end());
}

void Forgetting::tick() {
  if (sent_ || forgotten_.empty() || requests_.steady() < retry_at_) return;
  sent_ = true;
  std::string player = unpack_post(forgotten_.front().row)->what.player;
  requests_.ask(remote_, Target(), make_(std::move(player)), requests_.deadline(),
                [this](const Result<Value>& value) { answered(value); });
}

// A failed request is repeated; the remote continues an interrupted one.
void Forgetting::answered(const Result<Value>& value) {
  sent_ = false;
  if (!value && value.refusal().code() == Code::unavailable) {
    backoff_ = std::clamp(backoff_ * 2, kRemoteRetryMin, kRemoteRetryMax);
    retry_at_ = requests_.steady() + backoff_;
    return;
  }
  if (!value) journal_.refused(name_, forgotten_.front(), value.refusal());
  journal_.done(forgotten_.front());
  forgotten_.pop_front();
  backoff_ = 0;
}

}  // namespace laurel
