// read_options.h - the options table of a read, its last argument: { at = time } reads a rolling
// board as of a later time, { confidence = 0.999 } reads only a part of a sharded board.
#pragma once

#include <optional>
#include <span>

#include "bindings/handle/registry_handle.h"
#include "bindings/lua/options.h"
#include "rank/tree/ranking.h"

namespace laurel {

struct ReadOptions {
  std::optional<double> at;  // Unix seconds
  std::optional<double> confidence;
};

// Reads the options table of a call, which is one of the arguments from `first` to `last`. Removes
// it and what follows it from the stack. Raises as check_options does.
ReadOptions take_read_options(const Call& call, int first, int last, std::span<const Option> known);

// As take_read_options, with { at = time } as the only option.
std::optional<double> take_time_option(const Call& call, int first, int last);

// Reads the options of `top`, which follow n. Both options together are refused as unsupported.
Result<ReadOptions> take_top_options(const Call& call);

// A ranking by its name, or nothing if the argument is absent. Refuses an unknown name.
Result<std::optional<Ranking>> ranking_argument(const Call& call, int argument);

// Calls `read` with the standings of a handle, or with those of its board at a later time. Fails as
// Board::at does.
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
