// retrying_request.h - one request at a time to a remote, and a pause after each failure.
//
//   pause     see backoff.h. The caller says which answers are failures, and which end the
//             doubling.
//   answer    the callback runs in PendingRequests::answer(), and may send again. It does not run
//             if the request is cancelled, replaced or destroyed before.
//   threads   the registry's caller.
#pragma once

#include <utility>

#include "remote/core/backoff.h"
#include "remote/core/pending_requests.h"
#include "remote/limits.h"

namespace laurel {

class RetryingRequest {
 public:
  // The pending requests outlive this object.
  explicit RetryingRequest(PendingRequests& requests, Time longest_pause = kRemoteRetryMax)
      : requests_(requests), backoff_(longest_pause) {}
  ~RetryingRequest() { cancel(); }
  RetryingRequest(const RetryingRequest&) = delete;
  RetryingRequest& operator=(const RetryingRequest&) = delete;

  bool is_pending() const { return id_ != 0; }
  // True if none is pending and the pause is over.
  bool is_due() const { return !is_pending() && requests_.steady() >= backoff_.until(); }

  // Replaces a pending request.
  void send(NamedRemote& remote, Target target, Request what, Time deadline,
            PendingRequests::Completion done) {
    cancel();
    id_ = requests_.ask(remote, std::move(target), std::move(what), deadline,
                        [this, done = std::move(done)](Result<Value> value) {
                          id_ = 0;
                          done(std::move(value));
                        });
  }
  void cancel() { requests_.cancel(std::exchange(id_, 0)); }

  void fail() { backoff_.fail(requests_.steady()); }
  void succeed() { backoff_.succeed(); }
  void wait(Time how_long) { backoff_.wait(requests_.steady() + how_long); }

 private:
  PendingRequests& requests_;
  Backoff backoff_;
  RequestId id_ = 0;  // 0: none is pending
};

}  // namespace laurel
