// names.h - a cache of player names, for lists of players that are read again and again.
//
//   name     of the player's profile. It has at least one byte, so an empty view means none.
//   source   of names, if profiles are not the registry's own: it has a cache itself, so each
//            lookup goes there, and the rest of this page is not about it.
//   renames  take_renamed() removes the players who were renamed since its last call. A caller that
//            does not need to know them calls follow_renames().
//   limits   kNamesKept players, in buckets of four; then a player replaces another one of its
//            bucket.
//   memory   none until a name is looked up; then a cache line for each bucket, and the bytes.
//   views    of names are valid until the next call.
//   threads  the registry's caller.
//   cost     a hash and a comparison; a lookup in the profiles for each miss.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "profile/profiles.h"

namespace laurel {

// Names of players whose profiles are not in the registry's store.
class NameSource {
 public:
  virtual ~NameSource() = default;
  // The name as last known, which may be none. Valid until the next call that is not const.
  virtual std::string_view find(std::string_view player) = 0;
  // As those of Profiles.
  virtual std::uint64_t renames() const = 0;
  virtual const std::deque<std::string>& renamed() const = 0;
  // About.
  virtual std::size_t bytes() const = 0;
};

class Names {
 public:
  // `profiles` and `source` must outlive the names. source: null: the profiles are.
  explicit Names(const Profiles& profiles, NameSource* source = nullptr)
      : profiles_(profiles), source_(source) {}

  // False if no player has a name: then find() need not be called.
  bool any() const { return source_ != nullptr || profiles_.has_names(); }
  std::string_view find(std::string_view player) {
    if (source_ != nullptr) return source_->find(player);
    const std::uint64_t hash = secret_(player);
    if (const Known* const known = find(player, hash)) return known->name();
    return learn(player, hash);
  }
  // Sets the `name` of each entry of a window, unless it lists groups.
  template <typename Window>
  void fill(Window& window) {
    if (!any() || window.lists_groups) return;
    for (auto& entry : window.entries) {
      const std::string_view name = find(entry.player);
      if (!name.empty()) entry.name = std::string(name);
    }
  }

  // Returns the cached players who were renamed since the last call; nullopt: too many renames, or
  // the first ones, so any player may be among them.
  std::optional<std::vector<std::string>> take_renamed();
  // Increases with every name that was saved or removed, up to the last call of one of these two.
  std::uint64_t renames() const { return renames_; }
  void follow_renames() {
    if (renames_ != renames_of_source()) (void)take_renamed();
  }
  // About; a scan of the buckets.
  std::size_t bytes() const;

 private:
  // A player's id and name, in one block of memory.
  class Known {
   public:
    Known() = default;
    Known(std::string_view id, std::string_view name);

    std::string_view id() const { return {bytes_.get() + kSizes, size(0)}; }
    std::string_view name() const { return {bytes_.get() + kSizes + size(0), size(1)}; }
    bool empty() const { return !bytes_; }

   private:
    static constexpr std::size_t kSizes = 2;  // bytes: of the id, of the name
    std::size_t size(std::size_t i) const { return static_cast<unsigned char>(bytes_[i]); }

    std::unique_ptr<char[]> bytes_;
  };
  static constexpr std::size_t kSlots = 4;  // of a bucket
  struct Slot {
    std::uint64_t hash = 0;
    Known known;
  };
  struct alignas(64) Bucket {
    std::array<Slot, kSlots> slots;
  };

  std::uint64_t renames_of_source() const {
    return source_ != nullptr ? source_->renames() : profiles_.renames();
  }
  static bool is_free(const Slot& slot) { return slot.known.empty(); }
  Bucket& bucket(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  const Known* find(std::string_view player, std::uint64_t hash) {
    if (buckets_.empty()) return nullptr;
    for (const Slot& slot : bucket(hash).slots) {
      if (slot.hash == hash && !slot.known.empty() && slot.known.id() == player) return &slot.known;
    }
    return nullptr;
  }
  std::string_view learn(std::string_view player, std::uint64_t hash);
  Slot& make_room(std::uint64_t hash);
  void grow();
  bool erase(std::string_view player);

  const Profiles& profiles_;
  NameSource* source_;
  HashSecret secret_ = HashSecret::random();
  std::vector<Bucket> buckets_;  // none, or a power of two
  std::uint64_t renames_ = 0;    // value of the source's renames() at the last take_renamed()
};

}  // namespace laurel
