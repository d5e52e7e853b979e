#include "store/durable/layered_reader.h"

#include "store/durable/layer_value.h"
#include "store/durable/layered_cursor.h"
#include "store/durable/no_cursor.h"
#include "store/tree_cursor.h"

namespace laurel {

std::unique_ptr<Cursor> layered_cursor(std::span<const std::shared_ptr<const CowTree>> layers,
                                       const LmdbFile::View* view) {
  std::vector<std::unique_ptr<Cursor>> cursors;
  for (const auto& layer : layers) {
    if (layer->size() > 0) cursors.push_back(std::make_unique<TreeCursor>(layer->root()));
  }
  auto below = view != nullptr ? view->cursor() : std::make_unique<NoCursor>();
  if (cursors.empty()) return below;
  cursors.push_back(std::move(below));
  return std::make_unique<LayeredCursor>(std::move(cursors));
}

std::optional<std::string_view> LayeredReader::get(std::string_view key) const {
  for (const auto& layer : layers_) {
    if (const auto stored = layer->get(key)) return layer_value(*stored);
  }
  return view_->get(key);
}

std::unique_ptr<Cursor> LayeredReader::cursor() const {
  return layered_cursor(layers_, view_.get());
}

}  // namespace laurel
