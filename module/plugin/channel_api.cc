// The C interface's live.h: what the live channel has since version 2 of its protocol.
#include <cmath>
#include <cstring>
#include <limits>

#include "live/limits.h"
#include "live/server/publisher.h"
#include "plugin/client_handle.h"
#include "plugin/host.h"

namespace laurel {

namespace {

constexpr double kNoChange = std::numeric_limits<double>::quiet_NaN();

laurel_code publish_with(laurel_live* live, laurel_board board, const laurel_publish_config* config,
                         laurel_error* error) {
  PublishOptions options;
  if (const uint32_t top = member_or(config, &laurel_publish_config::top, 0U)) options.top = top;
  options.data = member_or(config, &laurel_publish_config::data, 0) != 0;
  options.changes = member_or(config, &laurel_publish_config::changes, 0) != 0;
  return publish(live, board, options, error);
}

TokenForm form_of(const laurel_token_config* config) {
  return member_or(config, &laurel_token_config::clear, 0) != 0 ? TokenForm::clear
                                                                : TokenForm::usual;
}

// Writes the text of a token that was drawn, when it is as durable as the boards are.
laurel_code give_token(Registry& registry, const Result<Token>& drawn, char* out,
                       laurel_error* error) {
  if (!drawn) return tell(error, drawn.refusal());
  if (const Status kept = registry.commit(); !kept) return tell(error, kept.refusal());
  const std::string text = to_text(*drawn);
  constexpr std::size_t kDigits = 8 + 2 * (kLiveSecretBytes + kLivePublicKeyBytes);
  static_assert(LAUREL_LIVE_TOKEN_SIZE == kDigits + 1 && LAUREL_GATEWAY_TOKEN_SIZE == kDigits + 9);
  std::memcpy(out, text.c_str(), text.size() + 1);
  return tell_ok(error);
}

laurel_code gateway_token(laurel_live* live, double seconds, const laurel_token_config* config,
                          char* out, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Registry& registry = *live->boards->registry;
    const std::optional<double> limit = seconds == 0 ? std::nullopt : std::optional(seconds);
    return give_token(registry, publisher_of(live)->gateway_token(registry, limit, form_of(config)),
                      out, error);
  });
}

laurel_code live_token(laurel_live* live, const char* player, double seconds,
                       const laurel_token_config* config, char* out, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Registry& registry = *live->boards->registry;
    const uint32_t uses = member_or(config, &laurel_token_config::uses, 0U);
    return give_token(registry,
                      publisher_of(live)->token(registry, text_or_empty(player), seconds,
                                                uses == 0 ? 1 : uses, form_of(config)),
                      out, error);
  });
}

laurel_code revoke_gateway_token(laurel_live* live, const char* token, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Registry& registry = *live->boards->registry;
    const Result<bool> revoked =
        publisher_of(live)->revoke_gateway_token(registry, text_or_empty(token));
    if (!revoked) return tell(error, revoked.refusal());
    if (const Status kept = registry.commit(); !kept) return tell(error, kept.refusal());
    if (*revoked) return tell_ok(error);
    return tell(error, LAUREL_UNKNOWN, "unknown: it is no valid token of a gateway");
  });
}

void append_columns(const ScoreColumns* columns, std::vector<laurel_column>& out) {
  const std::size_t count = columns == nullptr ? 0 : columns->size();
  for (std::size_t i = 0; i < count; ++i) out.push_back(column_of((*columns)[i]));
}

void tell_refusal(const std::string& board, const std::string& player, laurel_on_window on_window,
                  void* context, const Refusal& refusal) {
  laurel_live_window out{};
  out.struct_size = sizeof out;
  out.entry_size = sizeof(laurel_live_entry);
  out.board = board.c_str();
  out.player = player.empty() ? nullptr : player.c_str();
  out.refusal = refusal.c_str();
  on_window(context, &out);
}

void tell_window(laurel_client& client, const std::string& board, const std::string& player,
                 laurel_on_window on_window, void* context, const Window& window) {
  const ScoreColumns* const columns = window.columns.get();
  const std::size_t width = columns == nullptr ? 1 : columns->size();
  client.columns.clear();
  append_columns(columns, client.columns);
  client.scores.clear();
  for (const WindowEntry& entry : window.entries) {
    if (columns == nullptr) {
      client.scores.push_back(entry.score);
      continue;
    }
    const ColumnValues values = columns->values(entry.score);
    client.scores.insert(client.scores.end(), values.all().begin(), values.all().end());
  }
  client.live_entries.clear();
  for (const WindowEntry& entry : window.entries) {
    const double* const score = client.scores.data() + width * client.live_entries.size();
    client.live_entries.push_back({.player = entry.player.data(),
                                   .player_size = entry.player.size(),
                                   .name = entry.name ? entry.name->data() : nullptr,
                                   .name_size = entry.name ? entry.name->size() : 0,
                                   .data = entry.data ? entry.data->data() : nullptr,
                                   .data_size = entry.data ? entry.data->size() : 0,
                                   .score = score,
                                   .rank = static_cast<double>(entry.rank),
                                   .rank_change = entry.rank_change.value_or(kNoChange),
                                   .at = entry.at.value_or(0),
                                   .has_at = entry.at ? 1 : 0});
  }
  laurel_live_window out{};
  out.struct_size = sizeof out;
  out.entry_size = sizeof(laurel_live_entry);
  out.board = board.c_str();
  out.player = player.empty() ? nullptr : player.c_str();
  out.entries = client.live_entries.data();
  out.count = client.live_entries.size();
  out.size = window.size;
  out.version = window.version;
  out.columns = client.columns.empty() ? nullptr : client.columns.data();
  out.column_count = client.columns.size();
  on_window(context, &out);
}

OnTop window_callback(laurel_client* client, const std::string& board, const std::string& player,
                      laurel_on_window on_window, void* context) {
  return [client, board, player, on_window, context](const Result<WindowPtr>& result) {
    if (!result) return tell_refusal(board, player, on_window, context, result.refusal());
    const WindowPtr window = *result;
    tell_window(*client, board, player, on_window, context, *window);
  };
}

laurel_code subscribe_windows(laurel_client* client, const char* board, uint32_t n,
                              laurel_on_window on_window, void* context, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (board == nullptr || on_window == nullptr) {
      return tell(error, LAUREL_INVALID, "invalid: a board and a callback are needed");
    }
    const Status begun =
        client->client->subscribe(board, n, window_callback(client, board, {}, on_window, context));
    return begun ? tell_ok(error) : tell(error, begun.refusal());
  });
}

laurel_code follow_windows(laurel_client* client, const char* board, uint32_t n, const char* player,
                           laurel_on_window on_window, void* context, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (board == nullptr || on_window == nullptr) {
      return tell(error, LAUREL_INVALID, "invalid: a board and a callback are needed");
    }
    OnTop callback =
        window_callback(client, board, std::string(text_or_empty(player)), on_window, context);
    const Status begun = player == nullptr
                             ? client->client->follow(board, n, std::move(callback))
                             : client->client->follow_player(board, n, std::move(callback), player);
    return begun ? tell_ok(error) : tell(error, begun.refusal());
  });
}

void unfollow(laurel_client* client, const char* board, const char* player) {
  guarded(nullptr, 0, [&] {
    client->client->unfollow(text_or_empty(board), text_or_empty(player));
    return 0;
  });
}

void tell_boards(laurel_on_boards on_boards, void* context, const Result<ListedBoardsPtr>& result) {
  if (!result) {
    on_boards(context, nullptr, 0, sizeof(laurel_listed_board), result.refusal().c_str());
    return;
  }
  const ListedBoardsPtr held = *result;
  std::vector<laurel_column> columns;
  columns.reserve(held->size() * kColumnsMax);  // so that pointers into it stay valid
  std::vector<laurel_listed_board> boards;
  for (const ListedBoard& listed : *held) {
    const BoardDescription& description = listed.description;
    const std::size_t first = columns.size();
    append_columns(description.columns.get(), columns);
    const bool has_columns = columns.size() > first;
    laurel_listed_board& board = boards.emplace_back();
    board.board = listed.board.c_str();
    board.board_size = listed.board.size();
    board.is_desc = description.order == Order::desc ? 1 : 0;
    board.decimals = description.decimals.value_or(-1);
    board.columns = has_columns ? columns.data() + first : nullptr;
    board.column_count = columns.size() - first;
    board.ranking = word(description.ranking).data();
    board.meta = description.meta ? description.meta->c_str() : nullptr;
    board.meta_size = description.meta ? description.meta->size() : 0;
    board.size = listed.size;
    board.season = description.season;
    board.has_resets_at = description.resets_at ? 1 : 0;
    board.has_closes_at = description.closes_at ? 1 : 0;
    board.resets_at = description.resets_at.value_or(0);
    board.closes_at = description.closes_at.value_or(0);
  }
  on_boards(context, boards.data(), boards.size(), sizeof(laurel_listed_board), nullptr);
}

void client_boards_now(laurel_client* client, laurel_on_boards on_boards, void* context) {
  guarded(nullptr, 0, [&] {
    tell_boards(on_boards, context, client->client->boards());
    return 0;
  });
}

laurel_code client_on_boards_of(laurel_client* client, laurel_on_boards on_boards, void* context,
                                laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (on_boards == nullptr) return tell(error, LAUREL_INVALID, "invalid: a callback is needed");
    const Status begun =
        client->client->on_boards([on_boards, context](const Result<ListedBoardsPtr>& boards) {
          tell_boards(on_boards, context, boards);
        });
    return begun ? tell_ok(error) : tell(error, begun.refusal());
  });
}

const char* client_player_id(laurel_client* client) {
  return guarded(nullptr, static_cast<const char*>(nullptr), [&]() -> const char* {
    const std::optional<std::string> player = client->client->player();
    if (!player) return nullptr;
    client->player = *player;
    return client->player.c_str();
  });
}

laurel_code player_of_token(laurel_client* client, const char* token, laurel_on_player on_player,
                            void* context, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (on_player == nullptr) return tell(error, LAUREL_INVALID, "invalid: a callback is needed");
    const Status asked = client->client->ask_player(
        text_or_empty(token), [on_player, context](const Result<std::string>& player) {
          on_player(context, player ? player->c_str() : nullptr,
                    player ? nullptr : player.refusal().c_str());
        });
    return asked ? tell_ok(error) : tell(error, asked.refusal());
  });
}

laurel_live_api make_channel_api() {
  laurel_live_api api{};
  api.struct_size = sizeof api;
  api.publish = publish_with;
  api.gateway_token = gateway_token;
  api.revoke_gateway_token = revoke_gateway_token;
  api.subscribe = subscribe_windows;
  api.follow = follow_windows;
  api.unfollow = unfollow;
  api.boards = client_boards_now;
  api.on_boards = client_on_boards_of;
  api.player = client_player_id;
  api.player_of = player_of_token;
  api.token = live_token;
  return api;
}

}  // namespace

void fill_channel_api(laurel_api& api) {
  static const laurel_live_api live = make_channel_api();
  api.live = &live;
}

}  // namespace laurel
