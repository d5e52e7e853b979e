// sessions.h - games that were played: who, which game, how well, how long. A session is written
// once and never changes.
//
//   session   of one player in one game, with an id of its own among all players.
//   id        a ULID (ulid.h): 26 digits and upper-case letters that sort by time. One that is made
//             here is of the session's moment, and where that is "now" sorts behind those before
//             it even when the clock goes back. One that is given may be of any time, and makes
//             recording repeatable: the same id again changes nothing.
//   order     newest first, which is the order of ids, backwards.
//   game      1 to kGameBytesMax bytes without a zero byte.
//   seconds   how long it took: finite, 0 or more.
//   store     the table that table.h draws. What recording changes, the player's profile included,
//             is one batch: whoever sees a session sees it counted.
//   views     of what is read are valid until the store's next write.
//   threads   one caller at a time.
//   cost      n sessions in the store, k read: record and get O(log n), lists O(log n + k) of a
//             player and O(k log n) of a game, each O(n log n).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "profile/profiles.h"
#include "profile/ulid.h"

namespace laurel {

struct Session {
  std::string_view id;
  std::string_view player;
  std::string_view game = {};
  double score = 0;
  double seconds = 0;
  Time at = 0;
  std::optional<std::string_view> data = {};
};

// A session as somebody hands it in.
struct NewSession {
  std::string_view player;
  std::string_view game;
  double score = 0;
  double seconds = 0;
  std::optional<std::string_view> data;     // nothing is not the same as an empty string
  std::optional<double> at = {};            // Unix seconds; nothing: now
  std::optional<std::string_view> id = {};  // nothing: a new one
};

// What record() asks of the values, but for the id: bad_player, bad_data, not_finite, out_of_range.
Status check_session(const NewSession& session);
// bad_data: it is no ULID.
Status check_session_id(std::string_view id);
bool is_game(std::string_view game);

class Sessions {
 public:
  // Beside the profiles, in their space; `profiles` outlives the sessions.
  explicit Sessions(Profiles& profiles, Ulids ids = Ulids())
      : profiles_(profiles), ids_(std::move(ids)) {}

  // Records the session, adds it to its player's lifetime score and games, makes the player when
  // unknown, and returns its id. A given id that is recorded already is returned and nothing
  // changes, whoever's it is and whatever else is said now.
  // Fails with  bad_data      the id, the game or the data
  //             bad_player    the player
  //             not_finite    the score, the seconds or the time
  //             out_of_range  the seconds, the time, or the lifetime score with this one
  //             unavailable   the store's disk refuses
  Result<std::string> record(const NewSession& session, Time now);

  // The session exactly as it is given, without counting it: for imports, which bring the profiles
  // too. An id that is there already changes nothing. Fails as record.
  Status restore(const Session& session);

  // Nothing, too, when the session is another player's.
  std::optional<Session> get(std::string_view player, std::string_view id) const;

  // The newest `limit` sessions, of those whose id sorts before `before` where it is given.
  std::vector<Session> of_player(std::string_view player, std::size_t limit,
                                 std::optional<std::string_view> before = std::nullopt) const;
  std::vector<Session> in_game(std::string_view game, std::size_t limit,
                               std::optional<std::string_view> before = std::nullopt) const;

  // Removes the player's sessions and returns how many there were; the profile stays, lifetime
  // score included. Their ids are forgotten too: given again, they are new. In batches of
  // kSessionsPerBatch.
  std::size_t forget(std::string_view player);

  // In the order of ids. The visitor writes nothing to the store.
  void each(const std::function<void(const Session&)>& visit) const;

 private:
  const Space& space() const { return profiles_.space(); }
  void put(Batch& batch, const Session& session) const;

  Profiles& profiles_;
  Ulids ids_;
};

}  // namespace laurel
