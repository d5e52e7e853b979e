// shown_values.h - scores and moments as tables and CSV show them, and as people write them.
//
//   score    a number; on a board with columns a number for each, with commas between them.
//   moment   Unix seconds, or ISO 8601 in UTC: 2026-11-26T08:15:00.000000Z. A space may stand for
//            the T, the Z may be missing, and so may the fraction or the seconds.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "board/standings/change.h"
#include "rank/score/score_columns.h"

namespace laurel {

// Sets the score of a submission; `values` outlive it. `columns` are the board's, or null. Fails
// with bad_data.
Status read_shown_score(std::string_view text, const ScoreColumns* columns, Submission& submission,
                        ColumnValues& values);
std::string text_of_score(double score, const ScoreColumns* columns);

// Unix seconds. Fails with bad_data.
Result<double> read_moment(std::string_view text);

}  // namespace laurel
