// The C interface's players: their profiles and names, new ids for them, and forgetting them.
#include <span>

#include "base/checks.h"
#include "laurel/players.h"
#include "plugin/host.h"

namespace laurel {

namespace {

// ---- writing

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

laurel_code set_attributes(laurel_boards* boards, const char* player,
                           const laurel_attribute* attributes, size_t count, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    AttributeChanges changes;
    for (const laurel_attribute& each : std::span(attributes, count)) {
      const Status valid = changes.add(text_or_empty(each.name), text_if_any(each.value));
      if (!valid) return tell(error, valid.refusal());
    }
    Registry& registry = *boards->registry;
    const ProfileFields fields{.id = text_or_empty(player),
                               .name = std::nullopt,
                               .email = std::nullopt,
                               .attributes = changes.text()};
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

laurel_code rename(laurel_boards* boards, const char* from, const char* to, int32_t* renamed,
                   laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Result<bool> had = boards->registry->rename(text_or_empty(from), text_or_empty(to));
    if (!had) return tell(error, had.refusal());
    if (renamed != nullptr) *renamed = *had;
    return commit(*boards, error);
  });
}

// ---- reading

const char* name(laurel_boards* boards, const char* player, size_t player_size, size_t* name_size) {
  return guarded(nullptr, static_cast<const char*>(nullptr), [&]() -> const char* {
    Names& names = boards->registry->names_of_players();
    if (player == nullptr || !names.any() || !check_player({player, player_size})) return nullptr;
    const std::string_view found = names.find({player, player_size});
    if (found.empty()) return nullptr;
    boards->player_name = found;
    if (name_size != nullptr) *name_size = found.size();
    return boards->player_name.c_str();
  });
}

laurel_profile to_profile(const OwnedProfile& profile) {
  laurel_profile shown{};
  shown.player = profile.id.c_str();
  shown.player_size = profile.id.size();
  if (profile.name) {
    shown.name = profile.name->c_str();
    shown.name_size = profile.name->size();
  }
  if (profile.email) {
    shown.email = profile.email->c_str();
    shown.email_size = profile.email->size();
  }
  shown.lifetime_score = profile.lifetime_score;
  shown.games_played = profile.games_played;
  shown.created_at = profile.created_at;
  shown.updated_at = profile.updated_at;
  return shown;
}

template <std::optional<Profile> (Profiles::*find)(std::string_view) const>
int32_t read_profile(laurel_boards* boards, const char* wanted, laurel_profile* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const std::optional<Profile> found =
        (boards->registry->profiles().*find)(text_or_empty(wanted));
    if (!found) return 0;
    boards->profile = OwnedProfile::of(*found);
    // Names and values end with a zero.
    boards->attributes.clear();
    each_attribute(boards->profile->attributes, [&](std::string_view name, std::string_view value) {
      boards->attributes.push_back({name.data(), value.data()});
    });
    laurel_profile shown = to_profile(*boards->profile);
    shown.attributes = boards->attributes.empty() ? nullptr : boards->attributes.data();
    shown.attributes_count = boards->attributes.size();
    fill_out(shown, out);
    return 1;
  });
}

laurel_players_api make_players_api() {
  laurel_players_api api{};
  api.struct_size = sizeof api;
  api.name = name;
  api.profile = read_profile<&Profiles::get>;
  api.by_email = read_profile<&Profiles::by_email>;
  api.rename = rename;
  api.set_attributes = set_attributes;
  return api;
}

}  // namespace

void fill_players_api(laurel_api& api) {
  static const laurel_players_api players = make_players_api();
  api.save_player = save_player;
  api.forget = forget;
  api.players = &players;
}

}  // namespace laurel
