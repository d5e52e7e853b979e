// source_list.h - the boards that a combined board is made from: names, or one pattern of names.
//
//   names     in their order, which is that of the weights; 1 to kSourcesMax, each once.
//   pattern   a name in which each "*" stands for any bytes, or none.
//   text      "kills,deaths", or "lap_*": the form of the store and of hosts in C. In a name, "\"
//             precedes each ",", "*" and "\".
//   weights   numbers as text, "3,1": one for each name. Scaled to whole numbers by one power of
//             ten, they have at most kWeightDigitsMax digits, so that sums are exact
//             (registry/derived/combined_score.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace laurel {

class SourceList {
 public:
  // Fails with invalid, and says what is allowed.
  static Result<SourceList> parse(std::string_view text);
  static Result<SourceList> of_names(std::vector<std::string> names);

  // Equal lists have equal texts.
  std::string text() const;
  bool is_pattern() const { return is_pattern_; }
  // None of a pattern.
  const std::vector<std::string>& names() const { return names_; }
  // Whether a board with this name is meant.
  bool takes(std::string_view name) const;

 private:
  bool is_pattern_ = false;
  std::vector<std::string> names_;
  std::vector<std::string> parts_;  // of the pattern, between the stars
};

// Weights as whole numbers: each is `scaled` / 10^decimals.
struct Weights {
  std::vector<std::int64_t> scaled;
  int decimals = 0;
};

// Fails with invalid, and says what is allowed.
Result<std::vector<double>> parse_weights(std::string_view text);
std::string text_of_weights(std::span<const double> weights);
Result<Weights> scale_weights(std::span<const double> weights);

}  // namespace laurel
