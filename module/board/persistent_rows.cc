#include "board/persistent_rows.h"

#include <string>

namespace laurel {

void PersistentRows::put(std::string_view key, std::string_view value) const {
  if (!keeps()) return;
  Batch batch;
  space_.put(batch, std::string(1, prefix_).append(key), value);
  space_.store().write(batch);
}

void PersistentRows::erase(std::string_view key) const {
  if (!keeps()) return;
  Batch batch;
  space_.erase(batch, std::string(1, prefix_).append(key));
  space_.store().write(batch);
}

void PersistentRows::each(
    const std::function<void(std::string_view, std::string_view)>& visit) const {
  const std::unique_ptr<Cursor> at = space_.cursor();
  for (bool on = at->seek({&prefix_, 1}); on && at->key().front() == prefix_; on = at->next()) {
    visit(at->key().substr(1), at->value());
  }
}

}  // namespace laurel
