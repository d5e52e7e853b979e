// Forked children of a process that serves the live channel, or is a client of one.
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <sys/wait.h>
#include <thread>

#include <doctest/doctest.h>

#include "folder.h"
#include "live/loopback_fixture.h"
#include "live/server/publisher.h"
#include "registry/registry.h"

namespace laurel {
namespace {

using test::connected_to;
using test::Heard;
using test::started;
using test::until;
using test::window;

// ThreadSanitizer cannot follow a thread that the child of a process with threads starts: it stops
// the child. With die_after_fork=0 it fails itself: that thread has the id of one of the parent's.
#if defined(__SANITIZE_THREAD__)
constexpr bool kChildHasNoThreads = true;
#else
constexpr bool kChildHasNoThreads = false;
#endif

// Runs `child` in a forked process while the clients tick, and returns its wait status.
int forked(const std::vector<Client*>& clients, const std::function<void()>& child) {
  const pid_t process = ::fork();
  if (process == 0) {
    child();
    ::_exit(0);
  }
  int status = -1;
  REQUIRE(until(clients, [&] { return ::waitpid(process, &status, WNOHANG) == process; }));
  return status;
}

// A server with a client that has the first window.
struct Served {
  Served() {
    server->post("kills", window(7, 1));
    REQUIRE(client->subscribe("kills", 10, heard.listener()));
    REQUIRE(until({client.get()}, [&] { return heard.has(1); }));
  }
  // Whether the next window reaches the client over the same connection.
  bool goes_on() {
    bool stays = true;  // a lost client would connect again
    server->post("kills", window(7, 2));
    const bool heard_next = until({client.get()}, [&] {
      stays = stays && client->state() == "connected";
      return heard.has(2);
    });
    return heard_next && stays;
  }

  ServerPtr server = started();
  std::unique_ptr<Client> client = connected_to(server->port());
  Heard heard;
};

TEST_CASE("a forked process can end its copy of a server, and clients stay connected") {
  Served served;
  CHECK(forked({served.client.get()}, [&] { served.server.reset(); }) == 0);
  CHECK(served.goes_on());
}

TEST_CASE("a forked process can end its copy of a server while it has threads of its own" *
          doctest::skip(kChildHasNoThreads)) {
  Served served;
  CHECK(forked({served.client.get()}, [&] {
          // The C library gives it the memory of a thread that the parent had.
          std::thread own([] { ::poll(nullptr, 0, 20); });
          served.server.reset();
          own.join();
        }) == 0);
  CHECK(served.goes_on());
}

TEST_CASE(
    "a forked process with a durable registry of its own can end its copy of a registry that is "
    "served" *
    doctest::skip(kChildHasNoThreads)) {
  const test::Folder folder;
  auto registry = std::make_unique<Registry>(RegistryOptions{});
  auto publisher = Publisher::start({});
  REQUIRE(publisher);
  registry->attach(std::move(*publisher));
  const int status = forked({}, [&] {
    RegistryOptions options;
    options.path = folder.path();
    auto own = Registry::open(std::move(options));
    if (!own || !(*own)->open("kills", SpecChange())) ::_exit(1);
    registry.reset();
    if (!(*own)->close()) ::_exit(2);
  });
  CHECK(status == 0);
}

TEST_CASE("a forked process can end its copy of a client, and the parent stays connected") {
  Served served;
  CHECK(forked({served.client.get()}, [&] { served.client.reset(); }) == 0);
  CHECK(served.goes_on());
}

TEST_CASE("in a forked process a client is closed at its next tick, and says nothing") {
  Served served;
  CHECK(forked({served.client.get()}, [&] {
          Heard heard;
          if (!served.client->subscribe("kills", 3, heard.listener())) ::_exit(1);
          for (int i = 0; i < 20; ++i) served.client->tick();
          if (served.client->state() != "closed" || heard.calls > 0) ::_exit(2);
          served.client->close();
        }) == 0);
  CHECK(served.goes_on());
}

TEST_CASE("a forked process that has ended its copy of a server does not hold the port") {
  ServerOptions options;
  auto server = started();
  options.port = server->port();
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[1]);
    server.reset();
    char end = 0;
    (void)!::read(pipe[0], &end, 1);  // until the parent closes its end
    ::_exit(0);
  }
  ::close(pipe[0]);
  server.reset();
  CHECK(until({}, [&] { return static_cast<bool>(Server::start(options)); }));
  ::close(pipe[1]);
  CHECK(::waitpid(child, nullptr, 0) == child);
}

// The number of descriptors that a program started by this process would inherit.
int inherited() {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    count += flags >= 0 && (flags & FD_CLOEXEC) == 0 ? 1 : 0;
  }
  return count;
}

TEST_CASE("programs that the process starts inherit no descriptor of a server or a client") {
  const int before = inherited();
  const auto server = started();
  const auto client = connected_to(server->port());
  CHECK(inherited() == before);
}

}  // namespace
}  // namespace laurel
