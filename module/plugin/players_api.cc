// The C interface's players: saving what is known of them, and forgetting them.
#include "plugin/host.h"

namespace laurel {

namespace {

std::optional<std::string_view> text_if_any(const char* text) {
  if (text == nullptr) return std::nullopt;
  return text;
}

laurel_code save_player(laurel_boards* boards, const char* player, const char* name,
                        const char* email, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Registry& registry = *boards->registry;
    const ProfileFields fields{
        .id = text_or_empty(player), .name = text_if_any(name), .email = text_if_any(email)};
    const Status saved = registry.profiles().save(fields, registry.now());
    return saved ? commit(*boards, error) : tell(error, saved.refusal());
  });
}

laurel_code forget(laurel_boards* boards, const char* player, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Result<std::size_t> entries = boards->registry->forget(text_or_empty(player));
    return entries ? commit(*boards, error) : tell(error, entries.refusal());
  });
}

}  // namespace

void fill_players_api(laurel_api& api) {
  api.save_player = save_player;
  api.forget = forget;
}

}  // namespace laurel
