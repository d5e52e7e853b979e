#include "live/server/stream.h"

#include <algorithm>

#include "live/limits.h"

namespace laurel {

namespace {

bool same_cut(const EncodedWindow& a, const EncodedWindow& b, std::size_t n) {
  return a.size() == b.size() && a.first(n) == b.first(n);
}

}  // namespace

Stream::Stream(std::uint32_t number, std::uint64_t epoch, std::size_t n,
               std::shared_ptr<const WindowRing> ring)
    : number_(number), epoch_(epoch), n_(n), ring_(std::move(ring)), current_(ring_->newest()) {}

void Stream::advance() {
  const NumberedWindow& newest = ring_->newest();
  if (same_cut(*newest.window, *current_.window, n_)) return;
  previous_ = std::exchange(current_, newest);
  digest_.reset();
  encoded_.clear();
}

EncodedWindowPtr Stream::window_of(std::uint64_t version) const {
  return previous_.window && previous_.version == version ? previous_.window : ring_->find(version);
}

const Stream::Encoded& Stream::message(std::optional<std::uint64_t> base,
                                       std::uint64_t& encodings) {
  const EncodedWindowPtr from = base ? window_of(*base) : nullptr;
  const std::uint64_t back = from ? current_.version - *base : 0;
  for (const auto& [known, encoded] : encoded_) {
    if (known == back) return encoded;
  }
  ++encodings;
  return encoded_.emplace_back(back, encode(from.get(), back)).second;
}

Stream::Encoded Stream::encode(const EncodedWindow* base, std::uint64_t back) {
  const EncodedWindow& window = *current_.window;
  const std::string_view whole = window.first(n_);
  State state;
  state.stream = number_;
  state.version = current_.version;
  state.size = window.size();
  state.count = static_cast<std::uint8_t>(std::min(n_, window.count()));
  if (!digest_) digest_ = digest(state, epoch_, whole);
  state.digest = *digest_;
  state.body = whole;
  std::string delta;
  if (base != nullptr) {
    delta = delta_body(*base, window, n_);
    if (delta.size() < whole.size()) {
      state.back = back;
      state.body = delta;
    }
  }
  Encoded encoded;
  encoded.bytes = std::make_shared<const std::string>(laurel::encode(ServerMessage(state)));
  if (encoded.bytes->size() > kLiveDatagramBytesMax - kLiveSealBytes) {
    encoded.channel = Channel::reliable;
  }
  return encoded;
}

}  // namespace laurel
