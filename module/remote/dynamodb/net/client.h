// client.h - calls to DynamoDB that are repeated until they are answered or their deadline passes.
//
//   again     a call that is throttled, fails within the service, conflicts with another
//             transaction, times out or loses its connection is sent again. The pause before
//             doubles from kDynamoRetryMin to kDynamoRetryMax, minus a random part.
//   once      every TransactWriteItems carries an idempotency token: sent twice, it is executed
//             once. All other calls made here are idempotent.
//   unknown   a transaction that was sent and never answered may have been executed.
//   rest      UnprocessedKeys and UnprocessedItems are requested again, in the same way.
//   down      why the service cannot be used: what came in place of an answer. A call that fails
//             does not make it so, if it is answered when it is sent again. Cleared by the next
//             answer.
//   secrets   messages of the service about credentials and signatures are not shown: they quote
//             them. The same holds for a page that quotes them.
//   threads   one, except for wake().
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "remote/core/coroutine.h"
#include "remote/dynamodb/net/http.h"
#include "remote/dynamodb/net/json_item.h"
#include "remote/dynamodb/net/transaction.h"

namespace laurel::dynamodb {

struct Reply {
  Json body;                         // of a successful call
  bool condition = false;            // a condition was not met; nothing was written
  std::vector<std::string> reasons;  // then, for a transaction, the reason of each part
  std::optional<Refusal> refusal;    // unavailable
  bool unknown = false;              // if refused: it may have been executed
  bool missing = false;              // if refused: the table does not exist

  bool ok() const { return !condition && !refusal; }
  // Whether the condition of this part of a transaction (from 0) was not met.
  bool failed(std::size_t part) const;
};

class Client {
 public:
  explicit Client(Place place);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const Place& place() const { return place_; }

  // Calls one operation, such as "Query", with its arguments. `deadline` is by steady_now().
  // TableName is added to arguments that have "Key", "Item" or "KeyConditionExpression", or are
  // empty.
  Task<Reply> call(const char* operation, Json arguments, Time deadline);
  // Executes the transaction, and clears it.
  Task<Reply> transact(Transaction& parts, Time deadline);
  // Reads one page of a Query. `next` is where it begins, null for the first page; it becomes where
  // the next page begins, null after the last.
  Task<Reply> query(Json arguments, Json& next, Time deadline);
  // Reads all pages of a Query, and visits the body of each. `visit` outlives the call.
  using VisitPage = std::function<void(const Json& body)>;
  Task<Status> query_all(Json arguments, Time deadline, const VisitPage& visit);
  // Reads the items with these keys consistently, as "Items", in any order; missing items are left
  // out. Takes any number of distinct keys.
  Task<Reply> get_all(std::vector<Json> keys, Time deadline);
  // Executes WriteRequests (puts and deletes) independently of each other.
  Task<Reply> write_all(std::vector<Json> requests, Time deadline);

  // Suspends a task.
  struct Pause {
    Client& client;
    Time until;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) { client.pauses_.emplace(until, waiting); }
    void await_resume() const noexcept {}
  };
  Pause pause(Time how_long);
  // The pause before retry n (from 0).
  Pause back_off(int n);

  // Advances calls and pauses, for at most `at_most`.
  void turn(Time at_most);
  void wake() { http_.wake(); }

  const std::string& down() const { return down_; }
  void set_down(std::string why) { down_ = std::move(why); }
  Time round_trip() const { return round_trip_; }
  // Calls made, including repeated ones.
  std::uint64_t calls() const { return calls_; }

 private:
  struct Post;
  enum class Next : std::uint8_t { done, again, again_after_failure };
  Next judge(const HttpAnswer& answer, bool transaction, Reply& reply, std::string& why);
  Next judge_error(const HttpAnswer& answer, const Json& body, Reply& reply, std::string& why);
  std::string shown(const HttpAnswer& answer) const;
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
