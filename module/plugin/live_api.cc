// The C interface's live channel: the server that shows boards to clients.
#include <cstring>

#include "live/limits.h"
#include "live/server/publisher.h"
#include "plugin/host.h"

namespace laurel {

namespace {

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
    if (const uint32_t share = member_or(config, &laurel_serve_config::clients_per_address, 0U)) {
      options.clients_per_address = share;
    }
    const double rate = member_or(config, &laurel_serve_config::rate, 0.0);
    if (rate != 0) options.rate = rate;
    options.checksum = member_or(config, &laurel_serve_config::checksum, 0) != 0;
    switch (member_or(config, &laurel_serve_config::auth, laurel_auth{LAUREL_AUTH_USUAL})) {
      case LAUREL_AUTH_USUAL: break;
      case LAUREL_AUTH_OPEN: options.auth = Auth::open; break;
      case LAUREL_AUTH_TOKEN: options.auth = Auth::token; break;
      default:
        tell(error, LAUREL_INVALID, "invalid: auth takes a value of LAUREL_AUTH_...");
        return nullptr;
    }

    Result<std::unique_ptr<Publisher>> live = Publisher::start(options);
    if (!live) {
      tell(error, live.refusal());
      return nullptr;
    }
    auto handle = std::make_unique<laurel_live>();
    handle->boards = boards;
    handle->observer = boards->registry->attach(std::move(*live));
    boards->lives.push_back(std::move(handle));
    tell_ok(error);
    return boards->lives.back().get();
  });
}

void live_close(laurel_live* live) {
  if (live == nullptr) return;
  guarded(nullptr, 0, [&] {
    laurel_boards& boards = *live->boards;
    boards.registry->detach(live->observer);
    std::erase_if(boards.lives, [&](const auto& each) { return each.get() == live; });
    return 0;
  });
}

uint16_t live_port(laurel_live* live) { return publisher_of(live)->port(); }

laurel_code publish_top(laurel_live* live, laurel_board board, uint32_t top, int32_t with_data,
                        laurel_error* error) {
  return publish(live, board, {.top = top, .data = with_data != 0}, error);
}

void unpublish(laurel_live* live, laurel_board board) {
  guarded(nullptr, 0, [&] {
    const Registry& registry = *live->boards->registry;
    if (is_remote(board)) {
      publisher_of(live)->unpublish_remote(registry, from_remote_handle(board));
    } else {
      publisher_of(live)->unpublish(registry, {board.slot, board.generation});
    }
    return 0;
  });
}

int32_t live_settled(laurel_live* live) { return publisher_of(live)->settled() ? 1 : 0; }

laurel_code token(laurel_live* live, const char* player, double seconds, uint32_t uses, char* out,
                  laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Registry& registry = *live->boards->registry;
    const Result<Token> drawn =
        publisher_of(live)->token(registry, text_or_empty(player), seconds, uses, TokenForm::clear);
    if (!drawn) return tell(error, drawn.refusal());
    if (const Status kept = registry.commit(); !kept) return tell(error, kept.refusal());
    const std::string text = to_text(*drawn);
    static_assert(LAUREL_TOKEN_SIZE == 8 + 2 * kLiveSecretBytes + 1);
    std::memcpy(out, text.c_str(), LAUREL_TOKEN_SIZE);
    return tell_ok(error);
  });
}

void live_counters(laurel_live* live, laurel_live_counters* out) {
  guarded(nullptr, 0, [&] {
    const ServerStats stats = publisher_of(live)->stats();
    const laurel_live_counters counters{.struct_size = sizeof counters,
                                        .clients = static_cast<std::uint32_t>(stats.clients),
                                        .subscriptions = stats.subscriptions,
                                        .tickets = stats.tickets,
                                        .sent = stats.sent,
                                        .bytes = stats.bytes,
                                        .denied = stats.denied,
                                        .garbage = stats.garbage,
                                        .closed = stats.closed};
    fill_out(counters, out);
    return 0;
  });
}

}  // namespace

Publisher* publisher_of(const laurel_live* live) {
  return static_cast<Publisher*>(live->boards->registry->observer(live->observer));
}

laurel_code publish(laurel_live* live, laurel_board board, const PublishOptions& options,
                    laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Registry& registry = *live->boards->registry;
    const Status published =
        is_remote(board)
            ? publisher_of(live)->publish_remote(registry, from_remote_handle(board), options)
            : publisher_of(live)->publish(registry, {board.slot, board.generation}, options);
    return published ? tell_ok(error) : tell(error, published.refusal());
  });
}

void fill_live_api(laurel_api& api) {
  api.serve = serve;
  api.live_close = live_close;
  api.live_port = live_port;
  api.publish = publish_top;
  api.unpublish = unpublish;
  api.live_settled = live_settled;
  api.token = token;
  api.live_counters = live_counters;
}

}  // namespace laurel
