// selection.h - finds the position of a row in each part, and splits a position in all parts into a
// position in each of them.
//
//   part    one order; no player is in two of them.
//   reads   the rows read by the search are counted as entries.
//   search  position_search.h.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace laurel {

// The number of the part's rows that are before `row`, which need not be in the part. Costs two
// counts and, if other rows have its score, O(log of their number) rows read.
std::size_t rows_before(const EngineView& part, const EngineRow& row, Ties ties,
                        EngineReads& reads);

// Fills `starts` with the number of rows to skip in each part, so that the skipped rows together
// are the first rows of all, up to `position` or a little less. Returns how many rows less: at most
// kGatherSkipMax for each part. O(p log n) calls of rows_before. REQUIRES: position is less than
// the number of rows.
std::size_t approach(std::span<const EngineView* const> parts, std::size_t position, Ties ties,
                     EngineReads& reads, std::vector<std::size_t>& starts);

}  // namespace laurel
