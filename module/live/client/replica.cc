#include "live/client/replica.h"

#include <algorithm>

#include "live/limits.h"

namespace laurel {

void Replica::attach(std::uint32_t stream, std::uint64_t epoch, const EntryFormat& format) {
  attached_ = true;
  stream_ = stream;
  epoch_ = epoch;
  format_ = format;
  received_ = 0;
  bases_.clear();
  if (current_ && current_->epoch == epoch) bases_.push_back(current_);
}

Replica::Taken Replica::take(const State& state) {
  if (received_ < UINT32_MAX) ++received_;
  const bool same_epoch = current_ && current_->epoch == epoch_;
  if (same_epoch && state.version <= current_->version) return Taken::stale;
  const Window* const base = base_of(state);
  if (state.back != 0 && base == nullptr) return Taken::useless;
  std::optional<Window> window = apply(state, epoch_, base, format_);
  if (!window) return Taken::useless;
  // A whole window means that the server has no acknowledgement yet; the next may be of any window.
  const std::uint64_t oldest_of_use = base == nullptr ? 0 : base->version;
  keep(std::make_shared<const Window>(std::move(*window)), oldest_of_use);
  return Taken::news;
}

const Window* Replica::base_of(const State& state) const {
  if (state.back == 0) return nullptr;
  const auto found = std::find_if(bases_.begin(), bases_.end(), [&](const WindowPtr& window) {
    return window->version == state.version - state.back;
  });
  return found == bases_.end() ? nullptr : found->get();
}

void Replica::keep(WindowPtr window, std::uint64_t oldest_of_use) {
  current_ = std::move(window);
  // Acknowledged versions only increase, so the server will not use an older base than this one.
  std::erase_if(bases_, [&](const WindowPtr& held) { return held->version < oldest_of_use; });
  // If all acknowledgements are lost, the server keeps using the oldest base, so the second oldest
  // is dropped.
  if (bases_.size() == kLiveWindowsKept) bases_.erase(bases_.begin() + 1);
  bases_.push_back(current_);
}

std::optional<Ack::Held> Replica::ack() const {
  if (!attached_ || held_epoch() != epoch_) return std::nullopt;
  return Ack::Held{stream_, current_->version, received_};
}

}  // namespace laurel
