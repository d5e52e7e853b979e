#include "profile/profiles.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "base/bytes.h"
#include "base/checks.h"
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "profile/table.h"

namespace laurel {

namespace {

// ---- values

constexpr std::uint8_t kProfileVersion1 = 1;
constexpr std::uint8_t kProfileVersion2 = 2;  // has attributes behind all else
constexpr std::size_t kProfileBytesMax =
    64 + kPlayerNameBytesMax + kEmailBytesMax +
    kAttributesMax * (kAttributeNameBytesMax + 1 + kAttributeValueBytesMax + 1);

// A size of 0 means no text, since names and emails are never empty.
void pack(ByteWriter& writer, std::optional<std::string_view> text) {
  writer.leb(text ? text->size() : 0);
  if (text) writer.bytes(*text);
}

std::optional<std::string_view> unpack_text(ByteReader& reader, std::size_t size_max) {
  const std::size_t size = reader.leb(size_max);
  if (size == 0) return std::nullopt;
  return reader.bytes(size);
}

std::string pack(const Profile& profile) {
  std::string packed;
  ByteWriter writer(packed, kProfileBytesMax);
  writer.u8(profile.attributes.empty() ? kProfileVersion1 : kProfileVersion2);
  writer.f64(profile.lifetime_score);
  writer.leb(profile.games_played);
  writer.u64(std::bit_cast<std::uint64_t>(profile.created_at));
  writer.u64(std::bit_cast<std::uint64_t>(profile.updated_at));
  pack(writer, profile.name);
  pack(writer, profile.email);
  writer.bytes(profile.attributes);
  assert(writer.ok());
  return packed;
}

// REQUIRES: `packed` is a result of pack().
Profile unpack_profile(std::string_view id, std::string_view packed) {
  ByteReader reader(packed);
  const std::uint8_t version = reader.u8();
  if (version != kProfileVersion1 && version != kProfileVersion2) reader.fail();
  Profile profile{.id = id};
  profile.lifetime_score = reader.f64();
  profile.games_played = reader.leb();
  profile.created_at = std::bit_cast<Time>(reader.u64());
  profile.updated_at = std::bit_cast<Time>(reader.u64());
  profile.name = unpack_text(reader, kPlayerNameBytesMax);
  profile.email = unpack_text(reader, kEmailBytesMax);
  if (version == kProfileVersion2) profile.attributes = reader.bytes(reader.remaining());
  assert(reader.ok() && reader.at_end());
  return profile;
}

// ---- checks

Status check_text(std::string_view field, std::optional<std::string_view> text,
                  std::size_t size_max) {
  if (text && (text->empty() || text->size() > size_max)) {
    return Refusal(Code::bad_data, "the {} has {} bytes; 1 to {} are allowed", field, text->size(),
                   size_max);
  }
  return Done{};
}

Profile newcomer(std::string_view id, Time now) {
  return {.id = id, .created_at = now, .updated_at = now};
}

}  // namespace

Status check_email(std::string_view email) { return check_text("email", email, kEmailBytesMax); }

Status check_profile(const ProfileFields& fields) {
  if (const Status valid = check_player(fields.id); !valid) return valid;
  if (const Status valid = check_text("name", fields.name, kPlayerNameBytesMax); !valid) {
    return valid;
  }
  return fields.email ? check_email(*fields.email) : Status(Done{});
}

Refusal email_taken(std::string_view email) {
  return {Code::taken, "another player has the email \"{}\"", escaped(email, 64)};
}

// The names of profiles in the store are not read: any profile may have one.
Profiles::Profiles(Space space) : space_(std::move(space)) {
  const auto cursor = space_.cursor();
  has_names_ = cursor->seek(table::kPlayers) && cursor->key().starts_with(table::kPlayers);
}

Status Profiles::save(const ProfileFields& fields, Time now) {
  if (const Status valid = check_profile(fields); !valid) return valid;
  if (Status accepted = space_.store().accepts(); !accepted) return accepted;
  if (listener_ != nullptr && !fields.attributes.empty()) listener_->attributes_will_change();
  const std::optional<Profile> known = get(fields.id);
  Profile profile = known.value_or(newcomer(fields.id, now));
  if (fields.name) profile.name = fields.name;
  if (fields.email) profile.email = fields.email;
  const Result<std::string> attributes = changed_attributes(profile.attributes, fields.attributes);
  if (!attributes) return attributes.refusal();
  profile.attributes = *attributes;
  if (known && profile.name == known->name && profile.email == known->email &&
      profile.attributes == known->attributes) {
    return Done{};
  }
  if (profile.email && belongs_to_another(*profile.email, fields.id))
    return email_taken(*profile.email);

  profile.updated_at = std::max(now, profile.updated_at);
  write(profile, known);
  return Done{};
}

Status Profiles::restore(const Profile& profile) {
  if (const Status valid = check_profile({profile.id, profile.name, profile.email}); !valid)
    return valid;
  if (!std::isfinite(profile.lifetime_score)) {
    return Refusal(Code::not_finite, "the lifetime score is {}", shown(profile.lifetime_score));
  }
  if (profile.email && belongs_to_another(*profile.email, profile.id))
    return email_taken(*profile.email);
  write(profile, get(profile.id));
  return Done{};
}

void Profiles::write(const Profile& profile, const std::optional<Profile>& known) {
  Batch batch;
  put(batch, profile, known);
  const std::string before(known ? known->attributes : "");
  const std::string id(profile.id);  // may be a view of what the write replaces
  const MemoryGuarantee guaranteed(bytes_of_change());
  note_name(profile.id, known ? known->name : std::nullopt, profile.name);
  space_.store().write(batch);
  tell(id, before, profile.attributes);
}

// Call it after the write, with copies.
void Profiles::tell(std::string_view id, std::string_view before, std::string_view after) const {
  if (listener_ != nullptr && before != after) listener_->attributes_changed(id, after);
}

// Call it before the write, because `before` is a view into the store.
void Profiles::note_name(std::string_view id, std::optional<std::string_view> before,
                         std::optional<std::string_view> after) {
  if (before == after) return;
  if (after) has_names_ = true;
  ++renames_;
  if (renamed_.size() == kRenamedKept) renamed_.pop_front();
  renamed_.emplace_back(id);
}

std::optional<Profile> Profiles::get(std::string_view id) const {
  if (!check_player(id)) return std::nullopt;
  const auto cursor = space_.cursor();
  const std::string key = table::profile_key(id);
  if (!cursor->seek(key) || cursor->key() != key) return std::nullopt;
  return unpack_profile(table::player_of(cursor->key()), cursor->value());
}

std::optional<Profile> Profiles::by_email(std::string_view email) const {
  if (!check_email(email)) return std::nullopt;
  const std::optional<std::string_view> player = space_.get(table::email_key(email));
  if (!player) return std::nullopt;
  return get(*player);
}

bool Profiles::forget(std::string_view id) {
  const std::optional<Profile> known = get(id);
  if (!known) return false;
  Batch batch;
  space_.erase(batch, table::profile_key(id));
  if (known->email) space_.erase(batch, table::email_key(*known->email));
  const std::string attributes(known->attributes);
  const MemoryGuarantee guaranteed(bytes_of_change());
  note_name(id, known->name, std::nullopt);
  space_.store().write(batch);
  tell(id, attributes, "");
  return true;
}

bool Profiles::rename(std::string_view from, std::string_view to) {
  const std::optional<Profile> known = get(from);
  if (!known) return false;
  Profile renamed = *known;
  renamed.id = to;
  Batch batch;
  space_.erase(batch, table::profile_key(from));
  put(batch, renamed, std::nullopt);
  const std::string attributes(known->attributes);
  const MemoryGuarantee guaranteed(bytes_of_change());
  note_name(from, known->name, std::nullopt);
  note_name(to, std::nullopt, known->name);
  space_.store().write(batch);
  tell(from, attributes, "");
  tell(to, "", attributes);
  return true;
}

void Profiles::each(const std::function<void(const Profile&)>& visit) const {
  const auto cursor = space_.cursor();
  bool stands = cursor->seek(table::kPlayers);
  while (stands && cursor->key().starts_with(table::kPlayers)) {
    const std::string_view player = table::player_of(cursor->key());
    if (const std::optional<Profile> profile = get(player)) visit(*profile);
    stands = cursor->seek(table::behind_player(player));
  }
}

Status Profiles::count_game(Batch& batch, std::string_view player, double score, Time now) const {
  const std::optional<Profile> known = get(player);
  Profile profile = known.value_or(newcomer(player, now));
  profile.lifetime_score += score;
  if (!std::isfinite(profile.lifetime_score)) {
    return Refusal(Code::out_of_range, "with {} the lifetime score is larger than any number",
                   score);
  }
  ++profile.games_played;
  profile.updated_at = std::max(now, profile.updated_at);
  put(batch, profile, known);
  return Done{};
}

void Profiles::put(Batch& batch, const Profile& profile,
                   const std::optional<Profile>& known) const {
  space_.put(batch, table::profile_key(profile.id), pack(profile));
  const std::optional<std::string_view> old_email = known ? known->email : std::nullopt;
  if (profile.email == old_email) return;
  if (old_email) space_.erase(batch, table::email_key(*old_email));
  if (profile.email) space_.put(batch, table::email_key(*profile.email), profile.id);
}

bool Profiles::belongs_to_another(std::string_view email, std::string_view id) const {
  const std::optional<std::string_view> player = space_.get(table::email_key(email));
  return player && *player != id;
}

}  // namespace laurel
