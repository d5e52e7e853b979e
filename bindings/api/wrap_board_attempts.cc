// board: how many results of a player a season takes.
#include <algorithm>
#include <array>

#include "bindings/api/board_call.h"
#include "board/results/attempts.h"

namespace laurel {

namespace {

namespace attempts {

// ---- board:attempts(player) -> taken, left | nil: the board has no `attempts`, or the season
// ended

int push_counted(lua_State* L, const std::optional<AttemptsOf>& counted) {
  if (!counted) {
    lua_pushnil(L);
    return 1;
  }
  return push_answer(L, counted->taken) + push_answer(L, counted->left);
}

int local_attempts(lua_State* L) {
  const Call call{L, "attempts"};
  const BoardRef& self = board_self(call);
  (void)resolve_standings(call, self);
  const std::string_view player = call.string(1);
  return push_counted(L, self.is_past() ? std::nullopt : board_of(call, self).attempts(player));
}

int push_remote_counted(lua_State* L, RemoteCall& pending) {
  return push_counted(L, pending.answer<std::optional<AttemptsOf>>());
}

int remote_attempts(lua_State* L) {
  const Call call{L, "attempts"};
  const RemoteBoardRef& self = remote_self(call);
  const std::string_view player = call.string(1);
  return wait_for(call, self, push_remote_counted,
                  [player] { return request::Attempts{std::string(player)}; });
}

// ---- board:grant(player, n) -> how many are left | nil, reason

struct Grant : PlayerArgument {
  static constexpr FunctionName kName = "grant";
  double more = 0;

  void read(const Call& call) {
    player = call.string(1);
    more = call.whole(2);
  }
  std::int64_t clamped() const {
    constexpr double kBeyond = 9007199254740994;  // 2^53 + 2, which the board refuses
    return static_cast<std::int64_t>(std::clamp(more, -kBeyond, kBeyond));
  }
  Result<std::uint64_t> local(Board& board) const { return board.grant(player, clamped()); }
  request::Grant remote() const { return {.player = std::string(player), .more = clamped()}; }
};

}  // namespace attempts

constexpr std::array kBoardAttemptMethods = {
    BoardMethod{"attempts", guarded<attempts::local_attempts>, guarded<attempts::remote_attempts>},
    kWriteMethod<attempts::Grant>,
};

}  // namespace

BoardMethods board_attempt_methods() { return kBoardAttemptMethods; }

}  // namespace laurel
