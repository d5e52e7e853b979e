#include "bindings/values/read_score_range.h"

#include <cmath>
#include <limits>

#include "base/checks.h"
#include "bindings/values/column_values.h"

namespace laurel {

namespace {

constexpr double kOpen = std::numeric_limits<double>::infinity();

Refusal bound_is_nan(std::string_view what, double bound) {
  const Refusal why = not_finite(what, bound);
  return {why.code(), "{}; nil and infinity are open", why.message()};
}

// A bound of columns as the least or the greatest whole score inside; without one the range is
// empty.
Status read_bound(const Call& call, int argument, bool is_low, ScoreRange& out) {
  if (call.absent(argument)) return Done{};
  const ScoreColumns& columns = *call.columns;
  ColumnValues bound;
  ShortText problem;
  if (!read_values(call.L, call.index(argument), columns, LaterColumns::open, bound, problem)) {
    call.bad(argument, "%s", problem.text);
  }
  for (const double value : bound.all()) {
    if (std::isnan(value)) return bound_is_nan("a column of a bound of the range", value);
  }
  if (is_low) {
    out.low = columns.lowest_from(bound).value_or(kOpen);
  } else {
    out.high = columns.highest_to(bound).value_or(-kOpen);
  }
  return Done{};
}

}  // namespace

Status read_score_range(const Call& call, int low, int high, ScoreRange& out) {
  if (call.columns != nullptr) {
    out = {-kOpen, kOpen};
    Status read = read_bound(call, low, true, out);
    return read ? read_bound(call, high, false, out) : read;
  }
  out = {call.optional_number(low).value_or(-kOpen), call.optional_number(high).value_or(kOpen)};
  if (std::isnan(out.low) || std::isnan(out.high)) return bound_is_nan("a bound of the range", NAN);
  return Done{};
}

}  // namespace laurel
