// kept_rows.h - rows under one letter of a space: what a durable store has of a set of players, so
// that it is there again when the store is opened.
//
//   where    nothing outlives the process nothing is written.
//   threads  one caller at a time.
#pragma once

#include <functional>
#include <string_view>

#include "store/space.h"

namespace laurel {

class KeptRows {
 public:
  // The store outlives the rows.
  KeptRows(const Space& space, char letter) : space_(space), letter_(letter) {}

  void put(std::string_view key, std::string_view value = {}) const;
  void erase(std::string_view key) const;
  // What the store has, in the order of keys. The visitor writes nothing; views are valid during
  // the visit.
  void each(const std::function<void(std::string_view key, std::string_view value)>& visit) const;

 private:
  bool keeps() const { return space_.store().is_durable(); }

  Space space_;
  char letter_;
};

}  // namespace laurel
