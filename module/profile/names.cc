#include "profile/names.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace laurel {

namespace {

constexpr std::size_t kBucketsAtFirst = 64;

static_assert(kPlayerBytesMax <= 255 && kPlayerNameBytesMax <= 255, "a size is one byte");

}  // namespace

Names::Known::Known(std::string_view id, std::string_view name)
    : bytes_(std::make_unique_for_overwrite<char[]>(kSizes + id.size() + name.size())) {
  bytes_[0] = static_cast<char>(id.size());
  bytes_[1] = static_cast<char>(name.size());
  std::ranges::copy(name, std::ranges::copy(id, bytes_.get() + kSizes).out);
}

// Out of line, since most names are known.
[[gnu::noinline]] std::string_view Names::learn(std::string_view player, std::uint64_t hash) {
  const std::optional<Profile> profile = profiles_.get(player);
  Known known(player, profile && profile->name ? *profile->name : std::string_view());
  Slot& slot = make_room(hash);
  slot.hash = hash;
  slot.known = std::move(known);
  return slot.known.name();
}

// While there are fewer buckets than allowed, no player is replaced.
Names::Slot& Names::make_room(std::uint64_t hash) {
  constexpr std::size_t kMost = kNamesKept / kSlots;
  if (buckets_.empty()) buckets_ = std::vector<Bucket>(kBucketsAtFirst);
  while (true) {
    auto& slots = bucket(hash).slots;
    const auto free = std::ranges::find_if(slots, is_free);
    if (free != slots.end()) return *free;
    if (buckets_.size() >= kMost) return slots[(hash >> 32U) % kSlots];
    grow();
  }
}

// A bucket's players go to two buckets, so that each of these has room for them.
void Names::grow() {
  std::vector<Bucket> before = std::exchange(buckets_, std::vector<Bucket>(2 * buckets_.size()));
  for (Bucket& old : before) {
    for (Slot& slot : old.slots) {
      if (slot.known.empty()) continue;
      *std::ranges::find_if(bucket(slot.hash).slots, is_free) = std::move(slot);
    }
  }
}

bool Names::erase(std::string_view player) {
  const std::uint64_t hash = secret_(player);
  if (find(player, hash) == nullptr) return false;
  for (Slot& slot : bucket(hash).slots) {
    if (slot.hash == hash && !slot.known.empty() && slot.known.id() == player) slot = Slot();
  }
  return true;
}

std::optional<std::vector<std::string>> Names::take_renamed() {
  std::vector<std::string> shown;
  const std::uint64_t since = renames_of_source() - std::exchange(renames_, renames_of_source());
  if (source_ != nullptr) {
    const auto& latest = source_->renamed();
    if (since > latest.size()) return std::nullopt;
    shown.assign(latest.end() - static_cast<std::ptrdiff_t>(since), latest.end());
    return shown;
  }
  const auto& renamed = profiles_.renamed();
  // While no player had a name, none was looked up.
  const bool first = since > 0 && buckets_.empty();
  if (first || since > renamed.size()) {
    std::vector<Bucket>().swap(buckets_);
    return std::nullopt;
  }
  for (std::uint64_t i = renamed.size() - since; i < renamed.size(); ++i) {
    if (erase(renamed[i])) shown.push_back(renamed[i]);
  }
  return shown;
}

std::size_t Names::bytes() const {
  constexpr std::size_t kKnownBytes = 48;  // of a block, on average
  if (source_ != nullptr) return source_->bytes();
  std::size_t bytes = buckets_.capacity() * sizeof(Bucket);
  for (const Bucket& each : buckets_) {
    for (const Slot& slot : each.slots) bytes += slot.known.empty() ? 0 : kKnownBytes;
  }
  return bytes;
}

}  // namespace laurel
