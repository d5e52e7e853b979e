// sessions.h - played games: player, game, score and duration. A session is written once and never
// changes.
//
//   session   one game of one player. Its id is unique among all players.
//   id        a ULID (ulid.h): 26 digits and upper-case letters that sort by time. A generated id
//             has the session's time. If the time is "now", it sorts behind all earlier ids, even
//             when the clock goes back. A given id may have any time. It makes record()
//             idempotent: the same id again changes nothing.
//   order     newest first: descending ids.
//   game      1 to kGameBytesMax bytes without a zero byte.
//   seconds   the duration: finite, 0 or more.
//   store     the table of table.h. record() writes the session and the player's profile in one
//             batch, so a visible session is always counted.
//   views     of read values are valid until the store's next write.
//   threads   one caller at a time.
//   cost      n sessions in the store, k read: record and get O(log n), of_player O(log n + k),
//             in_game O(k log n), each O(n log n).
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

// `Text` as in BasicProfile.
template <typename Text>
struct BasicSession {
  Text id;
  Text player;
  Text game = {};
  double score = 0;
  double seconds = 0;
  Time at = 0;
  std::optional<Text> data = {};

  static BasicSession of(const BasicSession<std::string_view>& other) { return other.as<Text>(); }
  BasicSession<std::string_view> view() const { return as<std::string_view>(); }
  template <typename Other>
  BasicSession<Other> as() const {
    return {Other(id), Other(player), Other(game), score, seconds, at, std::optional<Other>(data)};
  }
};
using Session = BasicSession<std::string_view>;
using OwnedSession = BasicSession<std::string>;

// The input of record().
struct NewSession {
  std::string_view player;
  std::string_view game;
  double score = 0;
  double seconds = 0;
  std::optional<std::string_view> data;     // empty differs from an empty string
  std::optional<double> at = {};            // Unix seconds; empty: now
  std::optional<std::string_view> id = {};  // empty: generate one
};

// Checks the values as record() does, without the id: bad_player, bad_data, not_finite,
// out_of_range.
Status check_session(const NewSession& session);
// bad_data if the id is not a ULID.
Status check_session_id(std::string_view id);
bool is_game(std::string_view game);

class Sessions {
 public:
  // Sessions are in the space of the profiles. `profiles` must outlive the sessions.
  explicit Sessions(Profiles& profiles, Ulids ids = Ulids())
      : profiles_(profiles), ids_(std::move(ids)) {}

  // Records the session, adds it to its player's lifetime score and games, creates an unknown
  // player, and returns the session's id. If a given id exists already, it is returned and nothing
  // changes, whatever the player and the other values are.
  // Fails with  bad_data      the id, the game or the data
  //             bad_player    the player
  //             not_finite    the score, the seconds or the time
  //             out_of_range  the seconds, the time, or the new lifetime score
  //             unavailable   the store's disk refuses
  Result<std::string> record(const NewSession& session, Time now);

  // Writes the session exactly as given, without counting it: for imports, which also restore the
  // profiles. An existing id changes nothing. Fails as record(), but never with unavailable, and
  // does not check the time or the lifetime score.
  Status restore(const Session& session);

  // Also empty if the session is another player's.
  std::optional<Session> get(std::string_view player, std::string_view id) const;

  // The newest `limit` sessions. If `before` is given, only those whose ids sort before it.
  std::vector<Session> of_player(std::string_view player, std::size_t limit,
                                 std::optional<std::string_view> before = std::nullopt) const;
  std::vector<Session> in_game(std::string_view game, std::size_t limit,
                               std::optional<std::string_view> before = std::nullopt) const;

  // Erases the player's sessions, in batches of kSessionsPerBatch, and returns their number. The
  // profile keeps its lifetime score. The ids are erased too: given again, they are new.
  std::size_t forget(std::string_view player);

  // Moves the player's sessions to another id, in such batches. The profiles stay as they are.
  // REQUIRES: `to` has no sessions.
  void rename(std::string_view from, std::string_view to);
  // What rename() may write, in bytes.
  std::size_t rename_bytes(std::string_view player) const;

  // Visits all sessions in the order of their ids. The visitor must not write to the store.
  void each(const std::function<void(const Session&)>& visit) const;

 private:
  const Space& space() const { return profiles_.space(); }
  void put(Batch& batch, const Session& session) const;
  void erase(Batch& batch, const Session& session) const;

  Profiles& profiles_;
  Ulids ids_;
};

}  // namespace laurel
