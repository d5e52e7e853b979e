// space.h - a part of a store: the keys under one prefix, for one owner.
//
//   space    has a number of its own in its registry, never used twice. Its keys in the store are a
//            letter, the number in 8 bytes (most significant first), and the owner's part.
//   owner    an engine, one for each incarnation of a board's entries; a table of profiles.
//   cursor   stays inside the space and shows the owner's part of keys.
//   end      a space is emptied in bounded steps by erase_some, when nobody uses it any more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/row_log.h"
#include "store/store.h"

namespace laurel {

using SpaceNumber = std::uint64_t;

class Space {
 public:
  // `store` outlives the space.
  Space(Store& store, SpaceNumber number) : store_(store), number_(number) {}

  // Those of which the store has entries.
  static std::vector<SpaceNumber> numbers(const Reader& reader);

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

  // For rows that need not be read before the store is opened anew; null in a store of memory.
  std::unique_ptr<RowLog> open_log() const;

  // Erases up to `entries` entries, which nobody reads or writes any more; whether to call again.
  bool erase_some(std::size_t entries);
  // Likewise of those whose keys begin with the owner's prefix.
  bool erase_some(std::string_view prefix, std::size_t entries);

 private:
  std::string whole(std::string_view key) const;

  Store& store_;
  SpaceNumber number_;
};

}  // namespace laurel
