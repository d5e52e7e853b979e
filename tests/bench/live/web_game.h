// web_game.h - the game server of bench_web and bench_web_restart: the score of the board's
// leader is the time, in milliseconds of steady_now().
//
//   threads  one of its own, which changes the score 100 times a second.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/steady_clock.h"
#include "board/spec/spec_change.h"
#include "live/server/publisher.h"
#include "registry/registry.h"

namespace laurel {

[[noreturn]] inline void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

class RaceServer {
 public:
  static constexpr Time kChangeEvery = 10 * kMillisecond;

  RaceServer() : registry_(RegistryOptions{}) {
    auto live = Publisher::start({});
    if (!live) fail("serve");
    port = (*live)->port();
    Publisher& publisher = **live;
    registry_.attach(std::move(*live));
    const BoardHandle race = *registry_.open("race", SpecChange());
    (void)publisher.publish(registry_, race, {});
    for (const char* player : {"bea", "cleo"}) {
      (void)registry_.get(race)->submit(WriteMode::submit, {player, 1});
    }
    thread_ = std::thread([this, race] {
      while (!ending_) {
        const double now = static_cast<double>(steady_now()) / 1000;
        (void)registry_.get(race)->submit(WriteMode::submit, {"ada", now});
        registry_.tick();
        std::this_thread::sleep_for(std::chrono::microseconds(kChangeEvery));
      }
    });
  }
  ~RaceServer() {
    ending_ = true;
    thread_.join();
  }
  RaceServer(const RaceServer&) = delete;
  RaceServer& operator=(const RaceServer&) = delete;

  std::uint16_t port = 0;  // of its live channel

 private:
  Registry registry_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace laurel
