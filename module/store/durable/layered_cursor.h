// layered_cursor.h - several ordered maps read as one: what a newer layer says of a key counts.
//
//   layer    a map of bytes. In all but the oldest a value says first whether there is one
//            (layer_value.h): what was erased there is erased for all below.
//   cost     each step one of every layer that stands on the same key; turning round is a seek in
//            each of them.
//   threads  as a cursor: one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace laurel {

class LayeredCursor final : public Cursor {
 public:
  // The newest layer first. REQUIRES: at least one; the maps stay as they are while it is used.
  explicit LayeredCursor(std::vector<std::unique_ptr<Cursor>> layers);

  bool seek(std::string_view key) override;
  bool seek_before(std::string_view key) override;
  bool next() override;
  bool previous() override;
  std::string_view key() const override { return layers_[current_].cursor->key(); }
  std::string_view value() const override;

 private:
  struct Layer {
    std::unique_ptr<Cursor> cursor;
    bool stands = false;
  };
  enum class Way : std::uint8_t { forward, back };

  bool settle();
  bool is_erased(std::size_t layer) const;
  void step_from(std::string_view key);
  void turn(Way way);

  std::vector<Layer> layers_;
  std::size_t current_ = 0;
  Way way_ = Way::forward;
};

}  // namespace laurel
