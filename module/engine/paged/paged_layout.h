// paged_layout.h - how large a paged board is in the store.
#pragma once

#include <cstddef>
#include <optional>

#include "rank/score/score.h"

namespace laurel {

// The size of a paged board in the store.
struct PagedLayout {
  std::size_t layers = 0;
  std::size_t manifests = 0;
  std::size_t entry_sets = 0;
  std::optional<ScoreKey> lowest;  // the last row's score; nullopt on an empty board
};

}  // namespace laurel
