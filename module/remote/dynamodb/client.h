// client.h - calls to DynamoDB that go on until they are answered or their time is up.
//
//   again     what is throttled, fails within the service, conflicts with another transaction,
//             times out or loses its connection is sent again, after a pause that doubles from
//             kDynamoRetryMin to kDynamoRetryMax and of which chance takes a part.
//   once      every TransactWriteItems carries a token by which the service knows it again: sent
//             twice, it is done once. All other calls here may be done twice without harm.
//   unknown   of a transaction that was sent and never answered nobody knows whether it was done.
//   rest      UnprocessedKeys and UnprocessedItems are asked for again, likewise.
//   down      why the service cannot be used; empty again with its next answer.
//   secrets   what the service says of credentials and signatures is not repeated: it quotes them.
//   threads   one, but for wake().
#pragma once

#include <coroutine>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "remote/dynamodb/http.h"
#include "remote/dynamodb/json_item.h"
#include "remote/task.h"

namespace laurel::dynamodb {

struct Reply {
  Json body;                         // of a call that went well
  bool condition = false;            // a condition was not met; nothing was done
  std::vector<std::string> reasons;  // then, of a transaction, a word for each of its parts
  std::optional<Refusal> refusal;    // unavailable
  bool unknown = false;              // then: it may have been done
  bool missing = false;              // then: there is no such table

  bool ok() const { return !condition && !refusal; }
  // Whether the condition of that part of a transaction, from 0, was not met.
  bool failed(std::size_t part) const;
};

class Client {
 public:
  explicit Client(Place place);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const Place& place() const { return place_; }

  // One operation, as "Query", with its arguments; `deadline` by steady_now(). TableName is added
  // to arguments that have "Key", "Item", "KeyConditionExpression" or nothing at all.
  Task<Reply> call(const char* operation, Json arguments, Time deadline);
  // The items of these keys that are there, in any order, read consistently, as "Items". Any number
  // of keys, each once.
  Task<Reply> get_all(std::vector<Json> keys, Time deadline);
  // Puts and deletes, each for itself: WriteRequests.
  Task<Reply> write_all(std::vector<Json> requests, Time deadline);

  // Waits within a task.
  struct Pause {
    Client& client;
    Time until;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) { client.pauses_.emplace(until, waiting); }
    void await_resume() const noexcept {}
  };
  Pause pause(Time how_long);
  // A pause before trying once more, for the n-th time (from 0).
  Pause back_off(int n);

  // Moves calls and pauses, for at most so long.
  void turn(Time at_most);
  void wake() { http_.wake(); }

  const std::string& down() const { return down_; }
  void set_down(std::string why) { down_ = std::move(why); }
  Time round_trip() const { return round_trip_; }
  // Calls made, those sent again included.
  std::uint64_t calls() const { return calls_; }

 private:
  struct Post;
  enum class Next : std::uint8_t { done, again };
  Next judge(const HttpAnswer& answer, bool transaction, Reply& reply, std::string& why);
  Next judge_error(const HttpAnswer& answer, const Json& body, Reply& reply, std::string& why);
  void answered(Time took);

  Place place_;
  Http http_;
  std::multimap<Time, std::coroutine_handle<>> pauses_;
  std::minstd_rand chance_;
  std::string down_;
  Time round_trip_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace laurel::dynamodb
