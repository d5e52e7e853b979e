#include "tool/points_to_pass.h"

#include <cmath>
#include <limits>
#include <optional>

#include "tool/json_values.h"

namespace laurel::tool {

namespace {

// Whether the entry is above `next` as soon as its score equals that of `next`.
bool equal_suffices(const Spec& spec, const Entry& entry, const Entry& next) {
  if (entry.score == next.score) return false;  // it is equal, and below
  switch (spec.ties) {
    case Ties::earliest: return false;
    case Ties::latest: return true;  // what is submitted now is the latest
    case Ties::player: return entry.player < next.player;
    case Ties::player_desc: return entry.player > next.player;
  }
  return false;
}

// The worst whole score that is better than the values; nullopt if they are the best.
std::optional<ColumnValues> better_values(const ScoreColumns& columns, ColumnValues values) {
  for (std::size_t i = columns.size(); i-- > 0;) {
    const ScoreColumn& column = columns[i];
    const bool up = column.order == Order::desc;
    const double step = std::pow(10.0, -column.decimals);
    const double best = up ? column.max : column.min;
    if (std::abs(values.values[i] - best) > step / 2) {
      values.values[i] += up ? step : -step;
      return values;
    }
    values.values[i] = up ? column.min : column.max;
  }
  return std::nullopt;
}

Json columns_to_pass(const ScoreColumns& columns, double held, double next, bool equal) {
  std::optional<ColumnValues> target = columns.values(next);
  if (!equal) target = better_values(columns, *target);
  if (!target) return nullptr;
  const ColumnValues now = columns.values(held);
  Json list = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double scale = std::pow(10.0, columns[i].decimals);
    list.push_back(json_number(
        (std::round(target->values[i] * scale) - std::round(now.values[i] * scale)) / scale));
  }
  return list;
}

}  // namespace

Json points_to_pass(const Spec& spec, const Entry& entry, const Entry& next) {
  const bool equal = equal_suffices(spec, entry, next);
  if (spec.columns) return columns_to_pass(*spec.columns, entry.score, next.score, equal);
  const ScoreForm form(spec.order, spec.decimals);
  ScoreKey wanted = *form.key(next.score);
  if (!equal) {
    if (wanted == 0) return nullptr;
    --wanted;  // a key is better if it is smaller
  }
  const double target = form.score(wanted);
  if (!std::isfinite(target)) return nullptr;
  if (spec.decimals) {
    const double scale = std::pow(10.0, *spec.decimals);
    return json_number((std::round(target * scale) - std::round(entry.score * scale)) / scale);
  }
  // Adding rounds, so the difference of both is not always enough.
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double way = spec.order == Order::desc ? kInfinite : -kInfinite;
  double difference = target - entry.score;
  while (std::isfinite(entry.score + difference) && *form.key(entry.score + difference) > wanted) {
    difference = std::nextafter(difference, way);
  }
  return json_number(difference);
}

}  // namespace laurel::tool
