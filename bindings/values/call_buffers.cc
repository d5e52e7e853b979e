#include "bindings/values/call_buffers.h"

#include <new>

#include "base/limits.h"
#include "bindings/lua/args.h"
#include "bindings/lua/userdata.h"

namespace laurel {

namespace {

template <typename T>
void empty(std::vector<T>& list) {
  list.clear();
  if (list.capacity() > kListItemsKept) std::vector<T>().swap(list);
}

void empty(Entries& entries) {
  entries.clear();
  if (entries.capacity() > kListItemsKept) entries = Entries();
}

void empty(std::string& text) {
  text.clear();
  if (text.capacity() > kListBytesKept) std::string().swap(text);
}

// __gc of a spare.
int collect_lists(lua_State* L) {
  static_cast<CallBuffers*>(lua_touserdata(L, 1))->~CallBuffers();
  return 0;
}

}  // namespace

void CallBuffers::own_entries() {
  std::size_t size = 0;
  for (const Entry& entry : entries)
    size += entry.player.size() + (entry.data ? entry.data->size() : 0);
  bytes.clear();
  bytes.reserve(size);  // no reallocation below: the views stay valid
  const auto own = [this](std::string_view view) {
    const std::size_t at = bytes.size();
    bytes += view;
    return std::string_view(bytes).substr(at);
  };
  for (Entry& entry : entries) {
    entry.player = own(entry.player);
    if (entry.data) entry.data = own(*entry.data);
  }
}

void CallBuffers::own(Profile& profile) {
  profile.id = arena.keep(profile.id);
  if (profile.name) profile.name = arena.keep(*profile.name);
  if (profile.email) profile.email = arena.keep(*profile.email);
  profile.attributes = arena.keep(profile.attributes);
}

void CallBuffers::own(Session& session) {
  session.id = arena.keep(session.id);
  session.player = arena.keep(session.player);
  session.game = arena.keep(session.game);
  if (session.data) session.data = arena.keep(*session.data);
}

void CallBuffers::clear() {
  empty(entries);
  extras.clear();
  empty(bytes);
  empty(strings);
  empty(views);
  empty(sorted);
  empty(submissions);
  column_values.clear();
  empty(refused);
  empty(numbers);
  empty(value_sizes);
  empty(scores);
  empty(named_scores);
  empty(given_scores);
  empty(columns);
  empty(scores_of);
  empty(unheard_ends);
  empty(sessions);
  empty(results);
  report = {};
  arena.clear();
  empty(fields);
  empty(text);
}

CallBuffers& CallBufferPool::borrow(lua_State* L) {
  if (!lent_) {
    if (!buffers_) buffers_ = std::make_unique<CallBuffers>();
    lent_ = true;
    lua_pushnil(L);
    return *buffers_;
  }
  auto* spare = new (lua_newuserdata(L, sizeof(CallBuffers))) CallBuffers;
  push_module_table(L);
  lua_rawgeti(L, -1, kListsSlot);
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  return *spare;
}

void CallBufferPool::give_back(CallBuffers& buffers) {
  buffers.clear();
  if (&buffers == buffers_.get()) lent_ = false;
}

void push_buffers_metatable(lua_State* L) {
  lua_newtable(L);
  lua_pushcfunction(L, collect_lists);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

}  // namespace laurel
