#include "remote/core/player_erasure.h"

#include <utility>

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
  if (forgotten_.empty() || !request_.is_due()) return;
  std::string player = unpack_post(forgotten_.front().row)->what.player;
  request_.send(remote_, Target(), make_(std::move(player)), requests_.deadline(),
                [this](const Result<Value>& value) { answered(value); });
}

// A failed request is repeated; the remote continues an interrupted one.
void Forgetting::answered(const Result<Value>& value) {
  if (!value && value.refusal().code() == Code::unavailable) return request_.fail();
  if (!value) journal_.refused(name_, forgotten_.front(), value.refusal());
  journal_.done(forgotten_.front());
  const Post done = std::move(forgotten_.front());
  forgotten_.pop_front();
  request_.succeed();
  on_done(unpack_post(done.row)->what.player);
}

}  // namespace laurel
