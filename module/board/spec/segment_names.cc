#include "board/spec/segment_names.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "profile/attributes.h"

namespace laurel {

namespace {

Refusal bad_segments(std::string_view why) {
  return {Code::invalid,
          "field 'segments': {}; it takes 1 to {} names of attributes, 1 to {} bytes each, or "
          "false for none",
          why, kSegmentAttributesMax, kAttributeNameBytesMax};
}

}  // namespace

Result<std::string> text_of_segments(const std::vector<std::string>& names) {
  if (names.empty()) return bad_segments("no name is given");
  if (names.size() > kSegmentAttributesMax) {
    return bad_segments(fmt::format("{} names are given", names.size()));
  }
  std::string text;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (!check_attribute_name(*name)) {
      return bad_segments(fmt::format("\"{}\" is no name of an attribute", escaped(*name, 64)));
    }
    if (std::find(names.begin(), name, *name) != name) {
      return bad_segments(fmt::format("\"{}\" is given twice", escaped(*name, 64)));
    }
    if (name != names.begin()) text += ',';
    for (const char c : *name) {
      if (c == '\\' || c == ',') text += '\\';
      text += c;
    }
  }
  return text;
}

Result<std::vector<std::string>> parse_segments(std::string_view text) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_plain = text[i] == '\\' && i + 1 < text.size();
    if (is_plain) ++i;
    if (!is_plain && text[i] == ',') {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  const Result<std::string> valid = text_of_segments(names);
  if (!valid) return valid.refusal();
  return names;
}

}  // namespace laurel
