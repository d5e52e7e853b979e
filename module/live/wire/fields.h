// fields.h - the types of fields that several messages of the live channel have. PROTOCOL.md
// specifies them.
//
//   reading   a field that is out of its range is a failure of the reader. Each value has one form.
//   owner     a text points into the bytes that are read.
//   threads   none; all functions are pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/time.h"
#include "rank/score/score_columns.h"

namespace laurel {

void write_text(ByteWriter& out, std::string_view text);
std::string_view read_text(ByteReader& in, std::size_t bytes_max);
// A text, or none: 0 for none, else the length plus one, then the bytes.
void write_optional(ByteWriter& out, std::optional<std::string_view> text);
std::optional<std::string_view> read_optional(ByteReader& in, std::size_t bytes_min,
                                              std::size_t bytes_max);

std::string_view read_board(ByteReader& in);
std::string_view read_player(ByteReader& in);
// A player, or the empty text for none.
std::string_view read_player_or_none(ByteReader& in);
// One byte: 0 or 1.
bool read_flag(ByteReader& in);
// A double that is finite, and not -0.
double read_number(ByteReader& in);

// Microseconds as a double, which is exact.
void write_time(ByteWriter& out, Time time);
Time read_time(ByteReader& in);
void write_optional(ByteWriter& out, std::optional<Time> time);
std::optional<Time> read_optional_time(ByteReader& in);

// The columns of a board; null: none.
void write_columns(ByteWriter& out, const ScoreColumns* columns);
ScoreColumns::Ptr read_columns(ByteReader& in);
bool same_columns(const ScoreColumns* a, const ScoreColumns* b);

}  // namespace laurel
