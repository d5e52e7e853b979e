// fetch_size.h - how many rows to read of each shard to get the best n of all, if players are
// spread over the shards evenly and independently, as by a hash.
//
//   model   the number of the best n in one shard is binomial, Bin(n, 1/shards); the numbers of all
//           shards together are multinomial. Reading `each` rows a shard misses some of the best n
//           if and only if a shard holds more than `each` of them.
//   exact   up to n = 1,000, to an absolute error below 1e-12: independent Poisson numbers of mean
//           n/shards, one a shard, are multinomial given that their sum is n. Their probabilities,
//           cut off above `each` and convolved `shards` times, give the probability of no miss.
//   bound   for larger n shards times the binomial tail, which is never below the truth and within
//           1 % of it if it is 0.01 or less.
//   search  the truth is between 1 - (1 - tail)^shards and shards * tail; the former since
//           multinomial numbers are negatively associated (K. Joag-Dev, F. Proschan, Ann. Statist.
//           11, 1983). The exact value is computed only between the answers of both bounds.
//   cost    O(sqrt(n)) without the exact computation; with it, below a millisecond up to n = 1,000.
#pragma once

#include <cstddef>

namespace laurel {

// The smallest number of rows a shard that contains the best n with at least this probability; it
// increases with n and with the confidence. For a confidence of 1 or more it is n; for 0 or less it
// is n / shards rounded up, since fewer rows cannot be enough. REQUIRES: shards >= 1.
std::size_t fetch_size(std::size_t n, std::size_t shards, double confidence);

// The probability that some shard holds more than `each` of the best n. REQUIRES: shards >= 1.
double miss_probability(std::size_t n, std::size_t shards, std::size_t each);

}  // namespace laurel
