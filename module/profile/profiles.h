// profiles.h - who the players are: their names and emails, and what they came to over all games.
//
//   profile    of a player by id: what the player says (name, email), and what sessions add up to.
//   id         1 to kPlayerBytesMax bytes without a zero byte.
//   name,      1 to kPlayerNameBytesMax and 1 to kEmailBytesMax bytes, any: they are compared as
//   email      they are written, and only an email belongs to one player at a time.
//   times      microseconds since 1970. created_at never changes; updated_at moves with every
//              change, sessions included, and never back.
//   store      profiles live in the table that table.h draws, beside the sessions; each call that
//              changes something writes one batch.
//   views      of what is read are valid until the store's next write.
//   threads    one caller at a time.
//   cost       O(log n), each O(n log n).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "store/space.h"

namespace laurel {

struct Profile {
  std::string_view id;
  std::optional<std::string_view> name = {};
  std::optional<std::string_view> email = {};
  double lifetime_score = 0;       // of all sessions
  std::uint64_t games_played = 0;  // sessions
  Time created_at = 0;
  Time updated_at = 0;
};

// What a player says of himself; what is left out stays as it was.
struct ProfileFields {
  std::string_view id;
  std::optional<std::string_view> name;
  std::optional<std::string_view> email;
};

// What save() asks of the values: bad_player, bad_data.
Status check_profile(const ProfileFields& fields);
Status check_email(std::string_view email);
Refusal email_taken(std::string_view email);

class Profiles {
 public:
  // `space` belongs to profiles and sessions alone.
  explicit Profiles(Space space) : space_(std::move(space)) {}

  // Makes the player when unknown. Fields that are what they were change nothing, updated_at
  // included.
  // Fails with  bad_player  the id
  //             bad_data    the name or the email
  //             taken       another player has the email
  //             unavailable the store's disk refuses
  Status save(const ProfileFields& fields, Time now);

  // The profile exactly as it is given, in place of the player's own if there is one: for imports.
  // Fails as save, and with not_finite for the lifetime score.
  Status restore(const Profile& profile);

  std::optional<Profile> get(std::string_view id) const;
  std::optional<Profile> by_email(std::string_view email) const;

  // How many names have come, changed or gone since the start, and the players of the last
  // kRenamedKept of these, the latest last: for those who show names.
  static constexpr std::size_t kRenamedKept = 64;
  std::uint64_t renames() const { return renames_; }
  const std::deque<std::string>& renamed() const { return renamed_; }

  // Whether there was one. Sessions stay: they are forgotten first, by Sessions::forget.
  bool forget(std::string_view id);

  // In the order of ids. The visitor writes nothing to the store.
  void each(const std::function<void(const Profile&)>& visit) const;

  // For Sessions: adds to the batch what one more game does to the player's profile, making it when
  // unknown. REQUIRES: a valid player, a finite score.
  // Fails with  out_of_range  the lifetime score would be larger than any number
  Status count_game(Batch& batch, std::string_view player, double score, Time now) const;
  const Space& space() const { return space_; }

 private:
  // `known` is what the store holds of the player now.
  void put(Batch& batch, const Profile& profile, const std::optional<Profile>& known) const;
  bool belongs_to_another(std::string_view email, std::string_view id) const;
  void note_name(std::string_view id, std::optional<std::string_view> before,
                 std::optional<std::string_view> after);

  Space space_;
  std::uint64_t renames_ = 0;
  std::deque<std::string> renamed_;
};

}  // namespace laurel
