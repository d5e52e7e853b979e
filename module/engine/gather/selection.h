// selection.h - finds the position of a row in each part, and splits a position in all parts into a
// position in each of them.
//
//   part    one order; no player is in two of them.
//   reads   the rows read by the search are counted as entries.
//   source  selection in sorted lists by weighted medians: G. N. Frederickson, D. B. Johnson, "The
//           Complexity of Selection and Ranking in X+Y and Matrices with Sorted Columns", JCSS 24
//           (1982). Unlike there, the first medians are taken at the position expected for randomly
//           spread players: then two or three steps are enough.
#pragma once

#include <cstddef>
#include <span>

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
                     EngineReads& reads, std::span<std::size_t> starts);

}  // namespace laurel
