// A server that speaks Redis's protocol and means harm.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "hostile_server.h"
#include "remote/remote.h"

namespace laurel {

namespace {

// What the state says of a server once it has sent the bytes. The remote must close at once.
std::string state_after(const std::string& bytes, bool endless = false) {
  const HostileServer server(bytes, endless);
  std::unique_ptr<Remote> remote = std::move(*open_remote(server.url()));
  const Time give_up = steady_now() + 20 * kSecond;
  std::string down;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    down = remote->state().down;
    // After the connection is lost, the server closes it, and laurel connects again.
  } while ((down.empty() || down.ends_with("not connected yet")) && steady_now() < give_up);
  const Time begun = steady_now();
  remote.reset();
  const Time took = steady_now() - begun;
  CAPTURE(took);
  CAPTURE(down);
  // Generous, for a sanitized build on a busy machine: it took 8 s to allocate what was announced.
  CHECK(took < 6 * kSecond);
  return down;
}

}  // namespace

TEST_CASE("a Redis that announces 2^31 elements loses its connection, and close is quick") {
  CHECK(state_after("*2147483647\r\n")
            .ends_with(": its answer has 2147483647 elements; the most is 2000000"));
}

TEST_CASE("a Redis that announces a huge text loses its connection") {
  CHECK(state_after("$536870912\r\n")
            .ends_with(": its answer has a text of 536870912 bytes; the most is 1048576"));
}

TEST_CASE("a Redis whose lines never end loses its connection") {
  CHECK(state_after(std::string(4096, '+'), true)
            .ends_with(": its answer has a line of more than 65536 bytes"));
}

TEST_CASE("a Redis that sends answers without end loses its connection, and close is quick") {
  std::string answers;
  for (int i = 0; i < 1000; ++i) answers += "*0\r\n";
  CHECK_FALSE(state_after(answers, true).empty());
}

TEST_CASE("an error of Redis enters the state without its control bytes") {
  const std::string state = state_after("-ERR \x1b[2J\x07 sink \\ the\nboat\r\n");
  CHECK(state.ends_with(": ERR \\x1b[2J\\x07 sink \\\\ the\\nboat"));
  const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  CHECK(std::none_of(state.begin(), state.end(), is_control));
}

}  // namespace laurel
