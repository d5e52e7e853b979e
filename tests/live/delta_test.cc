#include "live/wire/delta.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "live/snapshots.h"

namespace laurel {
namespace {

using test::cut;
using test::entry;
using test::ladder;
using test::message;
using test::player_id;
using test::RandomBoard;

bool same(const Window& a, const Window& b) {
  return a.epoch == b.epoch && a.version == b.version && a.size == b.size && a.entries == b.entries;
}

std::size_t bytes_of(const State& state) { return encode(ServerMessage(state)).size(); }
std::size_t whole_bytes(const Window& window) {
  const std::string body = *whole_body(window, 100);
  return bytes_of(message(window, 100, 0, body));
}
std::size_t delta_bytes(const Window& base, const Window& target) {
  const std::string body = delta_body(base, target, 100);
  return bytes_of(message(target, 100, target.version - base.version, body));
}

// Moves the player at index `from` to index `to` with a score between its new neighbours.
void lift(Window& window, std::size_t from, std::size_t to) {
  window.entries[from].score = window.entries[to].score + 5;
  std::rotate(window.entries.begin() + to, window.entries.begin() + from,
              window.entries.begin() + from + 1);
  for (std::size_t i = 0; i < window.entries.size(); ++i) window.entries[i].rank = i + 1;
}

TEST_CASE("a delta leads from any window of a board to any later one, for every cut") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomBoard board(seed);
    std::vector<Window> windows;
    for (int i = 0; i < 12; ++i) windows.push_back(board.next(20));
    for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
      const Window& base = windows[board.below(i + 1)];
      const Window& target = windows[i + 1];
      const std::size_t n = 1 + board.below(25);
      const std::string delta = delta_body(base, target, n), whole = *whole_body(target, n);
      const Window held = cut(base, n);
      const auto by_delta =
          apply(message(target, n, target.version - base.version, delta), base.epoch, &held);
      REQUIRE(by_delta);
      CHECK(same(*by_delta, cut(target, n)));
      const auto by_whole = apply(message(target, n, 0, whole), base.epoch, nullptr);
      REQUIRE(by_whole);
      CHECK(same(*by_whole, cut(target, n)));
    }
  }
}

TEST_CASE("state messages stay within the sizes that the protocol promises") {
  const Window ten = ladder(10), hundred = ladder(100);
  CHECK(whole_bytes(ten) <= 260);
  CHECK(whole_bytes(hundred) <= 2450);

  Window rescored = ladder(10, 7, 1001);
  rescored.entries[4].score += 1;
  CHECK(delta_bytes(ten, rescored) <= 30);

  Window lifted = ladder(10, 7, 1001);
  lift(lifted, 8, 1);
  CHECK(delta_bytes(ten, lifted) <= 45);

  Window entered = ladder(10, 7, 1001);
  entered.entries.back() = entry(player_id(700), 1e6 + 1, 1);
  std::rotate(entered.entries.begin(), entered.entries.end() - 1, entered.entries.end());
  for (std::size_t i = 0; i < 10; ++i) entered.entries[i].rank = i + 1;
  CHECK(delta_bytes(ten, entered) <= 66);

  Window busy = ladder(100, 7, 1010);  // ten players climb: half a second of a busy board
  for (std::size_t i = 0; i < 10; ++i) lift(busy, 95 - 9 * i, 90 - 9 * i);
  CHECK(delta_bytes(hundred, busy) <= 300);
  MESSAGE("top 10: whole " << whole_bytes(ten) << ", rescore " << delta_bytes(ten, rescored)
                           << ", lift " << delta_bytes(ten, lifted) << ", new leader "
                           << delta_bytes(ten, entered) << "; top 100: whole "
                           << whole_bytes(hundred) << ", ten climb " << delta_bytes(hundred, busy));
}

TEST_CASE("a hundred entries with the longest ids fit into one message") {
  Window window = ladder(100);
  for (std::size_t i = 0; i < 100; ++i) {
    window.entries[i].player = std::string(252, 'x') + std::to_string(100 + i);
  }
  CHECK(EncodedWindow(window, 100).count() == 100);
  for (WindowEntry& one : window.entries) one.data = std::string(kDataBytesMax, 'd');
  const std::size_t fitting = EncodedWindow(window, 100).count();
  CHECK(fitting < 100);
  CHECK(whole_body(window, fitting));
  CHECK_FALSE(whole_body(window, fitting + 1));
}

TEST_CASE("a damaged state message is rejected, or leads to the original window") {
  RandomBoard board(1);
  Window base = board.next(10);
  while (base.entries.size() < 8) base = board.next(10);
  const Window target = board.next(10);
  const std::string delta = delta_body(base, target, 10), whole = *whole_body(target, 10);
  const auto try_all = [&](const State& state, const Window* from) {
    const std::string bytes = encode(ServerMessage(state));
    int applied = 0;
    const auto attempt = [&](const std::string& damaged) {
      const auto decoded = decode_server(damaged, Channel::unsequenced);
      if (!decoded || !std::holds_alternative<State>(*decoded)) return;
      const State& read = std::get<State>(*decoded);
      if ((read.back == 0) != (from == nullptr)) return;
      if (from != nullptr && read.version - read.back != from->version) return;
      const auto window = apply(read, target.epoch, from);
      if (!window) return;
      ++applied;
      CHECK(same(*window, target));
    };
    for (std::size_t size = 0; size < bytes.size(); ++size) attempt(bytes.substr(0, size));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (int flip = 1; flip < 256; ++flip) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        attempt(damaged);
      }
    }
    for (int byte = 0; byte < 256; ++byte) attempt(bytes + static_cast<char>(byte));
    return applied;
  };
  // The digest does not cover the stream's number, which tells whose window this is.
  CHECK(try_all(message(target, 10, target.version - base.version, delta), &base) <= 255);
  CHECK(try_all(message(target, 10, 0, whole), nullptr) <= 255);
}

TEST_CASE("random delta steps are rejected without reading out of bounds") {
  const Window base = ladder(20);
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::string body(1 + random() % 24, '\0');
    for (char& byte : body) byte = static_cast<char>(random() % 3 == 0 ? random() : random() % 32);
    State state = message(base, 20, 1, body);
    state.version = base.version + 1;
    state.count = static_cast<std::uint8_t>(random() % 30);
    CHECK_FALSE(apply(state, base.epoch, &base));
  }
}

TEST_CASE("each delta step is checked against its bounds") {
  const Window base = ladder(10);
  const auto applies = [&](const std::string& body, std::size_t count, const Window& target) {
    State state = message(target, 100, 1, body);
    state.count = static_cast<std::uint8_t>(count);
    return apply(state, base.epoch, &base).has_value();
  };
  const Window next = ladder(10, 7, 1001);
  CHECK(applies(std::string("\x28", 1), 10, next));                // copy 10
  CHECK_FALSE(applies(std::string("\x2C", 1), 10, next));          // copy 11: the base has 10
  CHECK_FALSE(applies(std::string("\x28\x28", 2), 10, next));      // trailing bytes
  CHECK_FALSE(applies(std::string("\x24", 1), 10, next));          // one entry is missing
  CHECK_FALSE(applies(std::string("\x00\x28", 2), 10, next));      // copy 0
  CHECK_FALSE(applies(std::string("\xA8\x00", 2), 10, next));      // 10 in too many bytes
  CHECK_FALSE(applies(std::string("\x29\x00\x00", 3), 10, next));  // a move that should be a copy
  CHECK_FALSE(applies(std::string("\x29\x01\x00", 3), 10, next));  // from before the base
  CHECK_FALSE(applies(std::string("\x29\x00\x01", 3), 10, next));  // to rank 0
  CHECK_FALSE(applies(std::string("\x02\x00\x24", 3), 10, next));  // a change that changes nothing
  CHECK_FALSE(applies(std::string("\x42\x00\x24", 3), 10, next));  // an unknown flag
  CHECK_FALSE(applies(std::string("\x0A\x0A\x01\x24", 4), 10, next));  // an entry beyond the base
}

TEST_CASE("infinite, NaN and -0 scores are rejected") {
  for (const double score : {HUGE_VAL, -HUGE_VAL, std::nan(""), -0.0}) {
    Window window = ladder(1);
    window.entries[0].score = score;
    const std::string body = *whole_body(window, 1);
    CHECK_FALSE(apply(message(window, 1, 0, body), 7, nullptr));
  }
}

TEST_CASE("a window of another epoch, version or size has another digest") {
  const Window window = ladder(3);
  const std::string body = *whole_body(window, 3);
  const State state = message(window, 3, 0, body);
  CHECK(apply(state, 7, nullptr));
  CHECK_FALSE(apply(state, 8, nullptr));
  State other = state;
  other.version = 1001;
  CHECK_FALSE(apply(other, 7, nullptr));
  other = state;
  other.size = 1540;
  CHECK_FALSE(apply(other, 7, nullptr));
}

TEST_CASE("a delta to the wrong base is rejected") {
  Window base = ladder(10);
  Window target = ladder(10, 7, 1001);
  target.entries[4].score += 1;
  const std::string body = delta_body(base, target, 10);
  base.entries[7].score -= 1;
  CHECK_FALSE(apply(message(target, 10, 1, body), 7, &base));
}

}  // namespace
}  // namespace laurel
