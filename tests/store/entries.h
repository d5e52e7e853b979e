// entries.h - helpers for tests that write to stores and read all entries.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "store/store.h"

namespace laurel {

using Map = std::map<std::string, std::string>;

inline void put(Store& store, std::string_view key, std::string_view value) {
  Batch batch;
  batch.put(key, value);
  store.write(batch);
}

inline void erase(Store& store, std::string_view key) {
  Batch batch;
  batch.erase(key);
  store.write(batch);
}

inline std::size_t count(const Reader& reader) {
  std::size_t count = 0;
  const auto cursor = reader.cursor();
  for (bool stands = cursor->seek(""); stands; stands = cursor->next()) ++count;
  return count;
}

// "a=1 b=2", first to last.
inline std::string show(const Reader& reader) {
  std::string shown;
  const auto cursor = reader.cursor();
  for (bool stands = cursor->seek(""); stands; stands = cursor->next()) {
    if (!shown.empty()) shown += ' ';
    shown.append(cursor->key()).append("=").append(cursor->value());
  }
  return shown;
}

// As show(), but from last to first.
inline std::string show_backwards(const Reader& reader) {
  std::string shown;
  const auto cursor = reader.cursor();
  const std::string behind_all(kStoreKeyBytesMax, '\xff');
  bool stands = cursor->seek(behind_all) || cursor->seek_before(behind_all);
  for (; stands; stands = cursor->previous()) {
    if (!shown.empty()) shown += ' ';
    shown.append(cursor->key()).append("=").append(cursor->value());
  }
  return shown;
}

}  // namespace laurel
