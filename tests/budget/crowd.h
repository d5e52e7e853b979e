// crowd.h - known players for calls that are counted: drawing an id or a score allocates nothing.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "registry/registry.h"

namespace laurel::test {

class Crowd {
 public:
  explicit Crowd(std::size_t players, std::size_t id_bytes = 12) {
    for (std::size_t i = 0; i < players; ++i) {
      ids_.push_back(fmt::format("{:_<{}}", i, id_bytes));
    }
  }

  const std::vector<std::string>& ids() const { return ids_; }
  const std::string& any() { return ids_[random_() % ids_.size()]; }
  double score() { return static_cast<double>(1 + random_() % 1'000'000); }
  Submission any_result() { return {.player = any(), .score = score()}; }

 private:
  std::vector<std::string> ids_;
  std::mt19937_64 random_{1};
};

}  // namespace laurel::test
