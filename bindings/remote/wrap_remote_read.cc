// remote board: reading one player's entry and rank, lists of entries, and iterating over all.
#include <algorithm>
#include <array>
#include <new>
#include <string>

#include "base/limits.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/read_options.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_entry.h"
#include "bindings/values/read_score_range.h"

namespace laurel {

namespace {

// The refusal of the option `at`, with the text of local boards.
Refusal no_time(const RemoteBoardRef& self) {
  if (self.season == 0) return no_other_engine("a time to read at", "rolling");
  return {Code::unsupported, "season {} has ended: it stands as it stood", self.season};
}

// ---- one player

// board:size([options]) -> number
int remote_size(lua_State* L) {
  const Call call{L, "size"};
  const RemoteBoardRef& self = remote_self(call);
  if (take_time_option(call, 1, 1)) return refuse(L, no_time(self));
  return wait_for(call, self, push_number_answer, [] { return request::Size{}; });
}

int push_first(lua_State* L, RemoteCall& pending) {
  const Entries& entries = pending.answer<Listed>().entries;
  if (entries.empty()) {
    lua_pushnil(L);
  } else {
    push_entry(L, entries.front());
  }
  return 1;
}

// board:get(player) -> entry | nil
int remote_get(lua_State* L) {
  const Call call{L, "get"};
  const RemoteBoardRef& self = remote_self(call);
  const std::string_view player = call.string(1);
  return wait_for(call, self, push_first, [player] { return request::Get{std::string(player)}; });
}

int push_score(lua_State* L, RemoteCall& pending) {
  const Entries& entries = pending.answer<Listed>().entries;
  push_optional(L, entries.empty() ? std::nullopt : std::optional(entries.front().score));
  return 1;
}

// board:score(player [, options]) -> score | nil
int remote_score(lua_State* L) {
  const Call call{L, "score"};
  const RemoteBoardRef& self = remote_self(call);
  const std::string_view player = call.string(1);
  if (take_time_option(call, 2, 2)) return refuse(L, no_time(self));
  return wait_for(call, self, push_score, [player] { return request::Get{std::string(player)}; });
}

int push_rank(lua_State* L, RemoteCall& pending) {
  const auto& standing = pending.answer<std::optional<Standing>>();
  if (!standing) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushnumber(L, static_cast<double>(standing->rank));
  lua_pushnumber(L, static_cast<double>(standing->size));
  return 2;
}

// board:rank(player [, ranking] [, options]) -> rank, size | nil
int remote_rank(lua_State* L) {
  const Call call{L, "rank"};
  const RemoteBoardRef& self = remote_self(call);
  const std::string_view player = call.string(1);
  const std::optional<double> at = take_time_option(call, 2, 3);
  const Result<std::optional<Ranking>> ranking = ranking_argument(call, 2);
  if (!ranking) return refuse(L, ranking.refusal());
  if (at) return refuse(L, no_time(self));
  return wait_for(call, self, push_rank, [player, &ranking] {
    return request::Rank{std::string(player), *ranking};
  });
}

// board:rank_of(score) -> rank
int remote_rank_of(lua_State* L) {
  const Call call{L, "rank_of"};
  const RemoteBoardRef& self = remote_self(call);
  const double score = call.number(1);
  return wait_for(call, self, push_number_answer, [score] { return request::RankOf{score}; });
}

// board:count([low [, high]] [, options]) -> number
int remote_count(lua_State* L) {
  const Call call{L, "count"};
  const RemoteBoardRef& self = remote_self(call);
  const std::optional<double> at = take_time_option(call, 1, 3);
  const Result<ScoreRange> range = score_range(call, 1, 2);
  if (!range) return refuse(L, range.refusal());
  if (at) return refuse(L, no_time(self));
  return wait_for(call, self, push_number_answer, [&range] { return request::Count{*range}; });
}

int push_percentile(lua_State* L, RemoteCall& pending) {
  push_optional(L, pending.answer<std::optional<double>>());
  return 1;
}

// board:percentile(player) -> number | nil
int remote_percentile(lua_State* L) {
  const Call call{L, "percentile"};
  const RemoteBoardRef& self = remote_self(call);
  const std::string_view player = call.string(1);
  return wait_for(call, self, push_percentile,
                  [player] { return request::Percentile{std::string(player)}; });
}

int push_key(lua_State* L, RemoteCall& pending) {
  const auto& key = pending.answer<std::optional<std::string>>();
  if (key) {
    push(L, *key);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

// board:key(player) -> string | nil
int remote_key(lua_State* L) {
  const Call call{L, "key"};
  const RemoteBoardRef& self = remote_self(call);
  const std::string_view player = call.string(1);
  return wait_for(call, self, push_key, [player] { return request::Key{std::string(player)}; });
}

// ---- lists

int push_top_once(lua_State* L, RemoteCall& pending) {
  push_entries(L, pending.answer<Listed>().entries);
  lua_pushboolean(L, pending.answer<Listed>().certain);
  return 2;
}

// board:top(n [, options]) -> entries [, whether that is certain]
int remote_top(lua_State* L) {
  const Call call{L, "top"};
  const RemoteBoardRef& self = remote_self(call);
  const std::size_t n = call.count(1);
  const Result<ReadOptions> options = take_top_options(call);
  if (!options) return refuse(L, options.refusal());
  if (options->at) return refuse(L, no_time(self));
  if (options->confidence) {
    const double confidence = *options->confidence;
    return wait_for(call, self, push_top_once, [n, confidence] {
      return request::TopOnce{n, confidence};
    });
  }
  return wait_for(call, self, push_entries_answer, [n] { return request::Page{0, n}; });
}

// board:bottom(n) -> entries, worst first
int remote_bottom(lua_State* L) {
  const Call call{L, "bottom"};
  const RemoteBoardRef& self = remote_self(call);
  const std::size_t n = call.count(1);
  return wait_for(call, self, push_entries_answer, [n] { return request::Bottom{n}; });
}

// board:page(first, n [, options]) -> entries
int remote_page(lua_State* L) {
  const Call call{L, "page"};
  const RemoteBoardRef& self = remote_self(call);
  const std::size_t first = call.position(1);
  const std::size_t n = call.count(2);
  if (take_time_option(call, 3, 3)) return refuse(L, no_time(self));
  return wait_for(call, self, push_entries_answer, [first, n] {
    return request::Page{first - 1, n};
  });
}

// board:around(player, n) -> entries; n = 0: the player alone
int remote_around(lua_State* L) {
  const Call call{L, "around"};
  const RemoteBoardRef& self = remote_self(call);
  const std::string_view player = call.string(1);
  const std::optional<std::size_t> n = call.count_from_zero(2);
  if (!n) {
    lua_newtable(L);
    return 1;
  }
  return wait_for(call, self, push_entries_answer, [player, n] {
    return request::Around{std::string(player), *n};
  });
}

// board:between(low, high [, limit]) -> entries
int remote_between(lua_State* L) {
  const Call call{L, "between"};
  const RemoteBoardRef& self = remote_self(call);
  const Result<ScoreRange> range = score_range(call, 1, 2);
  const std::size_t limit = call.absent(3) ? SIZE_MAX : call.count(3);
  if (!range) return refuse(L, range.refusal());
  return wait_for(call, self, push_entries_answer, [&range, limit] {
    return request::Between{*range, limit};
  });
}

request::Among among_of(const std::vector<std::string_view>& players) {
  request::Among among;
  among.players.assign(players.begin(), players.end());
  return among;
}

// board:among(players) -> entries with overall
int remote_among(lua_State* L) {
  const Call call{L, "among"};
  const RemoteBoardRef& self = remote_self(call);
  call.strings(1);
  if (const Status may = may_wait(call, self); !may) return refuse(L, may.refusal());
  CallBuffers& buffers = borrow_buffers(call, *self.boards);
  if (const int wrong = call.read_strings(1, buffers.views)) {
    self.boards->buffers.give_back(buffers);
    call.raise_item(1, wrong);
  }
  return wait_for(call, self, push_entries_answer, [&self, &buffers] {
    request::Among among = among_of(buffers.views);
    self.boards->buffers.give_back(buffers);
    return among;
  });
}

// ---- board:each([first])

constexpr std::size_t kEachChunk = 100;  // entries per request

// The entries that were read; those from `given` on are not returned yet.
struct Chunk {
  explicit Chunk(std::size_t first) : next(first) {}

  Entries entries;
  std::size_t given = 0;
  std::size_t next;   // position of the next chunk
  bool last = false;  // this is the last chunk
};

// The iterator's upvalues.
constexpr int kRemoteEachBoard = 2;
constexpr int kEachRead = 3;

int collect_chunk(lua_State* L) {
  static_cast<Chunk*>(lua_touserdata(L, 1))->~Chunk();
  return 0;
}

void take_chunk(Chunk& chunk, Listed& listed) {
  chunk.entries = std::move(listed.entries);
  chunk.given = 0;
  chunk.next += chunk.entries.size();
  chunk.last = chunk.entries.size() < kEachChunk;
}

int give_next(lua_State* L, Chunk& chunk) {
  if (chunk.given >= chunk.entries.size()) {
    lua_pushnil(L);
  } else {
    push_entry(L, chunk.entries[chunk.given++]);
  }
  return 1;
}

int push_chunk(lua_State* L, RemoteCall& pending) {
  Chunk& chunk = *static_cast<Chunk*>(pending.place);
  take_chunk(chunk, pending.answer<Listed>());
  return give_next(L, chunk);
}

// () -> entry | nil
int remote_each_step(lua_State* L) {
  const Call call{L, "each"};
  const auto& self =
      *static_cast<const RemoteBoardRef*>(lua_touserdata(L, lua_upvalueindex(kRemoteEachBoard)));
  Chunk& chunk = *static_cast<Chunk*>(lua_touserdata(L, lua_upvalueindex(kEachRead)));
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(kRemoteEachBoard));
  if (chunk.given < chunk.entries.size() || chunk.last || find_remotes(self) == nullptr) {
    return give_next(L, chunk);
  }
  return wait_for(
      call, self, push_chunk,
      [&chunk] {
        return request::Page{chunk.next, kEachChunk};
      },
      [&chunk](RemoteCall& pending) { pending.place = &chunk; });
}

// board:each([first]) -> iterator over entries
int remote_each(lua_State* L) {
  const Call call{L, "each"};
  const RemoteBoardRef& self = remote_self(call);
  const std::size_t first = call.absent(1) ? 1 : call.position(1);
  if (const Status may = may_wait(call, self); !may) return refuse(L, may.refusal());
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_newtable(L);
  lua_pushcfunction(L, collect_chunk);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  new (lua_newuserdata(L, sizeof(Chunk))) Chunk(first - 1);
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  lua_pushcclosure(L, guarded<remote_each_step>, kEachRead);
  return 1;
}

constexpr std::array kRemoteReadMethods = {
    luaL_Reg{"size", guarded<remote_size>},
    luaL_Reg{"get", guarded<remote_get>},
    luaL_Reg{"score", guarded<remote_score>},
    luaL_Reg{"rank", guarded<remote_rank>},
    luaL_Reg{"rank_of", guarded<remote_rank_of>},
    luaL_Reg{"count", guarded<remote_count>},
    luaL_Reg{"percentile", guarded<remote_percentile>},
    luaL_Reg{"key", guarded<remote_key>},
    luaL_Reg{"top", guarded<remote_top>},
    luaL_Reg{"bottom", guarded<remote_bottom>},
    luaL_Reg{"page", guarded<remote_page>},
    luaL_Reg{"around", guarded<remote_around>},
    luaL_Reg{"between", guarded<remote_between>},
    luaL_Reg{"among", guarded<remote_among>},
    luaL_Reg{"each", guarded<remote_each>},
};

}  // namespace

Methods remote_read_methods() { return kRemoteReadMethods; }

}  // namespace laurel
