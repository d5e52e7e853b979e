// laurel.connect, and the client that follows the boards of another server.
#include <array>
#include <memory>
#include <new>

#include "base/log.h"
#include "base/text.h"
#include "bindings/handle/methods.h"
#include "bindings/lua/callback.h"
#include "bindings/lua/options.h"
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
  lua_pushnumber(L, static_cast<double>(window.size));
  lua_pushnumber(L, static_cast<double>(window.version));
  return 3;
}

using Following = Status (Client::*)(std::string_view board, std::size_t n, OnTop on_top);

Status begin_following(Client& client, Following following, const ClientHandle& handle,
                       std::string_view board, std::size_t n, CallbackKey key) {
  std::string title = fmt::format("subscription to \"{}\"", escaped(board));
  return (client.*following)(board, n,
                             [callback = Callback(handle.callbacks, key), title = std::move(title),
                              log = Log()](const Result<WindowPtr>& top) {
                               const Result<WindowPtr> held = top;  // a finalizer may end `top`
                               callback.call(push_top, &held, title, log);
                             });
}

int follow_with(const Call& call, Following following) {
  lua_State* L = call.L;
  ClientHandle& handle = client_self(call);
  const std::string_view board = call.string(1);
  const std::size_t n = call.count(2);
  call.function(3);
  client_of(call, handle);
  sweep_callbacks(L, 1, *handle.callbacks);
  const CallbackKey key = keep_callback(L, 1, *handle.callbacks, call.index(3));
  const Status begun = begin_following(client_of(call, handle), following, handle, board, n, key);
  if (!begun) return refuse(L, begun.refusal());  // the key will be swept: it is not used
  lua_pushboolean(L, 1);
  return 1;
}

// client:subscribe(board, n, fn) -> true | nil, reason
int client_subscribe(lua_State* L) { return follow_with({L, "subscribe"}, &Client::subscribe); }

// client:follow(board, n, fn) -> true | nil, reason
int client_follow(lua_State* L) { return follow_with({L, "follow"}, &Client::follow); }

// client:unsubscribe(board) -> true
int client_unsubscribe(lua_State* L) {
  const Call call{L, "unsubscribe"};
  ClientHandle& handle = client_self(call);
  const std::string_view board = call.string(1);
  client_of(call, handle).unsubscribe(board);
  lua_pushboolean(L, 1);
  return 1;
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
