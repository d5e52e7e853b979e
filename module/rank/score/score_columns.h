// score_columns.h - scores of several columns, such as laps and then seconds, as one number.
//
//   column    a named number with a direction, decimals, a least and a largest value. The first
//             column decides, among equals the second, and so on.
//   whole     a score of all columns, "the whole score". It is one number, as a score without
//             columns is: a finite double. The board's order is that of its first column, and
//             numbers compare as whole scores do, so engines compare them without knowing of
//             columns. The number has no other meaning.
//   packed    the form behind the number: an integer of at most kColumnBitsMax bits. Each column is
//             a field of the bits that its values take, the first one the highest. A field is
//             (value - min) x 10^decimals, or (max - value) x 10^decimals in a column that is
//             ordered against the first.
//   values    each column's value, in the columns' order. With d decimals they are exact decimals,
//             rounded half away from zero.
//   text      "laps desc 0 0 999999999, seconds asc 3 0 100000": of each column name, order,
//             decimals, min and max, as the store and hosts in C have them. Fields at the end of a
//             column may be left out and have their defaults.
//   threads   none: immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "rank/score/score.h"

namespace laurel {

struct ScoreColumn {
  std::string name;  // 1 to kColumnNameBytesMax letters, digits and "_"
  Order order = Order::desc;
  int decimals = 0;
  double min = 0;
  double max = 999'999'999;
};

// A value for each of the first `count` columns. The other values are not set.
struct ColumnValues {
  std::array<double, kColumnsMax> values;
  std::size_t count;

  std::span<const double> all() const& { return {values.data(), count}; }
  std::span<const double> all() const&& = delete;  // the values would be gone
};

class ScoreColumns {
 public:
  using Ptr = std::shared_ptr<const ScoreColumns>;

  // Fails with invalid, naming the column and what is allowed.
  static Result<Ptr> make(std::vector<ScoreColumn> columns);
  static Result<Ptr> parse(std::string_view text);
  // Complete, with all fields: equal columns have equal texts.
  const std::string& text() const { return text_; }

  std::size_t size() const { return columns_.size(); }
  const ScoreColumn& operator[](std::size_t i) const { return columns_[i]; }
  // The order of a board with these columns.
  Order order() const { return columns_.front().order; }
  // The index of the column with that name.
  std::optional<std::size_t> find(std::string_view name) const;

  // The whole score. Fails with not_finite, or out_of_range, naming the column.
  // REQUIRES: a value for each column.
  Result<double> number(const ColumnValues& values) const;
  // REQUIRES: is_whole(number).
  ColumnValues values(double number) const;
  bool is_whole(double number) const;

  // Rounded differences of values, which min and max do not bound. Fails as number() does; a
  // difference is out of range if, scaled, it reaches 2^53.
  Result<ColumnValues> differences(const ColumnValues& values) const;
  // The whole score with each column's difference added; without `held`, 0 is held in each column.
  // Fails with out_of_range, naming the column. REQUIRES: differences as of differences().
  Result<double> sum(std::optional<double> held, const ColumnValues& differences) const;

  // The least whole score that is not below the bound, and the greatest that is not above it.
  // Columns that a bound leaves out at its end are open. Values are any numbers, infinite ones too.
  // Absent if there is none. REQUIRES: no value is NaN.
  std::optional<double> lowest_from(const ColumnValues& bound) const;
  std::optional<double> highest_to(const ColumnValues& bound) const;

  // ---- for remotes, which keep and add packed scores

  // How many bits a packed score takes.
  unsigned bits() const;
  // The packed form of a whole score, as a number. It is exact up to 53 bits. Numbers that are
  // not whole scores have one, too, in their order: infinite if they are too large.
  static double packed(double number);
  // The inverse; absent if no whole score has this packed form.
  std::optional<double> unpacked(double packed) const;
  // A field of a packed score: `bits` of it from the bit `shift` on are (value - min), or
  // (max - value) if it is turned. All values are scaled: times 10^decimals.
  struct PackedField {
    unsigned shift;
    unsigned bits;
    std::int64_t min;
    std::int64_t max;
    bool turned;
  };
  PackedField packed_field(std::size_t i) const;
  // The value of a column, scaled. REQUIRES: as in values() or differences().
  std::int64_t scaled_value(std::size_t i, double value) const;

  // The columns' fields as decimal digits with a "." between them. All texts have digits_bytes(),
  // and sort as the numbers do. REQUIRES: is_whole(number).
  std::string digits_text(double number) const;
  std::size_t digits_bytes() const;
  // The numbers of the least and the greatest whole score.
  double lowest() const;
  double highest() const;

 private:
  // What packing needs of a column. Scaled: times 10^decimals.
  struct Field {
    std::int64_t min;    // scaled
    std::int64_t max;    // scaled
    std::int64_t range;  // the largest field
    unsigned bits;
    unsigned shift;
    bool turned;  // ordered against the first column
    int digits;   // of the range, in decimal
  };
  using Fields = std::array<std::uint64_t, kColumnsMax>;
  // A bound of a column as a field: exact, or between that field and a neighbour.
  struct FieldBound {
    std::int64_t field;  // may be outside the column's range
    bool exact;
  };
  enum class Rounded : std::uint8_t { down, up };

  explicit ScoreColumns(std::vector<ScoreColumn> columns);
  Status prepare();
  Status prepare_field(const ScoreColumn& column, Field& field) const;
  Status check_name(std::size_t i) const;
  Refusal too_many_bits() const;
  Result<std::int64_t> scaled(std::size_t i, double value) const;
  Refusal out_of_range(std::size_t i, double value) const;
  double unscaled(std::size_t i, std::int64_t scaled) const;
  std::uint64_t field_of(std::size_t i, std::int64_t scaled) const;
  std::uint64_t largest(std::size_t i) const {
    return static_cast<std::uint64_t>(fields_[i].range);
  }
  std::uint64_t pack(const Fields& fields) const;
  Fields fields(std::uint64_t packed) const;
  FieldBound bound(std::size_t i, double value, Rounded rounded) const;

  std::vector<ScoreColumn> columns_;
  std::array<Field, kColumnsMax> fields_{};
  std::string text_;
};

}  // namespace laurel
