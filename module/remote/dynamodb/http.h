// http.h - signed calls to one HTTP endpoint, many under way at once.
//
//   post      sends a call and returns; its end is told from within turn(). Never waits.
//   turn      moves what is under way, for at most so long; wake() ends it early.
//   signing   AWS Signature Version 4, by libcurl.
//   reuse     connections stay open between calls: kDynamoConnections of them at most; calls beyond
//             wait in a queue of kDynamoCallsMax.
//   sent      whether the engine may have seen a call that failed: false only where no connection
//             was made.
//   threads   one, but for wake(), which any may call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "remote/dynamodb/url.h"

namespace laurel::dynamodb {

struct HttpAnswer {
  int status = 0;  // of HTTP; 0: no answer came, `error` says why
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
  ~Http();  // what is under way ends untold
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  // `target` is the operation, as "DynamoDB_20120810.Query"; the call ends after `timeout`.
  void post(std::string_view target, std::string body, Time timeout, Ended ended);
  void turn(Time at_most);
  void wake();
  std::size_t under_way() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace laurel::dynamodb
