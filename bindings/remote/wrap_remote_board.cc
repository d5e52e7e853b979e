// remote board: info, tostring, seasons, and methods that only some engines support.
#include <algorithm>
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/lua/table.h"
#include "bindings/remote/remote_archive.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_entry.h"
#include "bindings/values/push_spec.h"
#include "engine/sharded/fetch_size.h"

namespace laurel {

namespace {

// ---- info, remote

// Reads the spec, and the version of its rule that is in force locally.
void read_spec(const RemoteCall& pending, CallBuffers& buffers) {
  const Registry& registry = *pending.boards().registry;
  const RemoteBoards* const remotes = RemoteBoards::of(registry);
  const std::shared_ptr<const Spec> spec =
      remotes != nullptr ? remotes->spec(pending.board()) : nullptr;
  if (!spec) return;
  copy_fields(*spec, buffers.fields);
  Rules* const rules = registry.rules();
  if (pending.season() == 0 && rules != nullptr && !spec->rule.empty()) {
    buffers.text = rules->version(rules->open(spec->rule));
  }
}

int push_info(lua_State* L, RemoteCall& pending) {
  const auto& facts = pending.answer<SeasonFacts>();
  const auto& self = *static_cast<const RemoteBoardRef*>(pending.place);
  CallBufferPool& owner = pending.boards().buffers;
  CallBuffers& buffers = owner.borrow(L);
  read_spec(pending, buffers);
  lua_newtable(L);
  set_fields(L, buffers.fields);
  set_text(L, "name", self.name());
  set_number(L, "season", static_cast<double>(facts.season.number));
  set_number(L, "size", static_cast<double>(facts.size));
  set_time(L, "created", facts.created);
  set_time(L, "started", facts.season.started);
  set_optional_time(L, "ended", facts.season.ended);
  set_optional_time(L, "resets_at", facts.resets_at);
  if (!buffers.text.empty()) set_text(L, "rule_version", buffers.text);
  owner.give_back(buffers);
  return 1;
}

// board:info() -> table
int remote_info(lua_State* L) {
  const Call call{L, "info"};
  const RemoteBoardRef& self = remote_self(call);
  return wait_for(
      call, self, push_info, [] { return request::ReadSeason{}; },
      [L](RemoteCall& pending) { pending.place = lua_touserdata(L, 1); });
}

// Moves the state's text into `lists`, which an error cannot leak.
void show_state(const RemoteBoards& remotes, BoardHandle board, CallBuffers& buffers,
                RemoteBoardState& state) {
  state = remotes.state(board);
  buffers.text = state.down.empty() ? "up" : "down: " + state.down;
  std::string().swap(state.down);
}

// board:remote() -> { state=, pending=, oldest=, round_trip=, refused= }
int remote_remote(lua_State* L) {
  const Call call{L, "remote"};
  const RemoteBoardRef& self = remote_self(call);
  CallBuffers& buffers = borrow_buffers(call, *self.boards);
  const RemoteBoards* const remotes = find_remotes(self);
  if (remotes == nullptr) {
    self.boards->buffers.give_back(buffers);
    raise_dropped(L, self.name());
  }
  RemoteBoardState state;
  show_state(*remotes, self.handle, buffers, state);
  lua_createtable(L, 0, 5);
  set_text(L, "state", buffers.text);
  set_number(L, "pending", static_cast<double>(state.pending));
  set_number(L, "refused", static_cast<double>(state.refused));
  set_optional_time(L, "oldest", state.oldest);
  if (state.round_trip != 0) set_time(L, "round_trip", state.round_trip);
  self.boards->buffers.give_back(buffers);
  return 1;
}

// ---- seasons

int push_season(lua_State* L, RemoteCall& pending) {
  lua_pushnumber(L, static_cast<double>(pending.answer<SeasonFacts>().season.number));
  return 1;
}

// board:season() -> number of the running season, or of the past season that the handle reads
int remote_season(lua_State* L) {
  const Call call{L, "season"};
  const RemoteBoardRef& self = remote_self(call);
  if (self.season == 0) {
    return wait_for(call, self, push_season, [] { return request::ReadSeason{}; });
  }
  lua_pushnumber(L, static_cast<double>(self.season));
  return 1;
}

int push_seasons(lua_State* L, RemoteCall& pending) {
  const auto& numbers = pending.answer<std::vector<std::uint64_t>>();
  push_array(L, numbers, [](lua_State* state, std::uint64_t number) {
    lua_pushnumber(state, static_cast<double>(number));
  });
  return 1;
}

// board:seasons() -> numbers of the kept seasons, newest first
int remote_seasons(lua_State* L) {
  const Call call{L, "seasons"};
  const RemoteBoardRef& self = remote_self(call);
  if (redirect_to_source_board(call, self)) return board_seasons(L);
  return wait_for(
      call, *self.boards, self.name(), self.handle, 0, push_seasons,
      [] { return request::Seasons{}; }, [](RemoteCall&) {});
}

int push_archived(lua_State* L, RemoteCall& pending) {
  const auto& self = *static_cast<const RemoteBoardRef*>(pending.place);
  push_environment(L, *pending.owner());
  push_remote_board(L, pending.boards(), self.handle, pending.season(), self.name());
  return 1;
}

// board:archived(season) -> board of a past season | nil
int remote_archived(lua_State* L) {
  const Call call{L, "archived"};
  const RemoteBoardRef& self = remote_self(call);
  if (redirect_to_source_board(call, self)) return board_archived(L);
  const std::size_t number = call.count(1);
  if (number == 0) {  // no season has this number
    if (const Status may = may_wait(call, self); !may) return refuse(L, may.refusal());
    lua_pushnil(L);
    return 1;
  }
  return wait_for(
      call, *self.boards, self.name(), self.handle, number, push_archived,
      [] { return request::ReadSeason{}; },
      [L](RemoteCall& pending) {
        pending.place = lua_touserdata(L, 1);
        pending.absent_is_nil = true;
      });
}

// ---- methods of some engines

// board:lowest(), board:layout() -> nil, reason
constexpr const char* kLowest = "lowest";
constexpr const char* kLayout = "layout";

template <const char* const& name>
int remote_unsupported(lua_State* L) {
  const Call call{L, name};
  const RemoteBoardRef& self = remote_self(call);
  if (find_remotes(self)->is_copy(self.handle)) {
    return refuse(L, {Code::unsupported, "{} is not told of a season in the archive",
                      name == kLowest ? "the score to beat" : "the layout of pages"});
  }
  return refuse(L, name == kLowest ? no_other_engine("a score to beat", "capped")
                                   : no_other_engine("a layout of pages", "paged"));
}

// board:merge(entries) -> nil, reason
int remote_merge(const Call& call, const RemoteBoardRef&) {
  call.array(1);
  return refuse(call.L, no_other_engine("merging", "capped"));
}

std::shared_ptr<const Spec> spec_of(const RemoteBoards* remotes, BoardHandle board) {
  return remotes != nullptr ? remotes->spec(board) : nullptr;
}

// Computes the fetch size from the cached spec. Returns nothing if the spec is not known yet.
std::optional<Result<std::size_t>> compute(const RemoteBoards* remotes, BoardHandle board,
                                           std::size_t n, double confidence) {
  const std::shared_ptr<const Spec> spec = spec_of(remotes, board);
  if (!spec) return std::nullopt;
  if (spec->engine != EngineKind::sharded) return no_other_engine("a fetch size", "sharded");
  if (const Status valid = check_confidence(confidence); !valid) return valid.refusal();
  return fetch_size(std::min<std::size_t>(n, kPlayersMax), spec->shards, confidence);
}

int answer_size(lua_State* L, const Result<std::size_t>& size) {
  if (!size) return refuse(L, size.refusal());
  lua_pushnumber(L, static_cast<double>(*size));
  return 1;
}

int push_fetch_size(lua_State* L, RemoteCall& pending) {
  const auto size = compute(RemoteBoards::of(*pending.boards().registry), pending.board(),
                            pending.number, pending.fraction);
  if (!size) return refuse(L, {Code::unavailable, "the board's spec is not known here"});
  return answer_size(L, *size);
}

// board:fetch_size(n, confidence) -> number; waits only if the spec is not known yet
int remote_shard_fetch_size(lua_State* L) {
  const Call call{L, "fetch_size"};
  const RemoteBoardRef& self = remote_self(call);
  const std::size_t n = call.count(1);
  const double confidence = call.number(2);
  const auto size = compute(find_remotes(self), self.handle, n, confidence);
  if (size) return answer_size(L, *size);
  return wait_for(
      call, *self.boards, self.name(), self.handle, 0, push_fetch_size,
      [] { return request::ReadSeason{}; },
      [n, confidence](RemoteCall& pending) {
        pending.number = n;
        pending.fraction = confidence;
      });
}

// ---- metamethods

int remote_to_string(lua_State* L) {
  const Call call{L, "tostring"};
  const auto& self = self_of<RemoteBoardRef>(call);
  if (!self.boards->open()) {
    lua_pushliteral(L, "board: closed");
    return 1;
  }
  const ShortText name = shown(self.name());
  const RemoteBoards* const remotes = find_remotes(self);
  const std::string* const where = remotes != nullptr ? remotes->remote(self.handle) : nullptr;
  if (where == nullptr) {
    lua_pushfstring(L, "board: %s (dropped)", name.text);
  } else if (self.season == 0) {
    lua_pushfstring(L, "board: %s (remote %s)", name.text, where->c_str());
  } else {
    lua_pushfstring(L, "board: %s (remote %s, season %f)", name.text, where->c_str(),
                    static_cast<double>(self.season));
  }
  return 1;
}

int remote_equal(lua_State* L) {
  const auto* a = find_userdata<RemoteBoardRef>(L, 1);
  const auto* b = find_userdata<RemoteBoardRef>(L, 2);
  const bool same = a != nullptr && b != nullptr && a->boards == b->boards &&
                    a->handle == b->handle && a->season == b->season;
  lua_pushboolean(L, same);
  return 1;
}

constexpr std::array kRemoteBoardMethods = {
    luaL_Reg{"info", guarded<remote_info>},
    luaL_Reg{"remote", guarded<remote_remote>},
    luaL_Reg{"season", guarded<remote_season>},
    luaL_Reg{"seasons", guarded<remote_seasons>},
    luaL_Reg{"archived", guarded<remote_archived>},
    luaL_Reg{"lowest", guarded<remote_unsupported<kLowest>>},
    luaL_Reg{"layout", guarded<remote_unsupported<kLayout>>},
    luaL_Reg{"merge", guarded<remote_write_method<"merge", remote_merge>>},
    luaL_Reg{"fetch_size", guarded<remote_shard_fetch_size>},
};
constexpr std::array kRemoteBoardMetamethods = {
    luaL_Reg{"__tostring", guarded<remote_to_string>},
    luaL_Reg{"__eq", guarded<remote_equal>},
};

}  // namespace

Methods remote_board_methods() { return kRemoteBoardMethods; }
Methods remote_board_metamethods() { return kRemoteBoardMetamethods; }

}  // namespace laurel
