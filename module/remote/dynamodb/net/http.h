// http.h - signed calls to one HTTP endpoint, many concurrently.
//
//   post      queues a call and returns at once. Its end is reported from within turn().
//   turn      advances all calls, for at most the given time. wake() ends it early.
//   signing   AWS Signature Version 4, by libcurl.
//   reuse     connections are kept open between calls. At most kDynamoConnections calls are in
//             flight; further calls wait in a queue. Both together are at most kDynamoCallsMax.
//   sent      whether the service may have seen a failed call: false only if no connection was
//             made.
//   threads   one, except for wake(), which any thread may call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "remote/dynamodb/net/url.h"

namespace laurel::dynamodb {

struct HttpAnswer {
  int status = 0;  // the HTTP status; 0: no answer, see `error`
  std::string body;
  std::string error;
  bool sent = false;
  bool timed_out = false;
  Time took = 0;
};

class Http {
 public:
  using Ended = std::function<void(HttpAnswer answer)>;

  explicit Http(Place place);
  ~Http();  // pending calls end without a report
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  // `target` is the operation, as "DynamoDB_20120810.Query". The call ends after `timeout` at most.
  // REQUIRES: !is_full()
  void post(std::string_view target, std::string body, Time timeout, Ended ended);
  void turn(Time at_most);
  void wake();
  std::size_t under_way() const;
  bool is_full() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace laurel::dynamodb
