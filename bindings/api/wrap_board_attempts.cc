// board: how many results of a player a season takes.
#include <algorithm>
#include <array>

#include "bindings/api/board_call.h"

namespace laurel {

namespace {

namespace attempts {

Refusal not_counted() {
  return {Code::unsupported, "a remote board does not count attempts: only a local one does"};
}

// ---- board:attempts(player) -> taken, left | nil: the board has no `attempts`, or the season
// ended

int local_attempts(lua_State* L) {
  const Call call{L, "attempts"};
  const BoardRef& self = board_self(call);
  (void)resolve_standings(call, self);
  const std::string_view player = call.string(1);
  const std::optional<Board::AttemptsOf> counted =
      self.season == 0 ? board_of(call, self).attempts(player) : std::nullopt;
  if (!counted) {
    lua_pushnil(L);
    return 1;
  }
  return push_answer(L, counted->taken) + push_answer(L, counted->left);
}

int remote_attempts(lua_State* L) {
  const Call call{L, "attempts"};
  (void)remote_self(call);
  return refuse(L, not_counted());
}

// ---- board:grant(player, n) -> how many are left | nil, reason

struct Grant : PlayerArgument {
  double more = 0;

  void read(const Call& call) {
    player = call.string(1);
    more = call.whole(2);
  }
  Result<std::uint64_t> local(Board& board) const {
    constexpr double kBeyond = 9007199254740994;  // 2^53 + 2, which the board refuses
    return board.grant(player, static_cast<std::int64_t>(std::clamp(more, -kBeyond, kBeyond)));
  }
};

int remote_grant(const Call& call, const RemoteBoardRef&) { return refuse(call.L, not_counted()); }

}  // namespace attempts

constexpr std::array kBoardAttemptMethods = {
    BoardMethod{"attempts", guarded<attempts::local_attempts>, guarded<attempts::remote_attempts>},
    kWriteMethodBy<"grant", write_local<attempts::Grant>, attempts::remote_grant>,
};

}  // namespace

BoardMethods board_attempt_methods() { return kBoardAttemptMethods; }

}  // namespace laurel
