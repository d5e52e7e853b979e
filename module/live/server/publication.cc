#include "live/server/publication.h"

#include <algorithm>
#include <utility>

namespace laurel {

Publication::Publication(const Window& window, Numbers& numbers, std::size_t kept)
    : numbers_(numbers), kept_(kept) {
  begin(window);
}

void Publication::begin(const Window& window) {
  epoch_ = numbers_.epoch();
  posted_epoch_ = window.epoch;
  ring_ = std::make_shared<WindowRing>(kept_);
  streams_.clear();
  ring_->push({encoded(window), window.version});
}

EncodedWindowPtr Publication::encoded(const Window& window) {
  auto encoded = std::make_shared<const EncodedWindow>(window, kLiveTopMax);
  if (encoded->count() < std::min(window.entries.size(), kLiveTopMax)) cut_ = true;
  return encoded;
}

Publication::News Publication::push(const Window& window) {
  if (window.epoch != posted_epoch_) {
    begin(window);
    return News::epoch;
  }
  EncodedWindowPtr next = encoded(window);
  const NumberedWindow& newest = ring_->newest();
  if (*next == *newest.window) return News::none;
  const std::uint64_t version = std::max(window.version, newest.version + 1);
  ring_->push({std::move(next), version});
  // A stream that only this list refers to has no subscribers left.
  std::erase_if(streams_, [](const StreamPtr& stream) { return stream.use_count() == 1; });
  for (const StreamPtr& stream : streams_) stream->advance();
  return News::version;
}

StreamPtr Publication::stream(std::size_t n) {
  for (const StreamPtr& stream : streams_) {
    if (stream->n() == n) return stream;
  }
  return streams_.emplace_back(std::make_shared<Stream>(numbers_.stream(), epoch_, n, ring_));
}

}  // namespace laurel
