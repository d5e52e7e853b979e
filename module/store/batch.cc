#include <cassert>

#include "base/limits.h"
#include "store/store.h"

namespace laurel {

void Batch::put(std::string_view key, std::string_view value) {
  assert(!key.empty() && key.size() <= kStoreKeyBytesMax && value.size() <= kStoreValueBytesMax);
  const std::size_t begin = bytes_.size();
  bytes_.append(key).append(value);  // may throw: no span names these bytes yet
  spans_.push_back({begin, static_cast<std::uint32_t>(key.size()),
                    static_cast<std::uint32_t>(value.size()), false});
}

void Batch::erase(std::string_view key) {
  assert(!key.empty() && key.size() <= kStoreKeyBytesMax);
  const std::size_t begin = bytes_.size();
  bytes_.append(key);
  spans_.push_back({begin, static_cast<std::uint32_t>(key.size()), 0, true});
}

void Batch::clear() {
  bytes_.clear();
  spans_.clear();
}

void Batch::reserve(std::size_t writes, std::size_t bytes) {
  spans_.reserve(writes);
  bytes_.reserve(bytes);
}

Batch::Write Batch::operator[](std::size_t i) const {
  const Span& span = spans_[i];
  const std::string_view all = bytes_;
  Write write{.key = all.substr(span.begin, span.key_size), .value = std::nullopt};
  if (!span.erases) write.value = all.substr(span.begin + span.key_size, span.value_size);
  return write;
}

}  // namespace laurel
