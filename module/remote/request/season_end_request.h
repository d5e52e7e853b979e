// season_end_request.h - requests about which names have heard of the ended seasons of a remote
// board, so that only one of its servers tells each name of each end.
//
//   hearing  what is known of one name: up to which season it has heard, and which server tells it
//            the next one. It is kept with the board, and is written by compare and set.
//   turn     a lease. Another server may take it when its time is over.
//   kept     a season that a name has not heard of is kept beyond the board's `archive`, with at
//            most kSeasonEndsWaitingMax others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "board/seasons/seasons.h"

namespace laurel {

struct HearingState {
  std::uint64_t heard = 0;   // the newest season that it has heard of, or that ended before
  std::uint64_t teller = 0;  // random; identifies the server whose turn it is; 0: none
  Time until = 0;            // the end of the turn, by the servers' clocks

  friend bool operator==(const HearingState&, const HearingState&) = default;
};

// "<heard> <teller> <until>"
std::string text_of(const HearingState& hearing);
// Nothing if the text is damaged.
std::optional<HearingState> hearing_of(std::string_view text);

// What the names of one board have heard.
using Hearings = std::map<std::string, HearingState, std::less<>>;

// How many past seasons stay if the newest of them has that number.
std::size_t seasons_to_keep(std::size_t archive, const Hearings& hearings, std::uint64_t newest);

namespace request {

// Answer: SeasonsHeard. Seasons that are due have ended in it.
struct ReadHearing {
  static constexpr bool kWrites = false;
  std::string name;
};
// Writes `hearing` if the board has `expected` (nothing: the name is new). If `hearing` is nothing,
// the name is removed. Answer: bool, whether it was written.
struct WriteHearing {
  static constexpr bool kWrites = true;
  std::string name;
  std::optional<HearingState> expected;
  std::optional<HearingState> hearing;
};

}  // namespace request

using SeasonEndForms = std::variant<request::ReadHearing, request::WriteHearing>;

struct SeasonsHeard {
  std::optional<HearingState> hearing;  // nothing: the name is new
  Time created = 0;                     // of the board
  std::uint64_t running = 0;            // the running season
  std::vector<Season> past;             // the kept ones, newest first
};

}  // namespace laurel
