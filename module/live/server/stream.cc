#include "live/server/stream.h"

#include <algorithm>

#include "live/wire/delta.h"

namespace laurel {

namespace {

bool same_cut(const Window& a, const Window& b, std::size_t n) {
  const std::size_t in_a = std::min(n, a.entries.size()), in_b = std::min(n, b.entries.size());
  return a.size == b.size && std::equal(a.entries.begin(), a.entries.begin() + in_a,
                                        b.entries.begin(), b.entries.begin() + in_b);
}

}  // namespace

Stream::Stream(std::uint32_t number, std::size_t n, std::shared_ptr<const WindowRing> ring)
    : number_(number), n_(n), ring_(std::move(ring)), current_(ring_->newest()) {}

void Stream::advance() {
  const WindowPtr newest = ring_->newest();
  if (newest == current_ || same_cut(*newest, *current_, n_)) return;
  previous_ = std::exchange(current_, newest);
  whole_made_ = false;
  encoded_.clear();
}

const Stream::Encoded& Stream::message(std::optional<std::uint64_t> base,
                                       std::uint64_t& encodings) {
  WindowPtr from;
  if (base && previous_ && previous_->version == *base)
    from = previous_;
  else if (base)
    from = ring_->find(*base);
  for (const auto& [window, encoded] : encoded_) {
    if (window == from) return encoded;
  }

  ++encodings;
  if (!whole_made_) {
    whole_ = *whole_body(*current_, n_);
    digest_ = digest(*current_, n_, whole_);
    whole_made_ = true;
  }
  Encoded encoded;
  if (from) {
    const std::string delta = delta_body(*from, *current_, n_);
    if (delta.size() < whole_.size()) encoded = encode(current_->version - from->version, delta);
  }
  if (!encoded.bytes) encoded = encode(0, whole_);
  return encoded_.emplace_back(std::move(from), std::move(encoded)).second;
}

Stream::Encoded Stream::encode(std::uint64_t back, const std::string& body) const {
  State state;
  state.stream = number_;
  state.version = current_->version;
  state.back = back;
  state.size = current_->size;
  state.digest = digest_;
  state.count = static_cast<std::uint8_t>(std::min(n_, current_->entries.size()));
  state.body = body;
  Encoded encoded;
  encoded.bytes = std::make_shared<const std::string>(laurel::encode(ServerMessage(state)));
  if (encoded.bytes->size() > kLiveDatagramBytesMax) encoded.channel = Channel::reliable;
  return encoded;
}

}  // namespace laurel
