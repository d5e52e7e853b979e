// persistent_rows.h - a set of rows under one prefix of a space in the store, such as a set of
// players. It survives a restart.
//
//   memory   if the store is not durable, nothing is written.
//   threads  one caller at a time.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "store/space.h"

namespace laurel {

class PersistentRows {
 public:
  // The store must outlive the rows.
  PersistentRows(const Space& space, char prefix) : space_(space), prefix_(prefix) {}

  // Whether rows are kept at all.
  bool are_kept() const { return space_.store().is_durable(); }
  // Valid until the next write. Nothing if there is no such row.
  std::optional<std::string_view> get(std::string_view key) const;
  void put(std::string_view key, std::string_view value = {}) const { write(key, value); }
  void erase(std::string_view key) const { write(key, std::nullopt); }
  // Visits all rows in order of key. The visitor must not write; its views are valid during the
  // visit.
  void each(const std::function<void(std::string_view key, std::string_view value)>& visit) const;

 private:
  void write(std::string_view key, std::optional<std::string_view> value) const;

  Space space_;
  char prefix_;
};

}  // namespace laurel
