#include "engine/rolling/window_sums.h"

#include <algorithm>
#include <cassert>

namespace laurel {

WindowSums::WindowSums(const EngineSpec& spec)
    : form_(spec.order, spec.decimals), buckets_(spec.window.buckets), zero_(*form_.key(0)) {
  assert(buckets_ >= 1 && buckets_ <= kBucketsMax && "a window has 1 to kBucketsMax buckets");
}

bool WindowSums::positive(ScoreKey sum) const {
  return form_.order() == Order::desc ? sum < zero_ : sum > zero_;
}

std::span<const Amount> WindowSums::counting(std::span<const Amount> amounts, Bucket at) const {
  const auto counts = [&](const Amount& amount) { return falls_out(amount) > at; };
  const auto first = std::find_if(amounts.begin(), amounts.end(), counts);
  return {first, amounts.end()};
}

std::optional<ScoreKey> WindowSums::sum(std::span<const Amount> amounts, Bucket at) const {
  std::optional<ScoreKey> sum;
  for (std::size_t i = amounts.size(); i-- > 0 && falls_out(amounts[i]) > at;) {
    sum = sum ? *form_.sum(*sum, amounts[i].amount) : amounts[i].amount;
  }
  return sum;
}

std::optional<std::vector<Amount>> WindowSums::with(std::span<const Amount> amounts,
                                                    Amount more) const {
  const auto place = std::find_if(amounts.begin(), amounts.end(), [&](const Amount& amount) {
    return amount.bucket >= more.bucket;
  });
  const bool is_new = place == amounts.end() || place->bucket != more.bucket;
  if (!is_new) {
    const std::optional<ScoreKey> both = form_.sum(place->amount, more.amount);
    if (!both) return std::nullopt;
    more.amount = *both;
  }
  // Reserves exactly, since these lists are most of the memory of a player.
  std::vector<Amount> together;
  together.reserve(amounts.size() + (is_new ? 1 : 0));
  together.assign(amounts.begin(), place);
  together.push_back(more);
  together.insert(together.end(), place + (is_new ? 0 : 1), amounts.end());
  if (!in_range(together)) return std::nullopt;
  return together;
}

bool WindowSums::in_range(std::span<const Amount> amounts) const {
  ScoreKey sum = zero_;
  for (std::size_t i = amounts.size(); i-- > 0;) {
    const std::optional<ScoreKey> next = form_.sum(sum, amounts[i].amount);
    if (!next) return false;
    sum = *next;
  }
  return true;
}

}  // namespace laurel
