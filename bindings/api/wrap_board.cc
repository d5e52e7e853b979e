// board: info, the state of its remote, tostring and equality.
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/table.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_spec.h"

namespace laurel {

namespace {

// ---- board:info() -> table

// Copies a spec and the version of its rule. A past season has no rule.
void copy_spec(const Registry& registry, const Spec& spec, bool running, CallBuffers& buffers) {
  copy_fields(spec, buffers.fields);
  Rules* const rules = registry.rules();
  if (running && rules != nullptr && !spec.rule.empty()) {
    buffers.text = rules->version(rules->open(spec.rule));
  }
}

int push_info(lua_State* L, std::string_view name, const SeasonFacts& facts,
              const CallBuffers& buffers) {
  lua_newtable(L);
  set_fields(L, buffers.fields);
  set_text(L, "name", name);
  set_number(L, "season", static_cast<double>(facts.season.number));
  set_number(L, "size", static_cast<double>(facts.size));
  set_time(L, "created", facts.created);
  set_time(L, "started", facts.season.started);
  set_optional_time(L, "ended", facts.season.ended);
  set_optional_time(L, "resets_at", facts.resets_at);
  set_optional_time(L, "closes_at", facts.closes_at);
  if (!buffers.text.empty()) set_text(L, "rule_version", buffers.text);
  return 1;
}

// Returns nothing if the season has just been trimmed, or the segments or cohorts were taken off. A
// segment or cohort has the facts of its board or season, and a size of its own.
std::optional<SeasonFacts> read_facts(const BoardRef& self, const Board& board,
                                      CallBuffers& buffers) {
  const Registry& registry = *self.boards->registry;
  if (!self.is_past()) {
    const Standings* const read = self.season == 0 ? &board : find_part(board, self);
    if (read == nullptr) return std::nullopt;
    copy_spec(registry, board.spec(), true, buffers);
    return SeasonFacts{board.season(), board.created(), board.resets_at(), read->size(),
                       board.closes_at()};
  }
  const ArchivedSeason* const archived = board.archived(self.season);
  if (archived == nullptr) return std::nullopt;
  const Standings* const read = find_part(board, self);
  if (read == nullptr) return std::nullopt;
  copy_spec(registry, archived->spec(), false, buffers);
  return SeasonFacts{archived->season(), board.created(), std::nullopt, read->size(), std::nullopt};
}

int local_info(lua_State* L) {
  const Call call{L, "info"};
  const BoardRef& self = board_self(call);
  CallBuffers& buffers = borrow_buffers(call, self);
  const std::optional<SeasonFacts> facts = read_facts(self, board_of(call, self), buffers);
  if (!facts) {
    self.boards->buffers.give_back(buffers);
    raise_not_kept(L, self);
  }
  push_info(L, self.name(), *facts, buffers);
  self.boards->buffers.give_back(buffers);
  flush_log(L, *self.boards);
  return 1;
}

// The spec that is known of a remote board, if any.
void copy_known_spec(const RemoteCall& pending, CallBuffers& buffers) {
  const Registry& registry = *pending.boards().registry;
  const RemoteBoards* const remotes = RemoteBoards::of(registry);
  const auto spec = remotes != nullptr ? remotes->spec(pending.board()) : nullptr;
  if (spec) copy_spec(registry, *spec, pending.season() == 0, buffers);
}

int push_remote_info(lua_State* L, RemoteCall& pending) {
  const auto& self = *static_cast<const RemoteBoardRef*>(pending.place);
  CallBufferPool& owner = pending.boards().buffers;
  CallBuffers& buffers = owner.borrow(L);
  copy_known_spec(pending, buffers);
  push_info(L, self.name(), pending.answer<SeasonFacts>(), buffers);
  owner.give_back(buffers);
  return 1;
}

int remote_info(lua_State* L) {
  const Call call{L, "info"};
  const RemoteBoardRef& self = remote_self(call);
  return wait_for(
      call, self, push_remote_info, [] { return request::ReadSeason{}; },
      [L](RemoteCall& pending) { pending.place = lua_touserdata(L, 1); });
}

// ---- board:remote() -> { state=, pending=, oldest=, round_trip=, refused= }; nil if it is local

int local_remote(lua_State* L) {
  board_self(Call{L, "remote"});
  lua_pushnil(L);
  return 1;
}

// Moves the state's text into `buffers`, which an error cannot leak.
void show_state(const RemoteBoards& remotes, BoardHandle board, CallBuffers& buffers,
                RemoteBoardState& state) {
  state = remotes.state(board);
  buffers.text = state.down.empty() ? "up" : "down: " + state.down;
  std::string().swap(state.down);
}

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

// ---- metamethods

int local_to_string(lua_State* L) {
  const Call call{L, "tostring"};
  const BoardRef& self = self_of<BoardRef>(call);
  if (!self.boards->open()) {
    lua_pushliteral(L, "board: closed");
    return 1;
  }
  const ShortText name = shown(self.name());
  const bool exists = find_standings(self) != nullptr;
  if (!self.is_past()) {
    lua_pushfstring(L, exists ? "board: %s" : "board: %s (dropped)", name.text);
  } else {
    lua_pushfstring(L, exists ? "board: %s (season %s)" : "board: %s (season %s, dropped)",
                    name.text, number_text(static_cast<double>(self.season)).text);
  }
  return 1;
}

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
    lua_pushfstring(L, "board: %s (remote %s, season %s)", name.text, where->c_str(),
                    number_text(static_cast<double>(self.season)).text);
  }
  return 1;
}

// REQUIRES: both are handles of one board.
bool same_part(const AnyBoardRef& a, const AnyBoardRef& b) {
  if (a.season != b.season || a.cohort != b.cohort) return false;
  return a.season != kSegment || (a.attribute() == b.attribute() && a.value() == b.value());
}

// Two handles are equal if they name the same board, not one created again under its name, and the
// same past season or segment of it, or both the running season.
template <typename Ref>
int equal(lua_State* L) {
  const auto* a = find_userdata<Ref>(L, 1);
  const auto* b = find_userdata<Ref>(L, 2);
  const bool same = a != nullptr && b != nullptr && a->boards == b->boards &&
                    a->handle == b->handle && same_part(*a, *b);
  lua_pushboolean(L, same);
  return 1;
}

constexpr std::array kBoardMethods = {
    BoardMethod{"info", guarded<local_info>, guarded<remote_info>},
    BoardMethod{"remote", guarded<local_remote>, guarded<remote_remote>},
};
constexpr std::array kBoardMetamethods = {
    BoardMethod{"__tostring", guarded<local_to_string>, guarded<remote_to_string>},
    BoardMethod{"__eq", guarded<equal<BoardRef>>, guarded<equal<RemoteBoardRef>>},
};

}  // namespace

BoardMethods board_methods() { return kBoardMethods; }
BoardMethods board_metamethods() { return kBoardMetamethods; }

}  // namespace laurel
