#include "live/server/publication.h"

#include <algorithm>

#include "live/wire/delta.h"

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
  ring_->push(prepared(window, window.version));
}

WindowPtr Publication::prepared(const Window& window, std::uint64_t version) {
  auto copy = std::make_shared<Window>();
  copy->epoch = epoch_;
  copy->version = version;
  copy->size = window.size;
  const std::size_t most = std::min(window.entries.size(), kLiveTopMax);
  copy->entries.assign(window.entries.begin(), window.entries.begin() + most);
  if (const std::size_t fitting = entries_that_fit(*copy); fitting < most) {
    copy->entries.resize(fitting);
    cut_ = true;
  }
  return copy;
}

Publication::News Publication::push(const Window& window) {
  if (window.epoch != posted_epoch_) {
    begin(window);
    return News::epoch;
  }
  const WindowPtr newest = ring_->newest();
  WindowPtr next = prepared(window, std::max(window.version, newest->version + 1));
  if (next->size == newest->size && next->entries == newest->entries) return News::none;
  ring_->push(std::move(next));
  // A stream that only this list refers to has no subscribers left.
  std::erase_if(streams_, [](const StreamPtr& stream) { return stream.use_count() == 1; });
  for (const StreamPtr& stream : streams_) stream->advance();
  return News::version;
}

StreamPtr Publication::stream(std::size_t n) {
  for (const StreamPtr& stream : streams_) {
    if (stream->n() == n) return stream;
  }
  return streams_.emplace_back(std::make_shared<Stream>(numbers_.stream(), n, ring_));
}

}  // namespace laurel
