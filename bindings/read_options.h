// read_options.h - what may stand behind the arguments of a read: { at = time } where a board can
// tell how it will stand, { confidence = 0.999 } where it can be read in part.
#pragma once

#include <optional>
#include <span>

#include "bindings/boards_box.h"
#include "bindings/lua_options.h"
#include "rank/ranking.h"

namespace laurel {

struct ReadOptions {
  std::optional<double> at;  // Unix seconds
  std::optional<double> confidence;
};

// Reads the options of a call whose table of them is one of the arguments from `first` to `last`,
// and takes them off the stack: what is left are the arguments in front of them. Raises as
// check_options does.
ReadOptions take_read_options(const Call& call, int first, int last, std::span<const Option> known);

// { at = time } alone.
std::optional<double> take_time_option(const Call& call, int first, int last);

// Those of `top`, behind n. Both together are refused as unsupported.
Result<ReadOptions> take_top_options(const Call& call);

// A ranking by its word, or nothing where there is none. Refuses as unknown.
Result<std::optional<Ranking>> ranking_argument(const Call& call, int argument);

// Hands the standings that a call asks for to `read`: those of its handle, or as they will stand at
// a time. Fails as Board::at does.
template <typename Read>
Status read_standings(const Standings& standings, const BoardRef& self, std::optional<double> at,
                      Read read) {
  if (!at) {
    read(standings);
    return Done{};
  }
  if (self.season != 0) {
    return Refusal(Code::unsupported, "season {} has ended: it stands as it stood", self.season);
  }
  const Result<std::unique_ptr<Standings>> then = static_cast<const Board&>(standings).at(*at);
  if (!then) return then.refusal();
  read(**then);
  return Done{};
}

}  // namespace laurel
