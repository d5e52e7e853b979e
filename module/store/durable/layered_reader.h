// layered_reader.h - reads unwritten changes and the file below them as one map.
//
//   layers   trees of unwritten changes, the newest first (layer_value.h); below them a view of the
//            file.
//   threads  any thread may read; each cursor belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "store/cow_tree.h"
#include "store/durable/lmdb_file.h"
#include "store/store.h"

namespace laurel {

// A cursor over all of it, with nothing of the file if `view` is null. The layers and the view
// outlive the cursor.
std::unique_ptr<Cursor> layered_cursor(std::span<const std::shared_ptr<const CowTree>> layers,
                                       const LmdbFile::View* view);

// Owns what it reads.
class LayeredReader final : public Reader {
 public:
  LayeredReader(std::vector<std::shared_ptr<const CowTree>> layers,
                std::unique_ptr<LmdbFile::View> view)
      : layers_(std::move(layers)), view_(std::move(view)) {}

  std::optional<std::string_view> get(std::string_view key) const override;
  std::unique_ptr<Cursor> cursor() const override;

 private:
  std::vector<std::shared_ptr<const CowTree>> layers_;
  std::unique_ptr<LmdbFile::View> view_;
};

}  // namespace laurel
