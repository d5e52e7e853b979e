// remote.h - one engine elsewhere that boards live in: Redis, DynamoDB, or what a test puts there.
//
//   ask       never waits. Every request is answered exactly once, by its deadline or shortly
//             after: with a value, or with a refusal: `unavailable` where the remote did not
//             answer.
//   order     posts of one lane are applied in the order of their asking; other requests that are
//             under way at the same time in any. Answers come in any order.
//   outcome   a write that was sent and not answered says "unavailable: outcome unknown ...". A
//             post is refused as unavailable in place of it, and may be asked again: it is never
//             applied twice, nor before one of its lane that was asked earlier.
//   time      `now` of a request is the asking server's: seasons that were due by it have ended in
//             the answer. A default `at` is the remote's own time.
//   news      of boards that are followed: that their first kWatchTopMax entries may have changed.
//             May come too often, never not at all: after a lost connection every followed board
//             counts as changed.
//   threads   one caller at a time; the remote has a thread of its own and calls nobody.
//   end       the destructor ends the thread; what was not answered never will be.
//   secrets   no refusal, state or line of the log shows a user or a password.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "board/spec.h"
#include "remote/ask.h"

namespace laurel {

using RequestId = std::uint64_t;
// What deadlines go by: steady_now, or what a test turns.
using SteadyClock = std::function<Time()>;

// Which board, or which of its past seasons; without a name of players, who are no board's.
struct Target {
  std::string board;
  std::shared_ptr<const Spec> spec;  // as it is kept there; null where it is being asked for
  std::uint64_t season = 0;          // that has ended; 0: the running one, whichever that is
  // Of a copy of a season (ask_copies.h): when its board, which lives elsewhere, was created.
  std::optional<Time> copy_of = {};
};

struct Request {
  RequestId id = 0;
  Target target;
  Ask what;
  Time now = 0;       // Unix time
  Time deadline = 0;  // by steady_now() of base/steady_clock.h
};

struct Answer {
  RequestId id = 0;
  Result<Value> value;
};

// What came since the last time.
struct News {
  std::vector<Answer> answers;
  std::vector<std::string> changed;  // boards followed, each once
  std::vector<std::pair<Level, std::string>> log;
};

struct RemoteState {
  std::string down;     // why; empty: up
  Time round_trip = 0;  // of the latest answers, smoothed; 0: none yet
};

class Remote {
 public:
  virtual ~Remote() = default;

  // invalid, unsupported: why a board with this spec cannot live here. Reads no network.
  virtual Status takes(const Spec& spec) const = 0;
  // unsupported: why players and sessions cannot live here. Reads no network.
  virtual Status takes_players() const = 0;
  // Likewise copies of past seasons. Where they cannot, those of its own boards are copied to a
  // remote that takes them (carrier.h).
  virtual Status takes_copies() const = 0;
  virtual void ask(Request request) = 0;
  // Until unfollow, news tell when the board's top may have changed. Following again is harmless.
  virtual void follow(const Target& board) = 0;
  virtual void unfollow(const std::string& board) = 0;
  // Moves what came to the end of `news`.
  virtual void take(News& news) = 0;
  virtual RemoteState state() const = 0;
};

// The remote that a URL names; its thread has begun and connects by itself.
//   redis://[user:password@]host:port[,host:port...][?copies=N]
//                                                   or rediss, refused: TLS is left out
//   dynamodb://region/table[?endpoint=http://host:port]
// User and password may be in the environment instead: LAUREL_REDIS_USER, LAUREL_REDIS_PASSWORD,
// and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
// Fails with invalid: what is wrong with the URL, its secrets not shown.
Result<std::unique_ptr<Remote>> open_remote(std::string_view url);

// In which lane a player's posts are: the same on every server.
std::size_t lane_of(const Spec& spec, std::string_view player);

}  // namespace laurel
