// change.h - what comes in, and what came of it.
//
//   submission   one result that somebody hands in, not judged yet
//   entry        what a board holds of one player, as it is read
//   change       what one submission did: the only thing that anybody downstream is told
//
// All times are Unix time in microseconds, all ranks 1-based in the board's ranking mode.
// Views of players and data are valid until the board's next change, unless said otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laurel {

// How a result is handed in: for `keep` to judge, or to be added whatever `keep` says.
enum class Act : std::uint8_t { submit, add };

struct Submission {
  std::string_view player;
  double score = 0;                      // for `add` the difference
  std::optional<std::string_view> data;  // nothing is not the same as an empty string
  std::optional<double> at;              // Unix seconds; nothing: now
};

struct Entry {
  std::string_view player;
  double score = 0;
  std::uint64_t rank = 0;
  Time at = 0;
  std::optional<std::string_view> data;
  std::uint64_t overall = 0;  // rank on the whole board, where `rank` is among a few
};

using Entries = std::vector<Entry>;

// What a submission came to, in brief.
struct Outcome {
  double score = 0;      // now held
  bool changed = false;  // whether the entry is another than before
};

struct Change {
  std::string player;
  std::string board;
  double score = 0;
  std::optional<double> previous;  // the score held before
  std::uint64_t rank = 0;
  std::optional<std::uint64_t> previous_rank;  // nothing for a new entry
  std::uint64_t passed = 0;                    // positions overtaken; by a new entry all behind it
  Time at = 0;
  bool changed = false;
};

}  // namespace laurel
