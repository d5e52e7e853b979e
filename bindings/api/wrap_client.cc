// laurel.connect, and the client that follows the boards of another server.
#include <array>
#include <memory>
#include <new>

#include "base/log.h"
#include "base/text.h"
#include "bindings/handle/methods.h"
#include "bindings/lua/callback.h"
#include "bindings/lua/options.h"
#include "bindings/values/push_boards.h"
#include "bindings/values/push_entry.h"
#include "live/client/client.h"

namespace laurel {

namespace {

struct ClientHandle : Userdata {
  static constexpr Type kType = Type::client;
  ClientHandle() noexcept : Userdata(kType) {}

  std::unique_ptr<Client> client;  // null once collected
  std::shared_ptr<CallbackOwner> callbacks;
  bool closed = false;

  // Ends the client and owns nothing afterwards.
  void end() {
    closed = true;
    if (callbacks) callbacks->userdata = nullptr;
    client.reset();
    callbacks.reset();
  }
};

constexpr std::array kConnectOptions = {
    Option{"host", LUA_TSTRING}, Option{"port", LUA_TNUMBER}, Option{"checksum", LUA_TBOOLEAN},
    Option{"token", LUA_TNONE},  // a string, or a function that fetches one
};

struct ConnectRequest {
  std::string_view host = "127.0.0.1";
  double port = 7777;
  bool checksum = false;
  std::string_view token;
  bool fetches = false;  // the token is a function
};

ConnectRequest read_connect(const Call& call) {
  check_options(call, 1, kConnectOptions);
  ConnectRequest request;
  request.port = whole_option(call, 1, "port", 1, 65535).value_or(request.port);
  request.checksum = boolean_option(call, 1, "checksum").value_or(request.checksum);
  request.host = string_option(call, 1, "host").value_or(request.host);
  if (call.absent(1)) return request;
  push_option(call, 1, "token");
  switch (lua_type(call.L, -1)) {
    case LUA_TNIL: break;
    case LUA_TFUNCTION: request.fetches = true; break;
    case LUA_TSTRING: request.token = Call::string_at(call.L, -1); break;
    default:
      call.bad(1, "field 'token': string or function expected, got %s", type_name(call.L, -1));
  }
  return request;
}

// The result of the `token` function: a token, or nil and a reason.
struct Fetched {
  std::optional<std::string> token;
  std::string why;
};

void read_fetched(lua_State* L, void* into) {
  auto& fetched = *static_cast<Fetched*>(into);
  if (lua_type(L, -2) == LUA_TSTRING) {
    fetched.token = Call::string_at(L, -2);
  } else if (lua_isnil(L, -2)) {
    if (lua_type(L, -1) == LUA_TSTRING) fetched.why = Call::string_at(L, -1);
  } else {
    fetched.why = fmt::format("the token's function returned a {}", type_name(L, -2));
  }
}

TokenSource fetched_by(Callback callback) {
  return [callback = std::move(callback), log = Log()]() -> Result<std::string> {
    Fetched fetched;
    if (!callback.ask(read_fetched, &fetched, "the token's function", log)) {
      return Refusal(Code::unavailable, "the token's function failed");
    }
    if (fetched.token) return *fetched.token;
    return Refusal(Code::unavailable, "no token yet{}{}", fetched.why.empty() ? "" : ": ",
                   escaped(fetched.why, 200));
  };
}

Status begin(ClientHandle& handle, const ConnectRequest& request, CallbackKey fetch) {
  ClientOptions options;
  options.token = std::string(request.token);
  if (request.fetches) options.fetch = fetched_by(Callback(handle.callbacks, fetch));
  options.host = std::string(request.host);
  options.port = static_cast<std::uint16_t>(request.port);
  options.checksum = request.checksum;
  Result<std::unique_ptr<Client>> client = Client::connect(options);
  if (!client) return client.refusal();
  handle.client = std::move(*client);
  return Done{};
}

// Raises `closed` unless the client is open.
Client& client_of(const Call& call, ClientHandle& handle) {
  if (handle.closed || !handle.client) luaL_error(call.L, "closed: this client is closed");
  return *handle.client;
}

// Call it before arguments are checked, since `closed` has precedence.
ClientHandle& client_self(const Call& call) {
  auto& handle = self_of<ClientHandle>(call);
  client_of(call, handle);
  return handle;
}

// The state's text, in memory that an error cannot leak.
ShortText text_of_state(const Client& client) { return shown(client.state(), 240); }

int push_top(lua_State* L, const void* what) {
  const auto& top = *static_cast<const Result<WindowPtr>*>(what);
  if (!top) return refuse(L, top.refusal());
  const Window& window = **top;
  push_window_entries(L, window.entries, window.columns.get());
  push_number(L, static_cast<double>(window.size));
  push_number(L, static_cast<double>(window.version));
  return 3;
}

// Keeps the function that is an argument. If what it is kept for is refused, its key is not used,
// and will be swept.
CallbackKey keep_function(const Call& call, ClientHandle& handle, int argument) {
  call.function(argument);
  client_of(call, handle);
  sweep_callbacks(call.L, 1, *handle.callbacks);
  return keep_callback(call.L, 1, *handle.callbacks, call.index(argument));
}

int answer(lua_State* L, const Status& done) {
  if (!done) return refuse(L, done.refusal());
  lua_pushboolean(L, 1);
  return 1;
}

// What a script asks to follow: the top, or the entries around a player.
struct Following {
  View view = View::top;
  std::string_view board;
  std::size_t n = 0;
  std::optional<std::string_view> player;  // absent: the token's
};

Status begin_following(Client& client, const ClientHandle& handle, const Following& what,
                       CallbackKey key) {
  std::string title = fmt::format("subscription to \"{}\"", escaped(what.board));
  OnTop on_top = [callback = Callback(handle.callbacks, key), title = std::move(title),
                  log = Log()](const Result<WindowPtr>& top) {
    const Result<WindowPtr> held = top;  // a finalizer may end `top`
    callback.call(push_top, &held, title, log);
  };
  if (what.view == View::top) return client.subscribe(what.board, what.n, std::move(on_top));
  if (!what.player) return client.follow(what.board, what.n, std::move(on_top));
  return client.follow_player(what.board, what.n, std::move(on_top), *what.player);
}

int follow_with(const Call& call, View view) {
  ClientHandle& handle = client_self(call);
  Following what;
  what.view = view;
  what.board = call.string(1);
  what.n = call.count(2);
  call.function(3);
  if (view == View::around) what.player = call.optional_string(4);
  const CallbackKey key = keep_function(call, handle, 3);
  return answer(call.L, begin_following(client_of(call, handle), handle, what, key));
}

// client:subscribe(board, n, fn) -> true | nil, reason
int client_subscribe(lua_State* L) { return follow_with({L, "subscribe"}, View::top); }

// client:follow(board, n, fn [, player]) -> true | nil, reason
int client_follow(lua_State* L) { return follow_with({L, "follow"}, View::around); }

// client:unsubscribe(board [, player]) -> true
int client_unsubscribe(lua_State* L) {
  const Call call{L, "unsubscribe"};
  ClientHandle& handle = client_self(call);
  const std::string_view board = call.string(1);
  const std::optional<std::string_view> player = call.optional_string(2);
  if (player) {
    client_of(call, handle).unfollow(board, *player);
  } else {
    client_of(call, handle).unsubscribe(board);
  }
  lua_pushboolean(L, 1);
  return 1;
}

// Takes a pointer to the list.
int push_boards_protected(lua_State* L) {
  const auto& boards = **static_cast<const ListedBoardsPtr*>(lua_touserdata(L, 1));
  push_boards(L, boards);
  return 1;
}

// Calls the function on top of the stack with the list, which it owns meanwhile, and so raises
// nothing. Returns the status of the call, or `refused`.
int push_current_boards(lua_State* L, Client& client, Status& refused) {
  Result<ListedBoardsPtr> boards = client.boards();
  if (!boards) {
    refused = boards.refusal();
    return 0;
  }
  lua_pushlightuserdata(L, &*boards);
  return lua_pcall(L, 1, 1, 0);
}

// client:boards() -> array | nil, reason
int client_boards(lua_State* L) {
  const Call call{L, "boards"};
  ClientHandle& handle = client_self(call);
  lua_pushcfunction(L, push_boards_protected);
  Status refused = Done{};
  const int status = push_current_boards(L, client_of(call, handle), refused);
  if (!refused) return refuse(L, refused.refusal());
  return status == 0 ? 1 : lua_error(L);
}

int push_listed(lua_State* L, const void* what) {
  const auto& boards = *static_cast<const Result<ListedBoardsPtr>*>(what);
  if (!boards) return refuse(L, boards.refusal());
  push_boards(L, **boards);
  return 1;
}

Status begin_on_boards(Client& client, const ClientHandle& handle, CallbackKey key) {
  return client.on_boards([callback = Callback(handle.callbacks, key),
                           log = Log()](const Result<ListedBoardsPtr>& boards) {
    const Result<ListedBoardsPtr> held = boards;  // a finalizer may end `boards`
    callback.call(push_listed, &held, "on_boards", log);
  });
}

// client:on_boards(fn) -> true
int client_on_boards(lua_State* L) {
  const Call call{L, "on_boards"};
  ClientHandle& handle = client_self(call);
  const CallbackKey key = keep_function(call, handle, 1);
  return answer(L, begin_on_boards(client_of(call, handle), handle, key));
}

// The player's id, in memory that an error cannot leak; empty: none.
ShortText player_text(const Client& client) {
  return short_text(client.player().value_or(std::string()));
}

// client:player() -> string | nil
int client_player(lua_State* L) {
  const Call call{L, "player"};
  ClientHandle& handle = client_self(call);
  const ShortText player = player_text(client_of(call, handle));
  if (player.text[0] == '\0') {
    lua_pushnil(L);
  } else {
    lua_pushstring(L, player.text);
  }
  return 1;
}

int push_player(lua_State* L, const void* what) {
  const auto& player = *static_cast<const Result<std::string>*>(what);
  if (!player) return refuse(L, player.refusal());
  push(L, *player);
  return 1;
}

Status begin_asking(Client& client, const ClientHandle& handle, std::string_view token,
                    CallbackKey key) {
  return client.ask_player(token, [callback = Callback(handle.callbacks, key),
                                   log = Log()](const Result<std::string>& player) {
    callback.call(push_player, &player, "player_of", log);
  });
}

// client:player_of(token, fn) -> true | nil, reason
int client_player_of(lua_State* L) {
  const Call call{L, "player_of"};
  ClientHandle& handle = client_self(call);
  const std::string_view token = call.string(1);
  const CallbackKey key = keep_function(call, handle, 2);
  return answer(L, begin_asking(client_of(call, handle), handle, token, key));
}

void run_tick(ClientHandle& handle, Client& client, lua_State* L) {
  const Running running(*handle.callbacks, L);
  client.tick();
}

// client:tick() -> true
int client_tick(lua_State* L) {
  const Call call{L, "tick"};
  ClientHandle& handle = client_self(call);
  Client& client = client_of(call, handle);
  if (handle.callbacks->running == nullptr) {  // does nothing inside a callback
    run_tick(handle, client, L);
    sweep_callbacks(L, 1, *handle.callbacks);
  }
  lua_pushboolean(L, 1);
  return 1;
}

// client:state() -> "connecting" | "connected" | "refused: why" | "lost: why"
int client_state(lua_State* L) {
  const Call call{L, "state"};
  ClientHandle& handle = client_self(call);
  client_of(call, handle);
  const ShortText now = text_of_state(*handle.client);
  lua_pushstring(L, now.text);
  return 1;
}

// client:close() -> true
int client_close(lua_State* L) {
  const Call call{L, "close"};
  auto& handle = self_of<ClientHandle>(call);
  if (!handle.closed && handle.client) {
    handle.closed = true;
    handle.client->close();
    clear_callbacks(L, 1);
  }
  lua_pushboolean(L, 1);
  return 1;
}

int client_collect(lua_State* L) {
  auto* handle = find_userdata<ClientHandle>(L, 1);
  if (handle == nullptr) return 0;
  const bool in_tick = handle->callbacks && handle->callbacks->running != nullptr;
  if (!in_tick) handle->end();  // a script can call __gc by debug.getmetatable
  return 0;
}

int client_to_string(lua_State* L) {
  const Call call{L, "tostring"};
  auto& handle = self_of<ClientHandle>(call);
  if (handle.closed || !handle.client) {
    lua_pushliteral(L, "client: closed");
    return 1;
  }
  const ShortText now = text_of_state(*handle.client);
  lua_pushfstring(L, "client: %s", now.text);
  return 1;
}

constexpr std::array kClientMethods = {
    luaL_Reg{"subscribe", guarded<client_subscribe>},
    luaL_Reg{"follow", guarded<client_follow>},
    luaL_Reg{"unsubscribe", guarded<client_unsubscribe>},
    luaL_Reg{"boards", guarded<client_boards>},
    luaL_Reg{"on_boards", guarded<client_on_boards>},
    luaL_Reg{"player", guarded<client_player>},
    luaL_Reg{"player_of", guarded<client_player_of>},
    luaL_Reg{"tick", guarded<client_tick>},
    luaL_Reg{"state", guarded<client_state>},
    luaL_Reg{"close", guarded<client_close>},
};
constexpr std::array kClientMetamethods = {
    luaL_Reg{"__gc", guarded<client_collect>},
    luaL_Reg{"__tostring", guarded<client_to_string>},
};

}  // namespace

// laurel.connect([options]) -> client | nil, reason
int wrap_connect(lua_State* L) {
  const Call call{L, "connect", 0};
  const ConnectRequest request = read_connect(call);

  lua_newtable(L);
  auto* handle = new (push_userdata(L, Type::client, sizeof(ClientHandle))) ClientHandle;
  adopt_environment(L);
  handle->callbacks = make_callback_owner(L, L, handle);

  CallbackKey fetch = 0;
  if (request.fetches) {
    const int owner = lua_gettop(L);
    push_option(call, 1, "token");
    fetch = keep_callback(L, owner, *handle->callbacks, lua_gettop(L));
    lua_pop(L, 1);
  }
  const Status begun = begin(*handle, request, fetch);
  if (!begun) {
    if (begun.refusal().code() != Code::invalid) return refuse(L, begun.refusal());
    call.bad(1, "%s", begun.refusal().message().data());
  }
  return 1;
}

Methods client_methods() { return kClientMethods; }
Methods client_metamethods() { return kClientMetamethods; }

}  // namespace laurel
