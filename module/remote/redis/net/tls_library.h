// tls_library.h - when OpenSSL may be called.
//
//   host      a process may have other users of OpenSSL. laurel changes no setting of theirs, and
//             leaves no error in the queue of a thread that is not its own (ErrorMark).
//   version   of another OpenSSL than version 3 nothing is called: a host may export symbols of an
//             older one that it was linked with, and then laurel would get those.
//   end       when the process ends, OpenSSL frees what it shares while threads still run. Each use
//             of it is inside a TlsUse, and the end waits for those, at most kTlsEndWithin: a
//             forked child may have the copy of one that never ends. Later ones are refused: no
//             session moves a byte, and nothing is freed.
//   threads   all.
#pragma once

#include <shared_mutex>

#include "base/result.h"

namespace laurel::redis {

// Holds off the end of the process, for as long as a call of OpenSSL takes.
class TlsUse {
 public:
  TlsUse();
  // False: OpenSSL must not be called: the process ends.
  explicit operator bool() const { return may_; }

 private:
  std::shared_lock<std::shared_mutex> lock_;
  bool may_ = false;
};

// Removes the errors that calls since its construction left in this thread's queue.
class ErrorMark {
 public:
  ErrorMark();
  ~ErrorMark();
  ErrorMark(const ErrorMark&) = delete;
  ErrorMark& operator=(const ErrorMark&) = delete;
};

// Prepares OpenSSL, once per process. Fails with unsupported: it is of another version.
Status begin_tls();

}  // namespace laurel::redis
