#include "rank/score/score_columns.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "base/checks.h"
#include "base/text.h"

namespace laurel {

namespace {

constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr std::int64_t kBoundMax = kScaledMax + 1;  // 2^53

// ---- the number of a packed score

// Packed scores become doubles in their order: those of the lower half negative ones, the others
// positive. All are normal: a host may have told its processor to take tiny numbers for zero.
constexpr std::uint64_t kPackedHalf = std::uint64_t{1} << 62;
constexpr std::uint64_t kSmallest = std::uint64_t{1} << 52;  // the bits of the smallest normal one
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

double whole_of(std::uint64_t packed) {
  assert(packed < 2 * kPackedHalf);
  return std::bit_cast<double>(packed < kPackedHalf ? kSign | (kPackedHalf - 1 - packed + kSmallest)
                                                    : packed - kPackedHalf + kSmallest);
}

// Absent if it is the number of no packed score.
std::optional<std::uint64_t> packed_of(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const std::uint64_t size = (bits & ~kSign) - kSmallest;
  if (size >= kPackedHalf) return std::nullopt;
  return (bits & kSign) != 0 ? kPackedHalf - 1 - size : kPackedHalf + size;
}

// ---- text

std::string text_of(const ScoreColumn& column) {
  return fmt::format("{} {} {} {} {}", column.name, word(column.order), column.decimals, column.min,
                     column.max);
}

// Cuts off the text before the first separator, and the separator.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string_view without_spaces_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string_view take_word(std::string_view& text) {
  text = without_spaces_before(text);
  return take_part(text, ' ');
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

Refusal no_column(std::string_view text) {
  return {Code::invalid,
          "\"{}\" is no column; it takes a name, and perhaps \"desc\" or \"asc\", the number of "
          "decimals, the least and the largest value",
          escaped(text, 64)};
}

Result<ScoreColumn> column_in(std::string_view text) {
  ScoreColumn column;
  std::string_view rest = text;
  column.name = take_word(rest);
  if (const std::string_view order = take_word(rest); !order.empty()) {
    if (order != "desc" && order != "asc") return no_column(text);
    column.order = order == "asc" ? Order::asc : Order::desc;
  }
  double decimals = 0;
  for (double* const number : {&decimals, &column.min, &column.max}) {
    const std::string_view given = take_word(rest);
    if (given.empty()) break;
    const std::optional<double> read = number_in(given);
    if (!read) return no_column(text);
    *number = *read;
  }
  if (!take_word(rest).empty()) return no_column(text);
  if (!(decimals >= 0 && decimals <= kDecimalsMax) || decimals != std::floor(decimals)) {
    return no_column(text);
  }
  column.decimals = static_cast<int>(decimals);
  return column;
}

int digits_of(std::int64_t number) {
  int digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

bool is_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kColumnNameBytesMax && std::ranges::all_of(name, is_plain);
}

// The scaled bound of a column; absent if it is not exact, or beyond 2^53.
std::optional<std::int64_t> scaled_bound(double bound, int decimals) {
  if (!std::isfinite(bound)) return std::nullopt;
  const double power = kPowers[decimals];
  std::optional<std::int64_t> scaled = scaled_decimal(bound, decimals);
  if (!scaled && std::fabs(bound) * power == static_cast<double>(kBoundMax)) {
    scaled = bound < 0 ? -kBoundMax : kBoundMax;
  }
  if (!scaled || static_cast<double>(*scaled) / power != bound) return std::nullopt;
  return scaled;
}

}  // namespace

// ---- making

ScoreColumns::ScoreColumns(std::vector<ScoreColumn> columns) : columns_(std::move(columns)) {}

Result<ScoreColumns::Ptr> ScoreColumns::make(std::vector<ScoreColumn> columns) {
  if (columns.size() < kColumnsMin || columns.size() > kColumnsMax) {
    return Refusal(Code::invalid, "there are {} columns; a board has {} to {}", columns.size(),
                   kColumnsMin, kColumnsMax);
  }
  const std::shared_ptr<ScoreColumns> made(new ScoreColumns(std::move(columns)));
  if (const Status prepared = made->prepare(); !prepared) return prepared.refusal();
  return Ptr(made);
}

Result<ScoreColumns::Ptr> ScoreColumns::parse(std::string_view text) {
  std::vector<ScoreColumn> columns;
  while (!text.empty()) {
    Result<ScoreColumn> column = column_in(without_spaces_before(take_part(text, ',')));
    if (!column) return column.refusal();
    columns.push_back(std::move(*column));
    if (columns.size() > kColumnsMax) break;
  }
  return make(std::move(columns));
}

Status ScoreColumns::check_name(std::size_t i) const {
  const std::string& name = columns_[i].name;
  if (!is_name(name)) {
    return Refusal(Code::invalid,
                   "a column's name is \"{}\"; it takes 1 to {} letters, digits and \"_\"",
                   escaped(name, 64), kColumnNameBytesMax);
  }
  if (*find(name) == i) return Done{};
  return Refusal(Code::invalid, "two columns are called '{}'", name);
}

Status ScoreColumns::prepare_field(const ScoreColumn& column, Field& field) const {
  if (column.decimals < 0 || column.decimals > kDecimalsMax) {
    return Refusal(Code::invalid, "column '{}': 'decimals' is {}; it takes a whole number, 0 to {}",
                   column.name, column.decimals, kDecimalsMax);
  }
  for (const bool is_min : {true, false}) {
    const double given = is_min ? column.min : column.max;
    const std::optional<std::int64_t> scaled = scaled_bound(given, column.decimals);
    if (!scaled) {
      return Refusal(Code::invalid,
                     "column '{}': '{}' is {}; it takes a number of at most {} decimals that, "
                     "scaled by them, is within +-2^53",
                     column.name, is_min ? "min" : "max", shown(given), column.decimals);
    }
    (is_min ? field.min : field.max) = *scaled;
  }
  if (field.min >= field.max) {
    return Refusal(Code::invalid, "column '{}': 'min' is {}; it takes less than 'max', {}",
                   column.name, column.min, column.max);
  }
  field.range = field.max - field.min;
  field.bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(field.range)));
  field.turned = column.order != order();
  field.digits = digits_of(field.range);
  return Done{};
}

Refusal ScoreColumns::too_many_bits() const {
  unsigned bits = 0;
  std::string each;
  for (std::size_t i = 0; i < size(); ++i) {
    bits += fields_[i].bits;
    fmt::format_to(std::back_inserter(each), "{}{} {}", i == 0 ? "" : ", ", columns_[i].name,
                   fields_[i].bits);
  }
  return {Code::invalid, "columns take {} bits ({}), at most {}", bits, each, kColumnBitsMax};
}

Status ScoreColumns::prepare() {
  unsigned bits = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    columns_[i].min += 0.0;  // turns -0 into 0
    columns_[i].max += 0.0;
    if (Status named = check_name(i); !named) return named;
    if (Status prepared = prepare_field(columns_[i], fields_[i]); !prepared) return prepared;
    bits += fields_[i].bits;
  }
  if (bits > kColumnBitsMax) return too_many_bits();
  for (std::size_t i = 0; i < size(); ++i) {
    bits -= fields_[i].bits;
    fields_[i].shift = bits;
    if (i > 0) text_ += ", ";
    text_ += text_of(columns_[i]);
  }
  return Done{};
}

std::optional<std::size_t> ScoreColumns::find(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return std::nullopt;
}

// ---- packing

Refusal ScoreColumns::out_of_range(std::size_t i, double value) const {
  const ScoreColumn& column = columns_[i];
  return {Code::out_of_range, "column '{}': {} is out of range: it takes {} to {}",
          column.name,        value,
          column.min,         column.max};
}

Result<std::int64_t> ScoreColumns::scaled(std::size_t i, double value) const {
  if (!std::isfinite(value)) {
    return not_finite(fmt::format("column '{}'", columns_[i].name), value);
  }
  if (const std::optional<std::int64_t> scaled = scaled_decimal(value, columns_[i].decimals)) {
    return *scaled;
  }
  if (const auto at_bound = scaled_bound(value, columns_[i].decimals)) return *at_bound;
  return out_of_range(i, value);
}

// Both operands are exact in a double, so the division is the only rounding.
double ScoreColumns::unscaled(std::size_t i, std::int64_t scaled) const {
  return static_cast<double>(scaled) / kPowers[columns_[i].decimals];
}

std::uint64_t ScoreColumns::field_of(std::size_t i, std::int64_t scaled) const {
  const Field& field = fields_[i];
  return static_cast<std::uint64_t>(field.turned ? field.max - scaled : scaled - field.min);
}

std::uint64_t ScoreColumns::pack(const Fields& fields) const {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < size(); ++i) packed |= fields[i] << fields_[i].shift;
  return packed;
}

ScoreColumns::Fields ScoreColumns::fields(std::uint64_t packed) const {
  Fields fields{};
  for (std::size_t i = 0; i < size(); ++i) {
    fields[i] = packed >> fields_[i].shift & ((std::uint64_t{1} << fields_[i].bits) - 1);
  }
  return fields;
}

Result<double> ScoreColumns::number(const ColumnValues& values) const {
  assert(values.count == size() && "a value for each column");
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const Result<std::int64_t> scaled = this->scaled(i, values.values[i]);
    if (!scaled) return scaled.refusal();
    if (*scaled < fields_[i].min || *scaled > fields_[i].max) {
      return out_of_range(i, values.values[i]);
    }
    packed |= field_of(i, *scaled) << fields_[i].shift;
  }
  return whole_of(packed);
}

bool ScoreColumns::is_whole(double number) const {
  const std::optional<std::uint64_t> packed = packed_of(number);
  if (!packed || *packed >> bits() != 0) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint64_t field = *packed >> fields_[i].shift;
    if ((field & ((std::uint64_t{1} << fields_[i].bits) - 1)) > largest(i)) return false;
  }
  return true;
}

ColumnValues ScoreColumns::values(double number) const {
  assert(is_whole(number));
  const Fields fields = this->fields(packed_of(number).value_or(0));
  ColumnValues values{.values = {}, .count = size()};
  for (std::size_t i = 0; i < size(); ++i) {
    const Field& field = fields_[i];
    const auto offset = static_cast<std::int64_t>(fields[i]);
    values.values[i] = unscaled(i, field.turned ? field.max - offset : field.min + offset);
  }
  return values;
}

Result<ColumnValues> ScoreColumns::differences(const ColumnValues& values) const {
  assert(values.count == size() && "a value for each column");
  ColumnValues rounded{.values = {}, .count = size()};
  for (std::size_t i = 0; i < size(); ++i) {
    const Result<std::int64_t> scaled = this->scaled(i, values.values[i]);
    if (!scaled) return scaled.refusal();
    rounded.values[i] = unscaled(i, *scaled);
  }
  return rounded;
}

Result<double> ScoreColumns::sum(std::optional<double> held,
                                 const ColumnValues& differences) const {
  ColumnValues before{.values = {}, .count = size()};
  if (held) before = values(*held);
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const Result<std::int64_t> base = scaled(i, before.values[i]);
    const Result<std::int64_t> more = scaled(i, differences.values[i]);
    if (!base) return base.refusal();
    if (!more) return more.refusal();
    const std::int64_t sum = *base + *more;
    if (sum < fields_[i].min || sum > fields_[i].max) {
      return Refusal(Code::out_of_range,
                     "column '{}': the sum of {} and {} is out of range: it takes {} to {}",
                     columns_[i].name, before.values[i], differences.values[i], columns_[i].min,
                     columns_[i].max);
    }
    packed |= field_of(i, sum) << fields_[i].shift;
  }
  return whole_of(packed);
}

double ScoreColumns::lowest() const { return whole_of(0); }

double ScoreColumns::highest() const {
  Fields fields{};
  for (std::size_t i = 0; i < size(); ++i) fields[i] = largest(i);
  return whole_of(pack(fields));
}

// ---- bounds

// The field of a value of any size, rounded towards the inside of a range that ends there.
ScoreColumns::FieldBound ScoreColumns::bound(std::size_t i, double value, Rounded rounded) const {
  constexpr std::int64_t kBeyond = std::numeric_limits<std::int64_t>::max();
  const Field& field = fields_[i];
  const Result<std::int64_t> nearest = scaled(i, value);
  if (!nearest) return {(value > 0) == field.turned ? -kBeyond : kBeyond, true};
  std::int64_t scaled = *nearest;
  const double back = unscaled(i, scaled);
  const bool up = (rounded == Rounded::up) != field.turned;
  if (back < value && up) ++scaled;
  if (back > value && !up) --scaled;
  return {field.turned ? field.max - scaled : scaled - field.min, back == value};
}

std::optional<double> ScoreColumns::lowest_from(const ColumnValues& given) const {
  Fields fields{};
  for (std::size_t i = 0; i < given.count; ++i) {
    const FieldBound bound = this->bound(i, given.values[i], Rounded::up);
    if (bound.field < 0) break;
    if (bound.field > fields_[i].range) {
      // All with these earlier columns are too low: the next larger ones.
      while (i > 0 && fields[i - 1] == largest(i - 1)) fields[--i] = 0;
      if (i == 0) return std::nullopt;
      ++fields[i - 1];
      break;
    }
    fields[i] = static_cast<std::uint64_t>(bound.field);
    if (!bound.exact) break;
  }
  return whole_of(pack(fields));
}

std::optional<double> ScoreColumns::highest_to(const ColumnValues& given) const {
  Fields fields{};
  for (std::size_t i = 0; i < size(); ++i) fields[i] = largest(i);
  for (std::size_t i = 0; i < given.count; ++i) {
    const FieldBound bound = this->bound(i, given.values[i], Rounded::down);
    if (bound.field > fields_[i].range) break;
    if (bound.field < 0) {
      while (i > 0 && fields[i - 1] == 0) {
        --i;
        fields[i] = largest(i);
      }
      if (i == 0) return std::nullopt;
      --fields[i - 1];
      break;
    }
    fields[i] = static_cast<std::uint64_t>(bound.field);
    if (!bound.exact) break;
  }
  return whole_of(pack(fields));
}

// ---- for remotes

unsigned ScoreColumns::bits() const { return fields_.front().shift + fields_.front().bits; }

double ScoreColumns::packed(double number) {
  const std::optional<std::uint64_t> packed = packed_of(number);
  if (packed) return static_cast<double>(*packed);
  return number < 0 ? 0 : std::numeric_limits<double>::infinity();
}

std::optional<double> ScoreColumns::unpacked(double packed) const {
  if (!(packed >= 0 && packed < 2.0 * static_cast<double>(kPackedHalf))) return std::nullopt;
  const double number = whole_of(static_cast<std::uint64_t>(packed));
  return is_whole(number) ? std::optional<double>(number) : std::nullopt;
}

ScoreColumns::PackedField ScoreColumns::packed_field(std::size_t i) const {
  const Field& field = fields_[i];
  return {field.shift, field.bits, field.min, field.max, field.turned};
}

std::int64_t ScoreColumns::scaled_value(std::size_t i, double value) const {
  const Result<std::int64_t> scaled = this->scaled(i, value);
  assert(scaled && "a rounded value");
  return scaled ? *scaled : 0;
}

// ---- text of fields

std::size_t ScoreColumns::digits_bytes() const {
  std::size_t bytes = size() - 1;
  for (std::size_t i = 0; i < size(); ++i) bytes += static_cast<std::size_t>(fields_[i].digits);
  return bytes;
}

std::string ScoreColumns::digits_text(double number) const {
  assert(is_whole(number));
  const Fields fields = this->fields(packed_of(number).value_or(0));
  std::string text;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i > 0) text += '.';
    append_digits(text, fields[i], fields_[i].digits);
  }
  return text;
}

}  // namespace laurel
