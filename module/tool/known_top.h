// known_top.h - the last known top of a remote board, which a server left in its directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "tool/answer.h"
#include "tool/source.h"

namespace laurel::tool {

// The entries as `top` shows those of a local board, each with `remote` and `known_at` in JSON, and
// the sentence that says so. Fails with unavailable if the directory has none, or if a season is
// asked for; with bad_data if the row is damaged. REQUIRES: source.is_remote(board).
Result<Answer> show_known_top(Source& source, const std::string& board, std::size_t first,
                              std::size_t n, std::optional<std::uint64_t> season);

}  // namespace laurel::tool
