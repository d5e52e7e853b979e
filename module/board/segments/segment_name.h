// segment_name.h - which segment or cohort of a board is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace laurel {

struct SegmentName {
  std::string attribute;
  std::string value;
  std::uint32_t cohort = 0;  // its number; 0: it is a segment

  friend auto operator<=>(const SegmentName&, const SegmentName&) = default;
};

// A cohort of the running season, whichever that is.
inline SegmentName cohort_name(std::uint32_t number) {
  return {"cohort", std::to_string(number), number};
}

// As watches and clients see it: "season_3:country=DE", "season_3:cohort=17".
inline std::string name_of_segment(std::string_view board, const SegmentName& segment) {
  std::string name(board);
  name.append(":").append(segment.attribute).append("=").append(segment.value);
  return name;
}

}  // namespace laurel
