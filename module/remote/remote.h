// remote.h - interface of one remote that stores boards: Redis, DynamoDB, or a fake in a test.
//
//   ask      never blocks. Every request is answered exactly once, at its deadline or shortly
//            after: with a value, or with a refusal. The refusal is `unavailable` if the remote did
//            not answer.
//   order    posts of one lane are applied in the order in which they were asked. Other concurrent
//            requests are applied in any order. Answers come in any order.
//   outcome  a write that was sent and not answered is refused with "unavailable: outcome unknown
//            ...". A post is refused as unavailable instead, and may be asked again: it is never
//            applied twice, nor before an earlier post of its lane.
//   time     `now` of a request is the clock of the asking server: seasons that were due by then
//            have ended in the answer. A default `at` is the remote's own time.
//   news     says of followed boards that their first kWatchTopMax entries may have changed. It may
//            come too often, but is never missed: after a lost connection every followed board
//            counts as changed.
//   threads  one caller at a time. The remote has its own thread and makes no callbacks.
//   end      the destructor ends the thread. Requests that are still pending are never answered.
//   secrets  no refusal, state or log line shows a user or a password.
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
#include "board/spec/spec.h"
#include "remote/request/request.h"

namespace laurel {

using RequestId = std::uint64_t;
// The clock of deadlines: steady_now, or a test's own.
using SteadyClock = std::function<Time()>;

// Names a board, or one of its past seasons. Requests about players have no board name.
struct Target {
  std::string board;
  std::shared_ptr<const Spec> spec;  // as the remote stores it; null until it is known
  std::uint64_t season = 0;          // a past season; 0: the running one
  // Set for a copy of a season (archive_request.h): when the board was created.
  std::optional<Time> copy_of = {};
};

struct SentRequest {
  RequestId id = 0;
  Target target;
  Request what;
  Time now = 0;       // Unix time
  Time deadline = 0;  // by steady_now() of base/steady_clock.h
};

struct Answer {
  RequestId id = 0;
  Result<Value> value;
};

// Everything that arrived since the last take().
struct News {
  std::vector<Answer> answers;
  std::vector<std::string> changed;  // followed boards, each once
  std::vector<std::pair<Level, std::string>> log;
};

struct RemoteState {
  std::string down;     // the reason; empty: up
  Time round_trip = 0;  // smoothed over the latest answers; 0: none yet
};

class Remote {
 public:
  virtual ~Remote() = default;

  // invalid, unsupported: why this remote cannot store a board with this spec. No network access.
  virtual Status takes(const Spec& spec) const = 0;
  // unsupported: why this remote cannot store players and sessions. No network access.
  virtual Status takes_players() const = 0;
  // unsupported: why this remote cannot store copies of past seasons. If it cannot, past seasons of
  // its own boards are copied to a remote that can (remote_archiver.h).
  virtual Status takes_copies() const = 0;
  virtual void ask(SentRequest request) = 0;
  // Reports in News when the board's top may have changed, until unfollow. Idempotent.
  virtual void follow(const Target& board) = 0;
  virtual void unfollow(const std::string& board) = 0;
  // Appends everything that arrived to `news`.
  virtual void take(News& news) = 0;
  virtual RemoteState state() const = 0;
};

// Opens the remote that a URL names. Its thread has started and connects in the background.
//   redis://[user:password@]host:port[,host:port...][?copies=N]
//   rediss://[user:password@]host:port[,host:port...][?ca=FILE&cert=FILE&key=FILE&name=HOST]
//                                                   over TLS; redis/net/url.h
//   dynamodb://region/table[?endpoint=http://host:port]
// User and password may come from the environment instead: LAUREL_REDIS_USER,
// LAUREL_REDIS_PASSWORD, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN. Fails
// with invalid if the URL is wrong, or a file that it names; the message does not show its secrets.
// Fails with unsupported if remotes are not built.
Result<std::unique_ptr<Remote>> open_remote(std::string_view url);

// The lane of a player's posts: the same on every server.
std::size_t lane_of(const Spec& spec, std::string_view player);

}  // namespace laurel
