// The C interface's live channel: the server that publishes boards, and the client that follows
// them.
#include <algorithm>
#include <vector>

#include "live/client.h"
#include "live/publisher.h"
#include "plugin/host.h"

struct laurel_client {
  std::unique_ptr<laurel::Client> client;
  std::string state;                      // as last asked for
  std::vector<laurel_top_entry> entries;  // of the window being told; kept for its memory
};

namespace laurel {

namespace {

Live* to_live(const laurel_live* live) {
  return static_cast<Live*>(live->boards->registry->audience(live->audience));
}

// ---- the server

laurel_live* serve(laurel_boards* boards, const laurel_serve_config* config, laurel_error* error) {
  return guarded(error, nullptr, [&]() -> laurel_live* {
    ServerOptions options;
    const char* bind =
        member_or(config, &laurel_serve_config::bind, static_cast<const char*>(nullptr));
    if (bind != nullptr) options.bind = bind;
    options.port = member_or(config, &laurel_serve_config::port, uint16_t{0});
    if (const uint32_t clients = member_or(config, &laurel_serve_config::clients, 0U)) {
      options.clients = clients;
    }
    const double rate = member_or(config, &laurel_serve_config::rate, 0.0);
    if (rate != 0) options.rate = rate;

    Result<std::unique_ptr<Live>> live = Live::start(options);
    if (!live) {
      tell(error, live.refusal());
      return nullptr;
    }
    auto handle = std::make_unique<laurel_live>();
    handle->boards = boards;
    handle->audience = boards->registry->attach(std::move(*live));
    boards->lives.push_back(std::move(handle));
    tell_ok(error);
    return boards->lives.back().get();
  });
}

void live_close(laurel_live* live) {
  if (live == nullptr) return;
  guarded(nullptr, 0, [&] {
    laurel_boards& boards = *live->boards;
    boards.registry->detach(live->audience);
    std::erase_if(boards.lives, [&](const auto& each) { return each.get() == live; });
    return 0;
  });
}

uint16_t live_port(laurel_live* live) { return to_live(live)->port(); }

laurel_code publish(laurel_live* live, laurel_board board, uint32_t top, int32_t with_data,
                    laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Status published =
        to_live(live)->publish(*live->boards->registry, {board.slot, board.generation},
                               {.top = top, .data = with_data != 0});
    return published ? tell_ok(error) : tell(error, published.refusal());
  });
}

void unpublish(laurel_live* live, laurel_board board) {
  guarded(nullptr, 0, [&] {
    to_live(live)->unpublish(*live->boards->registry, {board.slot, board.generation});
    return 0;
  });
}

int32_t live_settled(laurel_live* live) { return to_live(live)->settled() ? 1 : 0; }

// ---- the client

laurel_client* connect(const laurel_connect_config* config, laurel_error* error) {
  return guarded(error, nullptr, [&]() -> laurel_client* {
    ClientOptions options{.host = "127.0.0.1"};
    const char* host =
        member_or(config, &laurel_connect_config::host, static_cast<const char*>(nullptr));
    if (host != nullptr) options.host = host;
    options.port = member_or(config, &laurel_connect_config::port, uint16_t{0});

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
                              .rank = entry.rank});
  }
  on_top(context, board.c_str(), client.entries.data(), client.entries.size(), window.size,
         window.version, nullptr);
}

laurel_code subscribe(laurel_client* client, const char* board, uint32_t n, laurel_on_top on_top,
                      void* context, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (board == nullptr || on_top == nullptr) {
      return tell(error, LAUREL_INVALID, "invalid: board and on_top are needed");
    }
    const std::string name = board;
    const Status subscribed = client->client->subscribe(
        name, n, [client, name, on_top, context](const Result<WindowPtr>& result) {
          tell_top(*client, name, on_top, context, result);
        });
    return subscribed ? tell_ok(error) : tell(error, subscribed.refusal());
  });
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

void fill_live_api(laurel_api& api) {
  api.serve = serve;
  api.live_close = live_close;
  api.live_port = live_port;
  api.publish = publish;
  api.unpublish = unpublish;
  api.live_settled = live_settled;
  api.connect = connect;
  api.client_close = client_close;
  api.subscribe = subscribe;
  api.unsubscribe = unsubscribe;
  api.client_tick = client_tick;
  api.client_state = client_state;
}

}  // namespace laurel
