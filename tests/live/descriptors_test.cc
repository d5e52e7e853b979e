// What a server and a client do when the process may open no further descriptors.
#include <fcntl.h>
#include <string>
#include <sys/resource.h>

#include <doctest/doctest.h>

#include "live/loopback_fixture.h"

namespace laurel {
namespace {

int open_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

// While it exists, the process may open this many more descriptors.
class DescriptorsLeft {
 public:
  explicit DescriptorsLeft(int more) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    // The limit is a number that no new descriptor reaches; the lowest free numbers come first.
    int limit = 0;
    for (; more > 0 || ::fcntl(limit, F_GETFD) >= 0; ++limit) {
      if (::fcntl(limit, F_GETFD) < 0) --more;
    }
    rlimit lower = before_;
    lower.rlim_cur = static_cast<rlim_t>(limit);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &lower) == 0);
  }
  ~DescriptorsLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorsLeft(const DescriptorsLeft&) = delete;
  DescriptorsLeft& operator=(const DescriptorsLeft&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("a server that lacks descriptors is refused as unavailable, and keeps none") {
  const int before = open_descriptors();
  int refused = 0;
  for (int more = 0; more < 8; ++more) {
    CAPTURE(more);
    std::string why;
    {
      const DescriptorsLeft left(more);
      const auto server = Server::start({});
      if (server) break;
      why = server.refusal().text();
      ++refused;
    }
    CHECK(why == "unavailable: cannot listen on 127.0.0.1:0 (UDP): too many open files");
    CHECK(open_descriptors() == before);
  }
  CHECK(refused == 2);  // a socket, and what wakes the thread
  CHECK(Server::start({}));
}

TEST_CASE("a client that lacks a descriptor is refused as unavailable") {
  const int before = open_descriptors();
  {
    const DescriptorsLeft left(0);
    const auto client = Client::connect({"127.0.0.1", 7777, "", false, {}});
    REQUIRE_FALSE(client);
    CHECK(client.refusal().text() == "unavailable: cannot open a UDP socket: too many open files");
  }
  CHECK(open_descriptors() == before);
}

}  // namespace
}  // namespace laurel
