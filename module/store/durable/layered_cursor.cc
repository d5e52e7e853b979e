#include "store/durable/layered_cursor.h"

#include <utility>

#include "store/durable/layer_value.h"

namespace laurel {

LayeredCursor::LayeredCursor(std::vector<std::unique_ptr<Cursor>> layers) {
  for (auto& cursor : layers) layers_.push_back({std::move(cursor), false});
}

bool LayeredCursor::seek(std::string_view key) {
  way_ = Way::forward;
  for (Layer& layer : layers_) layer.stands = layer.cursor->seek(key);
  return settle();
}

bool LayeredCursor::seek_before(std::string_view key) {
  way_ = Way::back;
  for (Layer& layer : layers_) layer.stands = layer.cursor->seek_before(key);
  return settle();
}

bool LayeredCursor::next() {
  if (way_ == Way::back) {
    turn(Way::forward);
  } else {
    step_from(key());
  }
  return settle();
}

bool LayeredCursor::previous() {
  if (way_ == Way::forward) {
    turn(Way::back);
  } else {
    step_from(key());
  }
  return settle();
}

std::string_view LayeredCursor::value() const {
  const std::string_view value = layers_[current_].cursor->value();
  return current_ + 1 < layers_.size() ? layer_value(value).value_or("") : value;
}

bool LayeredCursor::is_erased(std::size_t layer) const {
  return layer + 1 < layers_.size() && !layer_value(layers_[layer].cursor->value());
}

// Moves in the current direction to the next key that has a value in the newest layer with that
// key.
bool LayeredCursor::settle() {
  for (;;) {
    bool stands = false;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (!layers_[i].stands) continue;
      const int order = stands ? layers_[i].cursor->key().compare(key()) : 0;
      if (stands && (way_ == Way::forward ? order >= 0 : order <= 0)) continue;
      current_ = i;
      stands = true;
    }
    if (!stands || !is_erased(current_)) return stands;
    step_from(key());
  }
}

// Moves each layer that is at the key; the layer that owns the key's bytes moves last.
void LayeredCursor::step_from(std::string_view key) {
  const auto step = [this](Layer& layer) {
    layer.stands = way_ == Way::forward ? layer.cursor->next() : layer.cursor->previous();
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (i != current_ && layers_[i].stands && layers_[i].cursor->key() == key) step(layers_[i]);
  }
  step(layers_[current_]);
}

// Changes direction: moves each layer past the current key.
void LayeredCursor::turn(Way way) {
  way_ = way;
  const std::string from(key());
  for (Layer& layer : layers_) {
    if (way == Way::back) {
      layer.stands = layer.cursor->seek_before(from);
    } else {
      layer.stands = layer.cursor->seek(from);
      if (layer.stands && layer.cursor->key() == from) layer.stands = layer.cursor->next();
    }
  }
}

}  // namespace laurel
