// boards:serve, and the live handle: publishes boards to clients over the network.
//
// The registry owns the server, and a handle holds its id. Collecting the handle does not end the
// server; closing the handle or the boards does.
#include <array>

#include "base/limits.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/options.h"
#include "bindings/remote/named_board.h"
#include "live/limits.h"
#include "live/server/publisher.h"

namespace laurel {

namespace {

struct LiveRef : Userdata {
  static constexpr Type kType = Type::live;
  explicit LiveRef(RegistryHandle& boards_in) : Userdata(kType), boards(&boards_in) {}

  RegistryHandle* boards;
  Registry::ObserverId observer = 0;  // 0: not attached
};

constexpr std::array kServeOptions = {
    Option{"port", LUA_TNUMBER},
    Option{"bind", LUA_TSTRING},
    Option{"clients", LUA_TNUMBER},
    Option{"auth", LUA_TSTRING},
    Option{"rate", LUA_TNUMBER},
    Option{"checksum", LUA_TBOOLEAN},
    Option{"clients_per_address", LUA_TNUMBER},
};

// The options of boards:serve. Owns no memory.
struct ServeRequest {
  double port = 0;
  double clients = 1024;
  std::optional<double> clients_per_address;
  double rate = 20;
  bool checksum = false;
  std::optional<Auth> auth;
  std::string_view bind = "127.0.0.1";
};

std::optional<Auth> read_auth(const Call& call) {
  const std::optional<std::string_view> auth = string_option(call, 1, "auth");
  if (!auth) return std::nullopt;
  if (*auth == "open") return Auth::open;
  if (*auth == "token") return Auth::token;
  const ShortText quoted = shown(*auth);
  call.bad(1, "field 'auth' is \"%s\"; it takes \"open\" or \"token\"", quoted.text);
}

ServeRequest read_serve(const Call& call) {
  check_options(call, 1, kServeOptions);
  ServeRequest request;
  request.port = whole_option(call, 1, "port", 0, 65535).value_or(request.port);
  request.clients = whole_option(call, 1, "clients", 1, static_cast<double>(kLiveClientsMax))
                        .value_or(request.clients);
  request.clients_per_address =
      whole_option(call, 1, "clients_per_address", 1, static_cast<double>(kLiveClientsMax));
  request.rate = number_option(call, 1, "rate").value_or(request.rate);
  request.checksum = boolean_option(call, 1, "checksum").value_or(request.checksum);
  request.bind = string_option(call, 1, "bind").value_or(request.bind);
  request.auth = read_auth(call);
  return request;
}

// Equal for channels with the same options, else different.
std::string options_text(const ServeRequest& request) {
  const int auth = request.auth ? static_cast<int>(*request.auth) : -1;
  return fmt::format("{}:{} {} {} {} {} {}", request.bind, request.port, request.clients,
                     request.clients_per_address.value_or(0), request.rate, request.checksum, auth);
}

Result<Registry::ObserverId> start(Registry& registry, const ServeRequest& request) {
  ServerOptions options;
  options.port = static_cast<std::uint16_t>(request.port);
  options.bind = std::string(request.bind);
  options.clients = static_cast<std::size_t>(request.clients);
  if (request.clients_per_address) {
    options.clients_per_address = static_cast<std::size_t>(*request.clients_per_address);
  }
  options.rate = request.rate;
  options.checksum = request.checksum;
  options.auth = request.auth;
  Result<std::unique_ptr<Publisher>> live = Publisher::start(options);
  if (!live) return live.refusal();
  return registry.attach(std::move(*live));
}

// A reloaded hosted script takes over the running channel of its previous version.
Result<Registry::ObserverId> serve_or_take_over(RegistryHandle& boards, Registry& registry,
                                                const ServeRequest& request) {
  if (boards.owned) return start(registry, request);
  const std::string options = options_text(request);
  if (const auto running = boards.resources.take_over(registry, options)) return *running;
  Result<Registry::ObserverId> started = start(registry, request);
  if (started) boards.resources.serve(options, *started);
  return started;
}

// boards:serve([options]) -> live | nil, reason
int boards_serve(lua_State* L) {
  const Call call{L, "serve"};
  RegistryHandle& boards = boards_self(call);
  check_in_force(call, boards);
  const ServeRequest request = read_serve(call);
  Registry& registry = registry_of(call, boards);
  // The handle is made first: if memory runs out, no server is left without a handle.
  auto* live = new (push_userdata(L, Type::live, sizeof(LiveRef))) LiveRef(boards);
  push_environment_of(L, 1);
  set_environment_of(L, -2);

  const Result<Registry::ObserverId> observer = serve_or_take_over(boards, registry, request);
  flush_log(L, boards);
  if (!observer) {
    if (observer.refusal().code() != Code::invalid) return refuse(L, observer.refusal());
    call.bad(1, "%s", observer.refusal().message().data());
  }
  live->observer = *observer;
  return 1;
}

// Raises `closed` unless the server runs.
Publisher& live_of(const Call& call, const LiveRef& self) {
  RegistryObserver* observer = registry_of(call, *self.boards).observer(self.observer);
  if (observer == nullptr) luaL_error(call.L, "closed: this live channel is closed");
  return static_cast<Publisher&>(*observer);
}

// As boards_self: raises `closed` before arguments are checked.
const LiveRef& live_self(const Call& call) {
  const auto& self = self_of<LiveRef>(call);
  live_of(call, self);
  return self;
}

constexpr std::array kPublishOptions = {
    Option{"top", LUA_TNUMBER},
    Option{"data", LUA_TBOOLEAN},
    Option{"changes", LUA_TBOOLEAN},
};

std::optional<SegmentName> segment_of(const AnyBoardRef* segment) {
  return segment == nullptr ? std::nullopt : segment_of(*segment);
}

// live:publish(board or its name [, options]) -> true | nil, reason
int live_publish(lua_State* L) {
  const Call call{L, "publish"};
  const LiveRef& self = live_self(call);
  if (const auto named = named_board(call, 1, *self.boards, TakesSegments::yes); !named) {
    return refuse(L, named.refusal());
  }
  check_options(call, 2, kPublishOptions);
  constexpr auto kTopMax = static_cast<double>(kLiveTopMax);
  PublishOptions options;
  options.top =
      static_cast<std::size_t>(whole_option(call, 2, "top", 1, kTopMax).value_or(kTopMax));
  options.data = boolean_option(call, 2, "data").value_or(false);
  options.changes = boolean_option(call, 2, "changes").value_or(false);

  Publisher& live = live_of(call, self);
  // Reading the options may have run a finalizer.
  const Result<NamedBoard> board = named_board(call, 1, *self.boards, TakesSegments::yes);
  if (!board) return refuse(L, board.refusal());
  const Status published = board->remote
                               ? live.publish_remote(*self.boards->registry, board->handle, options)
                               : live.publish(*self.boards->registry, board->handle, options,
                                              segment_of(board->segment));
  if (!published) return refuse(L, published.refusal());
  lua_pushboolean(L, 1);
  return 1;
}

constexpr std::array kTokenOptions = {Option{"uses", LUA_TNUMBER}, Option{"clear", LUA_TBOOLEAN}};
constexpr std::array kGatewayTokenOptions = {Option{"clear", LUA_TBOOLEAN}};

TokenForm token_form(const Call& call, int index) {
  return boolean_option(call, index, "clear").value_or(false) ? TokenForm::clear : TokenForm::usual;
}

// In memory that an error cannot leak.
ShortText text_of(const Token& token) { return short_text(to_text(token)); }

// With durability `always`, a token is on the disk before the call returns, as writes are.
Status commit(RegistryHandle& boards, lua_State* L) {
  const Status kept = boards.registry->commit();
  flush_log(L, boards);
  return kept;
}

// live:token(player, seconds [, options]) -> token | nil, reason
int live_token(lua_State* L) {
  const Call call{L, "token"};
  const LiveRef& self = live_self(call);
  const std::string_view player = call.string(1);
  const double seconds = call.number(2);
  check_options(call, 3, kTokenOptions);
  constexpr auto kUsesMax = static_cast<double>(kLiveTokenUsesMax);
  const double uses = whole_option(call, 3, "uses", 1, kUsesMax).value_or(1);
  const TokenForm form = token_form(call, 3);
  const Result<Token> token =
      live_of(call, self)
          .token(*self.boards->registry, player, seconds, static_cast<std::uint64_t>(uses), form);
  if (!token) return refuse(L, token.refusal());
  if (const Status kept = commit(*self.boards, L); !kept) return refuse(L, kept.refusal());
  lua_pushstring(L, text_of(*token).text);
  return 1;
}

// live:gateway_token([seconds [, options]]) -> token | nil, reason
int live_gateway_token(lua_State* L) {
  const Call call{L, "gateway_token"};
  const LiveRef& self = live_self(call);
  const std::optional<double> seconds = call.optional_number(1);
  check_options(call, 2, kGatewayTokenOptions);
  const TokenForm form = token_form(call, 2);
  const Result<Token> token =
      live_of(call, self).gateway_token(*self.boards->registry, seconds, form);
  if (!token) return refuse(L, token.refusal());
  if (const Status kept = commit(*self.boards, L); !kept) return refuse(L, kept.refusal());
  lua_pushstring(L, text_of(*token).text);
  return 1;
}

// live:revoke_gateway_token(token) -> boolean | nil, reason
int live_revoke_gateway_token(lua_State* L) {
  const Call call{L, "revoke_gateway_token"};
  const LiveRef& self = live_self(call);
  const std::string_view token = call.string(1);
  const Result<bool> revoked =
      live_of(call, self).revoke_gateway_token(*self.boards->registry, token);
  if (!revoked) return refuse(L, revoked.refusal());
  if (const Status kept = commit(*self.boards, L); !kept) return refuse(L, kept.refusal());
  lua_pushboolean(L, *revoked ? 1 : 0);
  return 1;
}

// live:unpublish(board or its name) -> boolean
int live_unpublish(lua_State* L) {
  const Call call{L, "unpublish"};
  const LiveRef& self = live_self(call);
  const Result<NamedBoard> board = named_board(call, 1, *self.boards, TakesSegments::yes);
  Publisher& live = live_of(call, self);
  lua_pushboolean(  // a past season is never published
      L, board && (board->remote ? live.unpublish_remote(*self.boards->registry, board->handle)
                                 : live.unpublish(*self.boards->registry, board->handle,
                                                  segment_of(board->segment))));
  return 1;
}

// live:port() -> number
int live_port(lua_State* L) {
  const Call call{L, "port"};
  push_number(L, live_of(call, self_of<LiveRef>(call)).port());
  return 1;
}

// live:stats() -> table of counters
int live_stats(lua_State* L) {
  const Call call{L, "stats"};
  const ServerStats stats = live_of(call, self_of<LiveRef>(call)).stats();
  const std::pair<const char*, std::uint64_t> counters[] = {
      {"clients", stats.clients},
      {"boards", stats.boards},
      {"subscriptions", stats.subscriptions},
      {"sent", stats.sent},
      {"bytes", stats.bytes},
      {"received", stats.received},
      {"encoded", stats.encoded},
      {"resyncs", stats.resyncs},
      {"dropped", stats.dropped},
      {"offences", stats.offences},
      {"garbage", stats.garbage},
      {"closed", stats.closed},
      {"denied", stats.denied},
      {"tickets", stats.tickets},
      {"followed", stats.followed},
  };
  lua_createtable(L, 0, static_cast<int>(std::size(counters)));
  for (const auto& [name, count] : counters) {
    push_number(L, static_cast<double>(count));
    lua_setfield(L, -2, name);
  }
  return 1;
}

// live:close() -> true
int live_close(lua_State* L) {
  const Call call{L, "close"};
  const LiveRef& self = self_of<LiveRef>(call);
  if (self.boards->open()) self.boards->registry->detach(self.observer);
  lua_pushboolean(L, 1);
  return 1;
}

int live_to_string(lua_State* L) {
  const Call call{L, "tostring"};
  const LiveRef& self = self_of<LiveRef>(call);
  RegistryObserver* observer =
      self.boards->open() ? self.boards->registry->observer(self.observer) : nullptr;
  if (observer == nullptr) {
    lua_pushliteral(L, "live: closed");
  } else {
    lua_pushfstring(L, "live: port %d",
                    static_cast<int>(static_cast<Publisher*>(observer)->port()));
  }
  return 1;
}

constexpr std::array kServe = {luaL_Reg{"serve", guarded<boards_serve>}};
constexpr std::array kLiveMethods = {
    luaL_Reg{"publish", guarded<live_publish>},
    luaL_Reg{"unpublish", guarded<live_unpublish>},
    luaL_Reg{"token", guarded<live_token>},
    luaL_Reg{"port", guarded<live_port>},
    luaL_Reg{"stats", guarded<live_stats>},
    luaL_Reg{"close", guarded<live_close>},
    luaL_Reg{"gateway_token", guarded<live_gateway_token>},
    luaL_Reg{"revoke_gateway_token", guarded<live_revoke_gateway_token>},
};
constexpr std::array kLiveMetamethods = {luaL_Reg{"__tostring", guarded<live_to_string>}};

}  // namespace

Methods serve_methods() { return kServe; }
Methods live_methods() { return kLiveMethods; }
Methods live_metamethods() { return kLiveMetamethods; }

}  // namespace laurel
