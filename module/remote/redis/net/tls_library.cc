#include "remote/redis/net/tls_library.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <thread>

#include "base/steady_clock.h"
#include "remote/limits.h"

namespace laurel::redis {

namespace {

struct TlsEnd {
  std::shared_mutex door;
  std::atomic<bool> has_come = false;
};

TlsEnd& tls_end() {
  static TlsEnd& end = *new TlsEnd;  // threads use it until the process is gone
  return end;
}

// A function of OpenSSL 1.1 as of 3.
bool is_of_our_version() { return (OpenSSL_version_num() >> 28) == OPENSSL_VERSION_MAJOR; }

void wait_for_uses() {
  TlsEnd& end = tls_end();
  end.has_come = true;
  const Time give_up = steady_now() + kTlsEndWithin;
  // Not a lock with a deadline: ThreadSanitizer does not know the call that it makes.
  while (!end.door.try_lock()) {
    if (steady_now() >= give_up) return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  end.door.unlock();
}

}  // namespace

TlsUse::TlsUse() : lock_(tls_end().door), may_(!tls_end().has_come) {}

ErrorMark::ErrorMark() { ERR_set_mark(); }
ErrorMark::~ErrorMark() { ERR_pop_to_mark(); }

Status begin_tls() {
  if (!is_of_our_version()) {
    return Refusal(Code::unsupported,
                   "rediss:// needs OpenSSL {}, and this process has \"{}\": its host brings it",
                   OPENSSL_VERSION_MAJOR, OpenSSL_version(OPENSSL_VERSION));
  }
  static const bool kBegun = [] {
    if (OPENSSL_init_ssl(0, nullptr) != 1) return false;
    // What is registered last runs first: before OpenSSL's own handler, which was registered above
    // or earlier.
    return std::atexit(wait_for_uses) == 0;
  }();
  if (!kBegun) return Refusal(Code::unsupported, "OpenSSL cannot be prepared");
  return Done{};
}

}  // namespace laurel::redis
