#include "live/wire/fields.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace laurel {

namespace {
constexpr double kTimeMax = 8'589'934'592e6;  // +-2^33 seconds: see time.h
constexpr std::uint8_t kDesc = 0, kAsc = 1;
}  // namespace

void write_text(ByteWriter& out, std::string_view text) {
  out.leb(text.size());
  out.bytes(text);
}

std::string_view read_text(ByteReader& in, std::size_t bytes_max) {
  return in.bytes(in.leb(bytes_max));
}

void write_optional(ByteWriter& out, std::optional<std::string_view> text) {
  out.leb(text ? text->size() + 1 : 0);
  if (text) out.bytes(*text);
}

std::optional<std::string_view> read_optional(ByteReader& in, std::size_t bytes_min,
                                              std::size_t bytes_max) {
  const std::uint64_t size_and_one = in.leb(bytes_max + 1);
  if (size_and_one == 0) return std::nullopt;
  if (size_and_one <= bytes_min) in.fail();
  return in.bytes(size_and_one - 1);
}

std::string_view read_board(ByteReader& in) {
  const std::string_view board = read_text(in, kBoardNameBytesMax);
  if (board.empty() || board.find('\0') != std::string_view::npos) in.fail();
  return board;
}

std::string_view read_player(ByteReader& in) {
  const std::string_view player = read_player_or_none(in);
  if (player.empty()) in.fail();
  return player;
}

std::string_view read_player_or_none(ByteReader& in) {
  const std::string_view player = read_text(in, kPlayerBytesMax);
  if (player.find('\0') != std::string_view::npos) in.fail();
  return player;
}

bool read_flag(ByteReader& in) {
  const std::uint8_t flag = in.u8();
  if (flag > 1) in.fail();
  return flag == 1;
}

double read_number(ByteReader& in) {
  const double number = in.f64();
  if (!std::isfinite(number) || (number == 0 && std::signbit(number))) in.fail();
  return in.ok() ? number : 0;
}

void write_time(ByteWriter& out, Time time) { out.f64(static_cast<double>(time)); }

Time read_time(ByteReader& in) {
  const double time = read_number(in);
  if (std::fabs(time) > kTimeMax || time != std::floor(time)) in.fail();
  return in.ok() ? static_cast<Time>(time) : 0;
}

void write_optional(ByteWriter& out, std::optional<Time> time) {
  out.u8(time ? 1 : 0);
  if (time) write_time(out, *time);
}

std::optional<Time> read_optional_time(ByteReader& in) {
  if (!read_flag(in)) return std::nullopt;
  return read_time(in);
}

void write_columns(ByteWriter& out, const ScoreColumns* columns) {
  const std::size_t count = columns == nullptr ? 0 : columns->size();
  out.u8(static_cast<std::uint8_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const ScoreColumn& column = (*columns)[i];
    write_text(out, column.name);
    out.u8(column.order == Order::asc ? kAsc : kDesc);
    out.u8(static_cast<std::uint8_t>(column.decimals));
    out.f64(column.min);
    out.f64(column.max);
  }
}

ScoreColumns::Ptr read_columns(ByteReader& in) {
  const std::size_t count = in.u8();
  if (count == 0) return nullptr;
  if (count > kColumnsMax) in.fail();
  std::vector<ScoreColumn> columns;
  for (std::size_t i = 0; in.ok() && i < count; ++i) {
    ScoreColumn& column = columns.emplace_back();
    column.name = read_text(in, kColumnNameBytesMax);
    column.order = read_flag(in) ? Order::asc : Order::desc;
    column.decimals = in.u8();
    column.min = read_number(in);
    column.max = read_number(in);
  }
  if (!in.ok()) return nullptr;
  const Result<ScoreColumns::Ptr> made = ScoreColumns::make(std::move(columns));
  if (!made) in.fail();
  return made ? *made : nullptr;
}

bool same_columns(const ScoreColumns* a, const ScoreColumns* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a == b || a->text() == b->text();
}

}  // namespace laurel
