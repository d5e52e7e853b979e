// The C interface's live client: it follows boards of a local or remote server.
#include <string>
#include <vector>

#include "plugin/client_handle.h"
#include "plugin/host.h"

namespace laurel {

namespace {

TokenSource fetched_by(const char* (*fetch)(void*), void* context) {
  return [fetch, context]() -> Result<std::string> {
    if (const char* const token = fetch(context)) return std::string(token);
    return Refusal(Code::unavailable, "no token yet");
  };
}

laurel_client* connect(const laurel_connect_config* config, laurel_error* error) {
  return guarded(error, nullptr, [&]() -> laurel_client* {
    ClientOptions options{.host = "127.0.0.1"};
    const char* host =
        member_or(config, &laurel_connect_config::host, static_cast<const char*>(nullptr));
    if (host != nullptr) options.host = host;
    options.port = member_or(config, &laurel_connect_config::port, uint16_t{0});
    options.checksum = member_or(config, &laurel_connect_config::checksum, 0) != 0;
    options.token = text_or_empty(
        member_or(config, &laurel_connect_config::token, static_cast<const char*>(nullptr)));
    if (has_member(config, &laurel_connect_config::fetch_token) && config->fetch_token != nullptr) {
      options.fetch = fetched_by(
          config->fetch_token,
          member_or(config, &laurel_connect_config::context, static_cast<void*>(nullptr)));
    }

    Result<std::unique_ptr<Client>> client = Client::connect(options);
    if (!client) {
      tell(error, client.refusal());
      return nullptr;
    }
    auto handle = std::make_unique<laurel_client>();
    handle->client = std::move(*client);
    tell_ok(error);
    return handle.release();
  });
}

void client_close(laurel_client* client) { delete client; }

void tell_top(laurel_client& client, const std::string& board, laurel_on_top on_top, void* context,
              const Result<WindowPtr>& result) {
  if (!result) {
    on_top(context, board.c_str(), nullptr, 0, 0, 0, result.refusal().c_str());
    return;
  }
  const Window& window = **result;
  client.entries.clear();
  for (const WindowEntry& entry : window.entries) {
    client.entries.push_back({.player = entry.player.data(),
                              .player_size = entry.player.size(),
                              .name = entry.name ? entry.name->data() : nullptr,
                              .name_size = entry.name ? entry.name->size() : 0,
                              .score = entry.score,
                              .rank = entry.rank.whole()});
  }
  on_top(context, board.c_str(), client.entries.data(), client.entries.size(), window.size,
         window.version, nullptr);
}

using Following = Status (Client::*)(std::string_view board, std::size_t n, OnTop on_top);

laurel_code begin(Following following, laurel_client* client, const char* board, uint32_t n,
                  laurel_on_top on_top, void* context, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (board == nullptr || on_top == nullptr) {
      return tell(error, LAUREL_INVALID, "invalid: a board and a callback are needed");
    }
    const std::string name = board;
    const Status begun = ((*client->client).*following)(
        name, n, [client, name, on_top, context](const Result<WindowPtr>& result) {
          tell_top(*client, name, on_top, context, result);
        });
    return begun ? tell_ok(error) : tell(error, begun.refusal());
  });
}

laurel_code subscribe(laurel_client* client, const char* board, uint32_t n, laurel_on_top on_top,
                      void* context, laurel_error* error) {
  return begin(&Client::subscribe, client, board, n, on_top, context, error);
}

laurel_code follow(laurel_client* client, const char* board, uint32_t n, laurel_on_top on_entries,
                   void* context, laurel_error* error) {
  return begin(&Client::follow, client, board, n, on_entries, context, error);
}

void unsubscribe(laurel_client* client, const char* board) {
  guarded(nullptr, 0, [&] {
    client->client->unsubscribe(board);
    return 0;
  });
}

void client_tick(laurel_client* client) {
  guarded(nullptr, 0, [&] {
    client->client->tick();
    return 0;
  });
}

const char* client_state(laurel_client* client) {
  return guarded(nullptr, "lost: out of memory", [&] {
    client->state = client->client->state();
    return client->state.c_str();
  });
}

}  // namespace

void fill_client_api(laurel_api& api) {
  api.connect = connect;
  api.client_close = client_close;
  api.subscribe = subscribe;
  api.follow = follow;
  api.unsubscribe = unsubscribe;
  api.client_tick = client_tick;
  api.client_state = client_state;
}

}  // namespace laurel
