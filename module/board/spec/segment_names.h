// segment_names.h - the attributes of players by whose values a board is divided, as text:
// "country,clan". In a name, "\" precedes each "," and "\".
//
//   names    1 to kSegmentAttributesMax, each once, as check_attribute_name() takes them.
//   text     that of the store, of exports and of hosts in C. Equal lists have equal texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace laurel {

// Fails with invalid, and says what is allowed.
Result<std::string> text_of_segments(const std::vector<std::string>& names);
Result<std::vector<std::string>> parse_segments(std::string_view text);

}  // namespace laurel
