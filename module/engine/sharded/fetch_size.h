// fetch_size.h - how many rows to read of each shard to have the best n of all, when players are
// spread over the shards evenly and independently, as by a hash.
//
//   model      how many of the best n a shard holds is binomial, Bin(n, 1/shards); the numbers of
//              all shards together are multinomial. Reading `each` rows a shard misses some of the
//              best n if and only if a shard holds more than `each` of them.
//   exact      up to n = 1,000, to an absolute error below 1e-12: n independent Poisson numbers of
//              mean n/shards, given their sum n, are the multinomial. Their probabilities cut off
//              behind `each`, convolved `shards` times, give that of no miss.
//   bound      for larger n shards times the binomial tail, which is never below the truth and
//              within 1 % of it where it is 0.01 and less.
//   search     the truth lies between 1 - (1 - tail)^shards and shards * tail, the former since
//              multinomial numbers are negatively associated (K. Joag-Dev, F. Proschan, Ann.
//              Statist. 11, 1983). Only between the answers of both is it computed exactly.
//   cost       O(sqrt(n)) outside of that, and below a millisecond up to n = 1,000.
#pragma once

#include <cstddef>

namespace laurel {

// The smallest number a shard that contains the best n with at least this probability; it rises
// with n and with the confidence. From a confidence of 1 on that is n; with 0 and less
// n / shards rounded up, since fewer cannot do. REQUIRES: shards >= 1.
std::size_t fetch_size(std::size_t n, std::size_t shards, double confidence);

// The probability that some shard holds more than `each` of the best n. REQUIRES: shards >= 1.
double miss_probability(std::size_t n, std::size_t shards, std::size_t each);

}  // namespace laurel
