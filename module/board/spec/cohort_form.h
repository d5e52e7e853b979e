// cohort_form.h - how the players of a board are divided into cohorts.
//
//   text     "50", or "30,league" with an attribute: that of the store, of exports and of hosts in
//            C. Of the first form the field is a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "board/spec/spec.h"

namespace laurel {

struct CohortForm {
  std::uint32_t size = 0;  // kCohortSizeMin to kCohortSizeMax players each; 0: there are none
  std::string by;          // the attribute whose values have cohorts of their own; empty: none
};

// Absent if the text is not of this form, or the size or the name is not allowed.
std::optional<CohortForm> parse_cohorts(std::string_view text);
std::string text_of_cohorts(const CohortForm& form);
// The cohorts of a board of this spec. REQUIRES: the spec is a valid one.
CohortForm cohorts_of(const Spec& spec);

}  // namespace laurel
