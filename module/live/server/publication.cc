#include "live/server/publication.h"

#include <algorithm>
#include <utility>

namespace laurel {

namespace {

bool consist_of_the_same(const Window& a, const Window& b) {
  return format_of(a, kWireVersionMax) == format_of(b, kWireVersionMax);
}

bool look_the_same(const Window& a, const Window& b) {
  return a.size == b.size && a.entries == b.entries;
}

}  // namespace

Publication::Publication(WindowPtr window, Numbers& numbers, std::size_t kept)
    : numbers_(numbers), kept_(kept) {
  begin(std::move(window));
}

void Publication::begin(WindowPtr window) {
  epoch_ = numbers_.epoch();
  window_ = std::move(window);
  version_ = window_->version;
  editions_ = {};
}

Publication::News Publication::push(WindowPtr window) {
  if (window->epoch != window_->epoch || !consist_of_the_same(*window, *window_)) {
    begin(std::move(window));
    return News::epoch;
  }
  if (look_the_same(*window, *window_)) return News::none;
  window_ = std::move(window);
  version_ = std::max(window_->version, version_ + 1);
  bool any = false;
  for (std::uint8_t version = kWireVersionMin; version <= kWireVersionMax; ++version) {
    Edition& each = edition(version);
    // A stream that only this list refers to has no subscribers left.
    std::erase_if(each.streams, [](const StreamPtr& stream) { return stream.use_count() == 1; });
    if (!each.streams.empty() && bring_up(each, version)) any = true;
  }
  return any ? News::version : News::none;
}

bool Publication::bring_up(Edition& edition, std::uint8_t version) {
  if (edition.seen == window_) return false;
  edition.seen = window_;
  auto next =
      std::make_shared<const EncodedWindow>(*window_, kLiveTopMax, *format_of(*window_, version));
  if (next->count() < std::min(window_->entries.size(), kLiveTopMax)) {
    if (!std::exchange(cut_, true)) fitted_ = next->count();
  }
  if (!edition.ring) {
    edition.ring = std::make_shared<WindowRing>(kept_);
  } else if (*next == *edition.ring->newest().window) {
    return false;
  }
  edition.ring->push({std::move(next), version_});
  for (const StreamPtr& stream : edition.streams) stream->advance();
  return true;
}

bool Publication::is_shown_in(std::uint8_t version) const {
  return format_of(*window_, version).has_value();
}

StreamPtr Publication::stream(std::uint8_t version, std::size_t n) {
  Edition& wanted = edition(version);
  bring_up(wanted, version);  // without subscribers it may have missed windows
  for (const StreamPtr& stream : wanted.streams) {
    if (stream->n() == n) return stream;
  }
  return wanted.streams.emplace_back(
      std::make_shared<Stream>(numbers_.stream(), epoch_, n, wanted.ring));
}

std::optional<std::size_t> Publication::take_cut() { return std::exchange(fitted_, std::nullopt); }

}  // namespace laurel
