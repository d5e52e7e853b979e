// profiles.h - player profiles: names, emails, attributes and the totals over all games.
//
//   profile    the values that the player sets (name, email), what games say about the player
//              (attributes.h), and the totals of the sessions.
//   id         1 to kPlayerBytesMax bytes without a zero byte.
//   name,      1 to kPlayerNameBytesMax and 1 to kEmailBytesMax bytes of any value, compared
//   email      byte by byte. An email belongs to at most one player; names may repeat.
//   times      microseconds since 1970. created_at never changes. updated_at changes with every
//              change, sessions included, and never goes back.
//   store      the table of table.h, together with the sessions. Each call that changes something
//              writes one batch.
//   views      of read values are valid until the store's next write.
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
#include "profile/attributes.h"
#include "store/space.h"

namespace laurel {

// `Text` is std::string_view, or std::string for a profile that owns its strings.
template <typename Text>
struct BasicProfile {
  Text id;
  std::optional<Text> name = {};
  std::optional<Text> email = {};
  Text attributes = {};            // as one text
  double lifetime_score = 0;       // of all sessions
  std::uint64_t games_played = 0;  // number of sessions
  Time created_at = 0;
  Time updated_at = 0;

  static BasicProfile of(const BasicProfile<std::string_view>& other) { return other.as<Text>(); }
  BasicProfile<std::string_view> view() const { return as<std::string_view>(); }
  template <typename Other>
  BasicProfile<Other> as() const {
    return {Other(id),
            std::optional<Other>(name),
            std::optional<Other>(email),
            Other(attributes),
            lifetime_score,
            games_played,
            created_at,
            updated_at};
  }
};
using Profile = BasicProfile<std::string_view>;
using OwnedProfile = BasicProfile<std::string>;

// The fields that a player sets; omitted fields do not change.
struct ProfileFields {
  std::string_view id;
  std::optional<std::string_view> name;
  std::optional<std::string_view> email;
  std::string_view attributes = {};  // a text() of AttributeChanges
};

// Checks the values as save() does, without the number of attributes: bad_player, bad_data.
Status check_profile(const ProfileFields& fields);
Status check_email(std::string_view email);
Refusal email_taken(std::string_view email);

// Hears of each change of attributes: boards that are divided by them.
class AttributeListener {
 public:
  virtual ~AttributeListener() = default;
  // Attributes may change soon. Called before anything is read from the store. A season that is
  // over by the clock ends with those that it had.
  virtual void attributes_will_change() = 0;
  // Memory that hearing of one change may take (base/memory_guarantee.h).
  virtual std::size_t bytes_of_change() const = 0;
  // The player's attributes are these now. The change is in the store already.
  virtual void attributes_changed(std::string_view player, std::string_view attributes) = 0;
};

class Profiles {
 public:
  // `space` is used only by profiles and sessions.
  explicit Profiles(Space space);

  // Null: no one listens. The listener must outlive the profiles, or their last change.
  void listen(AttributeListener* listener) { listener_ = listener; }

  // Creates an unknown player. If no field changes, updated_at does not change either.
  // Fails with  bad_player  the id
  //             bad_data    the name or the email, or more than kAttributesMax attributes
  //             taken       another player has the email
  //             unavailable the store's disk refuses
  Status save(const ProfileFields& fields, Time now);

  // Writes the profile exactly as given, and replaces an existing one: for imports. Fails as
  // save(), but never with unavailable, and with not_finite for the lifetime score.
  Status restore(const Profile& profile);

  std::optional<Profile> get(std::string_view id) const;
  // The player's attributes; none without a profile.
  std::string_view attributes_of(std::string_view id) const {
    const std::optional<Profile> profile = get(id);
    return profile ? profile->attributes : std::string_view();
  }
  std::optional<Profile> by_email(std::string_view email) const;

  // The number of names that were added, changed or removed since the start, and the players of the
  // last kRenamedKept of these changes, the latest last. For callers that show names.
  static constexpr std::size_t kRenamedKept = 64;
  std::uint64_t renames() const { return renames_; }
  const std::deque<std::string>& renamed() const { return renamed_; }

  // False if no player has a name, for callers that show names. It stays true once there was one.
  bool has_names() const { return has_names_; }

  // Erases the profile and returns true if there was one. Keeps the sessions: the caller erases
  // them first with Sessions::forget.
  bool forget(std::string_view id);

  // Moves the profile to another id, unchanged. Returns false if there is none. REQUIRES: valid
  // ids, and no profile of `to`.
  bool rename(std::string_view from, std::string_view to);

  // Visits all profiles in the order of ids. The visitor must not write to the store.
  void each(const std::function<void(const Profile&)>& visit) const;

  // For Sessions: adds the player's profile with one more game to the batch. Creates an unknown
  // player. REQUIRES: a valid player, a finite score.
  // Fails with  out_of_range  the lifetime score would be larger than any number
  Status count_game(Batch& batch, std::string_view player, double score, Time now) const;
  const Space& space() const { return space_; }

 private:
  // `known` is the profile that the store has now.
  void put(Batch& batch, const Profile& profile, const std::optional<Profile>& known) const;
  void write(const Profile& profile, const std::optional<Profile>& known);
  bool belongs_to_another(std::string_view email, std::string_view id) const;
  void note_name(std::string_view id, std::optional<std::string_view> before,
                 std::optional<std::string_view> after);

  std::size_t bytes_of_change() const { return listener_ ? listener_->bytes_of_change() : 0; }
  void tell(std::string_view id, std::string_view before, std::string_view after) const;

  Space space_;
  AttributeListener* listener_ = nullptr;
  bool has_names_;  // or had
  std::uint64_t renames_ = 0;
  std::deque<std::string> renamed_;
};

}  // namespace laurel
