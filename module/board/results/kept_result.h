// kept_result.h - one accepted result of a player, as the history of a board keeps it.
//
//   row      the result as bytes: a value in the store. Views of a ResultRow are those of the bytes
//            that it was unpacked from.
//   number   counts a player's results, without a gap. It may wrap around.
//   before   what the player held when the result came; absent if there was no entry. So what is
//            held after a result is what the next one has before it, and what counts for results
//            that are not kept is before the oldest one.
//   form     one byte with `by` in its two low bits and, above them, whether there are data,
//            before, data of before, and a rule's version; number 4 bytes; score and moment, 8
//            bytes each; then what there is, in that order: data after its size in 2 bytes, score
//            and moment of before, its data after its size in 2 bytes, the version after its size
//            in 1 byte; and on a board with columns, if the score is not a whole score, a number of
//            8 bytes for each column after their count in 1 byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/time.h"
#include "board/spec/keep_policy.h"
#include "engine/engine_row.h"
#include "rank/score/score_columns.h"

namespace laurel {

enum class ResultBy : std::uint8_t { submit, add, set, join };

// How the board decided on it.
constexpr WriteMode mode_of(ResultBy by) {
  if (by == ResultBy::add) return WriteMode::add;
  return by == ResultBy::set ? WriteMode::set : WriteMode::submit;
}

struct ResultRow {
  std::uint32_t number = 0;
  ResultBy by = ResultBy::submit;
  ScoreKey score = 0;  // as it was handed in
  Time at = 0;
  std::optional<std::string_view> data;
  std::optional<EngineRow> before;          // without its player
  std::string_view rule_version;            // empty: no rule
  std::optional<ColumnValues> differences;  // handed in, if `score` cannot be: then it is 0
};

inline constexpr std::size_t kResultRowBytesMax = 1 + 4 + 16 + 2 + kDataBytesMax + 16 + 2 +
                                                  kDataBytesMax + 1 + kRuleVersionBytesMax + 1 +
                                                  8 * kColumnsMax;

// Appends the packed row.
void append_result(const ResultRow& row, std::string& bytes);
// The number in a packed row. REQUIRES: it was packed here.
std::uint32_t result_number(std::string_view packed);
// Appends a packed row with another number.
void append_result(std::string_view packed, std::uint32_t number, std::string& bytes);
// Nullopt if the bytes are not a result.
std::optional<ResultRow> unpack_result(std::string_view packed);

// What a player holds.
struct HeldState {
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string> data;

  friend bool operator==(const HeldState&, const HeldState&) = default;
};
HeldState held_state(const EngineRow& row);
EngineRow row_of(const HeldState& held);

// A result that owns its bytes.
struct KeptResult {
  std::uint32_t number = 0;
  ResultBy by = ResultBy::submit;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string> data;
  std::optional<HeldState> before;
  std::string rule_version;
  std::optional<ColumnValues> differences;
};
KeptResult kept_result(const ResultRow& row);
// Views of `result`.
ResultRow row_of(const KeptResult& result);

// A result as scripts see it.
struct PastResult {
  ResultBy by = ResultBy::submit;
  double score = 0;  // as it was handed in
  double held = 0;   // after it
  Time at = 0;
  std::optional<std::string> data;
  std::string rule_version;                 // that accepted it; empty: no rule
  std::optional<ColumnValues> differences;  // in place of `score`
};

}  // namespace laurel
