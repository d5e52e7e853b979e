#include "board/persistent_rows.h"

#include <string>

namespace laurel {

void PersistentRows::write(std::string_view key, std::optional<std::string_view> value) const {
  if (!space_.store().is_durable()) return;
  Batch batch;
  const std::string row = std::string(1, prefix_).append(key);
  value ? space_.put(batch, row, *value) : space_.erase(batch, row);
  space_.store().write(batch);
}

std::optional<std::string_view> PersistentRows::get(std::string_view key) const {
  return space_.get(std::string(1, prefix_).append(key));
}

void PersistentRows::each(
    const std::function<void(std::string_view, std::string_view)>& visit) const {
  const std::unique_ptr<Cursor> at = space_.cursor();
  for (bool on = at->seek({&prefix_, 1}); on && at->key().front() == prefix_; on = at->next()) {
    visit(at->key().substr(1), at->value());
  }
}

}  // namespace laurel
