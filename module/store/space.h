// space.h - a part of a store: the keys under one prefix, for one owner.
//
//   space   has a number that is unique in its registry and never reused. A key in the store is a
//           letter, the space number in 8 bytes (most significant first) and the owner's key.
//   owner   an engine (one for each generation of a board's entries) or a table of profiles.
//   cursor  stays inside the space and shows the owner's part of the keys.
//   end     erase_some() empties a space that is no longer used, in bounded steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "store/write_buffer.h"

namespace laurel {

using SpaceNumber = std::uint64_t;

class Space {
 public:
  // `store` outlives the space.
  Space(Store& store, SpaceNumber number) : store_(store), number_(number) {}

  // The numbers of all spaces that have entries in the store.
  static std::vector<SpaceNumber> numbers(const Reader& reader);

  // The space of a key of the store; nullopt if it is in none.
  static std::optional<SpaceNumber> number_of(std::string_view key);

  SpaceNumber number() const { return number_; }
  Store& store() const { return store_; }

  std::optional<std::string_view> get(std::string_view key) const;
  std::unique_ptr<Cursor> cursor() const;
  // Reads from a snapshot of the store instead.
  std::unique_ptr<Cursor> cursor(const Reader& reader) const;
  std::optional<std::string_view> get(const Reader& reader, std::string_view key) const;

  // These add a write to a batch of the store.
  void put(Batch& batch, std::string_view key, std::string_view value) const;
  void erase(Batch& batch, std::string_view key) const;

  // The bytes of a key before the owner's part.
  static constexpr std::size_t kPrefixBytes = 9;

  // A buffer for rows that are read only when the store is opened; null for a memory store.
  std::unique_ptr<WriteBuffer> open_buffer() const;

  // Erases up to `entries` entries; returns true if the caller should call again. REQUIRES: the
  // entries are no longer read or written.
  bool erase_some(std::size_t entries);
  // As above, but only keys that begin with the owner's prefix.
  bool erase_some(std::string_view prefix, std::size_t entries);

 private:
  std::string whole(std::string_view key) const;

  Store& store_;
  SpaceNumber number_;
};

}  // namespace laurel
