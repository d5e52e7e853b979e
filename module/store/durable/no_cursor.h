// no_cursor.h - a cursor over nothing, used if a file cannot be read.
#pragma once

#include "store/store.h"

namespace laurel {

class NoCursor final : public Cursor {
 public:
  bool seek(std::string_view) override { return false; }
  bool seek_before(std::string_view) override { return false; }
  bool next() override { return false; }
  bool previous() override { return false; }
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
};

}  // namespace laurel
