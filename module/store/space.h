// space.h - a part of a store: the keys under one prefix, for one owner.
//
//   space    has a number of its own in its registry, never used twice. Its keys in the store are a
//            letter, the number in 8 bytes (most significant first), and the owner's part.
//   owner    an engine, one for each incarnation of a board's entries; a table of profiles.
//   cursor   stays inside the space and shows the owner's part of keys.
//   end      a space is emptied in bounded steps by erase_some.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace laurel {

using SpaceNumber = std::uint64_t;

class Space {
 public:
  // `store` outlives the space.
  Space(Store& store, SpaceNumber number);

  SpaceNumber number() const { return number_; }
  Store& store() const { return store_; }

  std::optional<std::string_view> get(std::string_view key) const;
  std::unique_ptr<Cursor> cursor() const;
  // The same over a snapshot of the store.
  std::unique_ptr<Cursor> cursor(const Reader& reader) const;
  std::optional<std::string_view> get(const Reader& reader, std::string_view key) const;

  // Adds to a batch of the store.
  void put(Batch& batch, std::string_view key, std::string_view value) const;
  void erase(Batch& batch, std::string_view key) const;

  // Of a key, before the owner's part.
  static constexpr std::size_t kPrefixBytes = 9;

  // Erases up to `entries` entries; whether any are left.
  bool erase_some(std::size_t entries);

 private:
  std::string whole(std::string_view key) const;

  Store& store_;
  SpaceNumber number_;
  std::string prefix_;
};

}  // namespace laurel
