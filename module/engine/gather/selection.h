// selection.h - where a row stands in parts, and where a position of all parts together lies in
// each of them.
//
//   part      one order; no player is in two of them.
//   reads     the rows looked at on the way are counted as entries.
//   source    selection in sorted lists by weighted medians: G. N. Frederickson, D. B. Johnson,
//             "The Complexity of Selection and Ranking in X+Y and Matrices with Sorted Columns",
//             JCSS 24 (1982). Differs in that the first medians are taken where the position is
//             expected, if players are spread by chance: then two or three steps are enough.
#pragma once

#include <cstddef>
#include <span>

#include "engine/engine.h"

namespace laurel {

// How many rows of the part stand before the row, whether or not it is there. Two counts and, where
// others have its score, O(log of those) rows read.
std::size_t rows_before(const EngineView& part, const EngineRow& row, Ties ties,
                        EngineReads& reads);

// Fills `starts` with how many rows of each part to leave out so that, of all rows, those left out
// are the first ones up to `position` or a little less; returns how much less, at most
// kGatherSkipMax rows a part. O(p log n) calls of rows_before.
// REQUIRES: position is less than the number of rows.
std::size_t approach(std::span<const EngineView* const> parts, std::size_t position, Ties ties,
                     EngineReads& reads, std::span<std::size_t> starts);

}  // namespace laurel
