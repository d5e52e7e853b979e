#include "board/spec/cohort_form.h"

#include <cassert>
#include <charconv>
#include <utility>

#include "base/limits.h"
#include "profile/attributes.h"

namespace laurel {

std::optional<CohortForm> parse_cohorts(std::string_view text) {
  const std::size_t comma = text.find(',');
  const std::string_view size = text.substr(0, comma);
  CohortForm form;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), form.size);
  if (error != std::errc() || end != size.data() + size.size()) return std::nullopt;
  if (form.size < kCohortSizeMin || form.size > kCohortSizeMax) return std::nullopt;
  if (comma == std::string_view::npos) return form;
  form.by = text.substr(comma + 1);
  if (!check_attribute_name(form.by)) return std::nullopt;
  return form;
}

std::string text_of_cohorts(const CohortForm& form) {
  const std::string size = std::to_string(form.size);
  return form.by.empty() ? size : size + "," + form.by;
}

CohortForm cohorts_of(const Spec& spec) {
  if (spec.cohorts.empty()) return {};
  std::optional<CohortForm> form = parse_cohorts(spec.cohorts);
  assert(form && "a spec has valid cohorts");
  return std::move(*form);
}

}  // namespace laurel
