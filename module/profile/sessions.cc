#include "profile/sessions.h"

#include <bit>
#include <cassert>
#include <cmath>

#include "base/bytes.h"
#include "base/checks.h"
#include "base/limits.h"
#include "base/text.h"
#include "profile/table.h"

namespace laurel {

namespace {

// ---- values

constexpr std::uint8_t kSessionVersion1 = 1;
constexpr std::size_t kSessionBytesMax = 64 + kGameBytesMax + kDataBytesMax;

std::string pack(const Session& session) {
  std::string packed;
  ByteWriter writer(packed, kSessionBytesMax);
  writer.u8(kSessionVersion1);
  writer.f64(session.score);
  writer.f64(session.seconds);
  writer.u64(std::bit_cast<std::uint64_t>(session.at));
  writer.leb(session.game.size());
  writer.bytes(session.game);
  writer.u8(session.data ? 1 : 0);
  if (session.data) writer.bytes(*session.data);
  assert(writer.ok());
  return packed;
}

// The session of a key that begins with sessions_of_player(player), and of its value. REQUIRES:
// `packed` is a result of pack().
Session unpack_session(std::string_view key, std::string_view packed) {
  ByteReader reader(packed);
  if (reader.u8() != kSessionVersion1) reader.fail();
  Session session{.id = key.substr(key.size() - kUlidBytes), .player = table::player_of(key)};
  session.score = reader.f64();
  session.seconds = reader.f64();
  session.at = std::bit_cast<Time>(reader.u64());
  session.game = reader.bytes(reader.leb(kGameBytesMax));
  if (reader.u8() != 0) session.data = reader.bytes(reader.remaining());
  assert(reader.ok() && reader.at_end());
  return session;
}

// ---- checks

Status check_game(std::string_view game) {
  if (is_game(game)) return Done{};
  return Refusal(Code::bad_data, "a game has 1 to {} bytes and no zero byte; \"{}\" has {}",
                 kGameBytesMax, escaped(game, 64), game.size());
}

Status check_seconds(double seconds) {
  if (!std::isfinite(seconds)) {
    return Refusal(Code::not_finite, "the seconds are {}", shown(seconds));
  }
  if (seconds < 0) return Refusal(Code::out_of_range, "the seconds are {}, below 0", seconds);
  return Done{};
}

// ---- lists

// Visits the entries whose keys are `prefix` and a session's id, newest first.
template <typename Visit>
void walk_back(const Space& space, const std::string& prefix, std::size_t limit,
               std::optional<std::string_view> before, Visit visit) {
  constexpr std::string_view kBehindIds = "~";
  // One byte more than an id has is enough to compare, and keeps the key within its limit.
  const std::string_view end = before.value_or(kBehindIds).substr(0, kUlidBytes + 1);
  const auto cursor = space.cursor();
  bool stands = cursor->seek_before(prefix + std::string(end));
  for (; stands && limit > 0 && cursor->key().starts_with(prefix); --limit) {
    visit(cursor->key(), cursor->value());
    stands = cursor->previous();
  }
}

}  // namespace

bool is_game(std::string_view game) {
  return !game.empty() && game.size() <= kGameBytesMax && game.find('\0') == std::string_view::npos;
}

Status check_session_id(std::string_view id) {
  if (is_ulid(id)) return Done{};
  return Refusal(Code::bad_data,
                 "the id \"{}\" is no ULID: {} digits and upper-case letters without I, L, O and "
                 "U, the first at most 7",
                 escaped(id, 32), kUlidBytes);
}

Status check_session(const NewSession& session) {
  if (const Status valid = check_player(session.player); !valid) return valid;
  if (const Status valid = check_game(session.game); !valid) return valid;
  if (const Status valid = check_score(session.score); !valid) return valid;
  if (const Status valid = check_seconds(session.seconds); !valid) return valid;
  if (const Status valid = check_data(session.data); !valid) return valid;
  return check_moment(session.at);
}

Result<std::string> Sessions::record(const NewSession& session, Time now) {
  if (session.id) {
    if (const Status valid = check_session_id(*session.id); !valid) return valid.refusal();
    if (space().get(table::session_key(*session.id))) return std::string(*session.id);
  }
  if (const Status valid = check_session(session); !valid) return valid.refusal();
  if (const Status accepted = space().store().accepts(); !accepted) return accepted.refusal();

  Batch batch;
  const double score = session.score + 0.0;  // turns -0 into 0
  const Status counted = profiles_.count_game(batch, session.player, score, now);
  if (!counted) return counted.refusal();
  const Time at = session.at ? *time_from_seconds(*session.at) : now;
  std::string id = session.id   ? std::string(*session.id)
                   : session.at ? ids_.of(at)
                                : ids_.next(now);
  put(batch, {.id = id,
              .player = session.player,
              .game = session.game,
              .score = score,
              .seconds = session.seconds + 0.0,
              .at = at,
              .data = session.data});
  space().store().write(batch);
  return id;
}

Status Sessions::restore(const Session& session) {
  if (const Status valid = check_session_id(session.id); !valid) return valid;
  if (space().get(table::session_key(session.id))) return Done{};
  const Status valid = check_session({.player = session.player,
                                      .game = session.game,
                                      .score = session.score,
                                      .seconds = session.seconds,
                                      .data = session.data});
  if (!valid) return valid;
  Batch batch;
  put(batch, session);
  space().store().write(batch);
  return Done{};
}

void Sessions::put(Batch& batch, const Session& session) const {
  const auto put_under = [&](const std::string& prefix, std::string_view value) {
    space().put(batch, prefix + std::string(session.id), value);
  };
  put_under(table::sessions_of_player(session.player), pack(session));
  put_under(table::sessions_in_game(session.game), session.player);
  put_under(std::string(table::kSessions), session.player);
}

std::optional<Session> Sessions::get(std::string_view player, std::string_view id) const {
  if (!check_player(player) || !is_ulid(id)) return std::nullopt;
  const std::string key = table::sessions_of_player(player) + std::string(id);
  const auto cursor = space().cursor();
  if (!cursor->seek(key) || cursor->key() != key) return std::nullopt;
  return unpack_session(cursor->key(), cursor->value());
}

std::vector<Session> Sessions::of_player(std::string_view player, std::size_t limit,
                                         std::optional<std::string_view> before) const {
  std::vector<Session> sessions;
  if (!check_player(player)) return sessions;
  walk_back(space(), table::sessions_of_player(player), limit, before,
            [&](std::string_view key, std::string_view value) {
              sessions.push_back(unpack_session(key, value));
            });
  return sessions;
}

std::vector<Session> Sessions::in_game(std::string_view game, std::size_t limit,
                                       std::optional<std::string_view> before) const {
  std::vector<Session> sessions;
  if (!is_game(game)) return sessions;
  walk_back(space(), table::sessions_in_game(game), limit, before,
            [&](std::string_view key, std::string_view player) {
              const auto session = get(player, key.substr(key.size() - kUlidBytes));
              if (session) sessions.push_back(*session);
            });
  return sessions;
}

std::size_t Sessions::forget(std::string_view player) {
  std::size_t forgotten = 0;
  for (;;) {
    const std::vector<Session> some = of_player(player, kSessionsPerBatch);
    if (some.empty()) return forgotten;
    Batch batch;
    for (const Session& session : some) erase(batch, session);
    space().store().write(batch);
    forgotten += some.size();
  }
}

void Sessions::erase(Batch& batch, const Session& session) const {
  const std::string id(session.id);
  space().erase(batch, table::sessions_of_player(session.player) + id);
  space().erase(batch, table::sessions_in_game(session.game) + id);
  space().erase(batch, table::session_key(id));
}

void Sessions::rename(std::string_view from, std::string_view to) {
  for (;;) {
    const std::vector<Session> some = of_player(from, kSessionsPerBatch);
    if (some.empty()) return;
    Batch batch;
    for (Session session : some) {
      space().erase(batch, table::sessions_of_player(from) + std::string(session.id));
      session.player = to;
      put(batch, session);
    }
    space().store().write(batch);
  }
}

std::size_t Sessions::rename_bytes(std::string_view player) const {
  // A session has three rows. Each is in a batch and in the store.
  constexpr std::size_t kCopies = 2;
  constexpr std::size_t kRowsBytes = 4 * kStoreKeyBytesMax;
  std::size_t bytes = 0;
  walk_back(space(), table::sessions_of_player(player), SIZE_MAX, std::nullopt,
            [&](std::string_view, std::string_view value) {
              bytes += kCopies * (kRowsBytes + value.size());
            });
  return bytes;
}

void Sessions::each(const std::function<void(const Session&)>& visit) const {
  const auto cursor = space().cursor();
  bool stands = cursor->seek(table::kSessions);
  for (; stands && cursor->key().starts_with(table::kSessions); stands = cursor->next()) {
    const auto session = get(cursor->value(), cursor->key().substr(table::kSessions.size()));
    if (session) visit(*session);
  }
}

}  // namespace laurel
