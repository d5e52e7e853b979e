#include "engine/sharded/fetch_size.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace laurel {

namespace {

constexpr std::size_t kExactMax = 1000;  // the longest list that is usually shown

// Probabilities of the integers from `first` on; all others count as zero.
struct Distribution {
  std::size_t first = 0;
  std::vector<double> values;

  double at(std::size_t number) const {
    return number < first || number - first >= values.size() ? 0 : values[number - first];
  }
};

// Computed from ratios of terms, outwards from the largest term, so that nothing overflows and no
// digits are lost in logarithms. ratio(i) is term(i) / term(i - 1).
template <typename Ratio>
Distribution from_ratios(std::size_t mode, double least, Ratio ratio) {
  std::vector<double> below;
  double term = 1;
  for (std::size_t i = mode; i > 0 && (term /= ratio(i)) > least; --i) below.push_back(term);
  Distribution distribution{mode - below.size(), {below.rbegin(), below.rend()}};
  term = 1;
  for (std::size_t i = mode + 1; term > least; ++i) {
    distribution.values.push_back(term);
    term *= ratio(i);
  }
  double sum = 0;
  for (const double value : distribution.values) sum += value;
  for (double& value : distribution.values) value /= sum;
  return distribution;
}

// The distribution of the number of the best n in one shard.
Distribution binomial(std::size_t n, std::size_t shards) {
  const double odds = 1 / static_cast<double>(shards - 1);
  return from_ratios((n + 1) / shards, 1e-300, [n, odds](std::size_t i) {
    return i > n ? 0 : static_cast<double>(n - i + 1) / static_cast<double>(i) * odds;
  });
}

// Smaller probabilities are dropped: their sum is below the precision of a double.
constexpr double kLeast = 1e-22;

Distribution poisson(double mean) {
  return from_ratios(static_cast<std::size_t>(mean), kLeast,
                     [mean](std::size_t i) { return mean / static_cast<double>(i); });
}

void trim(Distribution& distribution) {
  std::vector<double>& values = distribution.values;
  while (!values.empty() && values.back() < kLeast) values.pop_back();
  const auto begin =
      std::find_if(values.begin(), values.end(), [](double value) { return value >= kLeast; });
  distribution.first += static_cast<std::size_t>(begin - values.begin());
  values.erase(values.begin(), begin);
}

// The distribution of the sum of two independent numbers.
Distribution sum_of(const Distribution& a, const Distribution& b) {
  Distribution sum{a.first + b.first, {}};
  if (a.values.empty() || b.values.empty()) return sum;
  sum.values.assign(a.values.size() + b.values.size() - 1, 0);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    double* const out = sum.values.data() + i;
    for (std::size_t j = 0; j < b.values.size(); ++j) out[j] += a.values[i] * b.values[j];
  }
  trim(sum);
  return sum;
}

// The distribution of the sum of `count` independent numbers, by doubling.
Distribution sum_of(const Distribution& one, std::size_t count) {
  if (count == 1) return one;
  const Distribution half = sum_of(one, count / 2);
  const Distribution even = sum_of(half, half);
  return count % 2 == 0 ? even : sum_of(even, one);
}

double exact_hit(std::size_t n, std::size_t shards, std::size_t each) {
  Distribution share = poisson(static_cast<double>(n) / static_cast<double>(shards));
  if (each < share.first) return 0;
  share.values.resize(std::min(share.values.size(), each - share.first + 1));
  const double all = poisson(static_cast<double>(n)).at(n);
  return std::min(1.0, sum_of(share, shards).at(n) / all);
}

// tails[i] is the probability that a shard holds more than least + i of the best n, down to the
// last one above zero. REQUIRES: least is not less than the binomial's mode.
std::vector<double> tails(std::size_t n, std::size_t shards, std::size_t least) {
  const Distribution share = binomial(n, shards);
  const std::size_t end = share.first + share.values.size();
  std::vector<double> sums(end > least + 1 ? end - least - 1 : 0);
  double sum = 0;
  for (std::size_t i = sums.size(); i-- > 0;) sums[i] = sum += share.at(least + i + 1);
  return sums;
}

std::size_t fair(std::size_t n, std::size_t shards) { return n / shards + (n % shards != 0); }

}  // namespace

std::size_t fetch_size(std::size_t n, std::size_t shards, double confidence) {
  assert(shards >= 1 && "no shards");
  if (!(confidence < 1) || shards == 1) return n;
  const std::size_t least = fair(n, shards);
  if (confidence <= 0) return least;

  const std::vector<double> tail = tails(n, shards, least);
  const auto count = static_cast<double>(shards);
  const double miss = 1 - confidence;
  const auto falling_to = [&](auto misses) {
    return least + static_cast<std::size_t>(std::partition_point(tail.begin(), tail.end(), misses) -
                                            tail.begin());
  };
  std::size_t high = falling_to([&](double t) { return count * t > miss; });
  if (n > kExactMax) return high;
  std::size_t low =
      falling_to([&](double t) { return -std::expm1(count * std::log1p(-t)) > miss; });
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (exact_hit(n, shards, middle) >= confidence) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

double miss_probability(std::size_t n, std::size_t shards, std::size_t each) {
  assert(shards >= 1 && "no shards");
  if (each >= n) return 0;
  if (each < fair(n, shards)) return 1;
  const std::vector<double> tail = tails(n, shards, each);
  const double bound = tail.empty() ? 0 : std::min(1.0, static_cast<double>(shards) * tail.front());
  // If the bound is this small, it has more correct digits than 1 - hit would have.
  if (n > kExactMax || bound < 1e-7) return bound;
  return 1 - exact_hit(n, shards, each);
}

}  // namespace laurel
