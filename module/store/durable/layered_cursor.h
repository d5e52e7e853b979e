// layered_cursor.h - reads several ordered maps as one; the newest layer that has a key wins.
//
//   layer    a map of bytes. In all layers except the oldest, the first byte of a value tells
//            whether the key is erased (layer_value.h). A key erased in one layer is hidden in all
//            layers below.
//   cost     a step moves each layer whose cursor is at the same key; changing direction is a seek
//            in each layer.
//   threads  one, as for each cursor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace laurel {

class LayeredCursor final : public Cursor {
 public:
  // The newest layer comes first. REQUIRES: at least one layer; the maps do not change while the
  // cursor is used.
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
