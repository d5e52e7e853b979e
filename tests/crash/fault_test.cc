// A disk that fails at the n-th call of each kind, once or from then on: accepted writes are kept,
// writes that cannot be kept are refused, reads work, and the store recovers with the disk.
#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "crash_fixture.h"
#include "faults.h"
#include "process_limit.h"
#include "transfer/transfer.h"

namespace laurel::crash {

namespace {

constexpr std::string_view kToldOfFailure = "cannot be written, so nothing more is taken";
constexpr std::string_view kToldOfEnd = "can be written again";
#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kNths = 12;
#else
constexpr std::uint64_t kNths = 60;
#endif
constexpr int kRounds = 90;                            // at most, until the n-th call was made
constexpr std::chrono::milliseconds kBetweenTicks(1);  // of a server that waits for its disk

// Ticks, as a running server does, until the registry accepts writes.
bool returns_by_itself(Registry& registry) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < give_up) {
    registry.tick();
    if (registry.writable()) return true;
    std::this_thread::sleep_for(kBetweenTicks);
  }
  return false;
}

// While the fault lasts and the registry knows of it.
void stays_readable_and_refuses(Scene& scene) {
  for (int i = 0; i < 5; ++i) {
    const Status flushed = scene.registry->flush();
    REQUIRE_FALSE(flushed);
    CHECK(flushed.refusal().code() == Code::unavailable);
    REQUIRE_FALSE(scene.registry->writable());
    CHECK(was_refused_by_disk(scene.step()));
    scene.registry->tick();
  }
  CHECK(difference(scene.found(), scene.expected()) == "");
  CHECK(scene.lines_with(kToldOfFailure) == 1);
  CHECK(scene.lines_with(kToldOfEnd) == 0);
}

// All accepted writes are on the disk now, and present after reopening.
void lost_nothing(Scene& scene) {
  const Status flushed = scene.registry->flush();
  if (!flushed) FAIL(flushed.refusal().text());
  CHECK(scene.lines_with(kToldOfFailure) == scene.lines_with(kToldOfEnd));
  CHECK(difference(scene.found(), scene.expected()) == "");
  const Status opened = scene.reopen();
  if (!opened) FAIL(opened.refusal().text());
  CHECK(difference(scene.found(), scene.expected()) == "");
  scene.play(5);
  REQUIRE(scene.registry->flush());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

void play_until_struck(Scene& scene, bool& failed) {
  for (int round = 0; round < kRounds && !faults::struck(); ++round) {
    scene.play(2);
    scene.registry->tick();
    if (!scene.registry->flush()) failed = true;
  }
}

void for_ever(const Fault& fault, Durability durability, bool by_itself) {
  Scene scene(fault.nth + 100, durability);
  scene.play(10);
  REQUIRE(scene.registry->flush());
  faults::arm(fault);
  bool failed = false;
  play_until_struck(scene, failed);
  REQUIRE(faults::struck());
  stays_readable_and_refuses(scene);
  faults::end();
  if (by_itself) CHECK(returns_by_itself(*scene.registry));
  lost_nothing(scene);
}

void once(const Fault& fault, Durability durability) {
  Scene scene(fault.nth + 200, durability);
  scene.play(10);
  REQUIRE(scene.registry->flush());
  faults::arm(fault);
  bool failed = false;
  play_until_struck(scene, failed);
  REQUIRE(faults::end());
  CHECK(scene.lines_with(kToldOfFailure) <= 1);
  lost_nothing(scene);
}

// The attempts that a failing disk may get in the background since `begin`.
std::uint64_t attempts_within(std::chrono::steady_clock::time_point begin) {
  const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  return 1 + static_cast<std::uint64_t>(passed.count() / kStoreRetryMin);
}

constexpr std::array kErrors = {EIO, ENOSPC, EROFS, EDQUOT};

Fault fault_of(Call call, std::uint64_t nth, bool for_ever) {
  static constexpr std::array kWays = {Fault::Way::fails, Fault::Way::in_part,
                                       Fault::Way::too_late};
  return {.call = call,
          .nth = nth,
          .for_ever = for_ever,
          .error = kErrors[nth % kErrors.size()],
          .way = kWays[nth / 2 % kWays.size()]};
}

Durability durability_of(std::uint64_t nth) {
  return nth % 6 == 0 ? Durability::always : Durability::tick;
}

void every_fault(Call call) {
  for (std::uint64_t nth = 1; nth <= kNths; ++nth) {
    CAPTURE(nth);
    once(fault_of(call, nth, false), durability_of(nth));
    for_ever(fault_of(call, nth, true), durability_of(nth), nth % 16 == 1);
  }
}

}  // namespace

TEST_CASE("a failed page write loses no accepted write") { every_fault(Call::pages); }

TEST_CASE("a failed sync acknowledges nothing, and loses no accepted write") {
  every_fault(Call::sync);
}

TEST_CASE("a failed head write loses no accepted write, although LMDB must be reopened") {
  every_fault(Call::head);
}

TEST_CASE("what a process leaves that is killed after a failed head write opens as it was before") {
  for (std::uint64_t seed = 300; seed < 312; ++seed) {
    CAPTURE(seed);
    Scene scene(seed);
    scene.play(static_cast<int>(5 + seed % 7 * 10));
    REQUIRE(scene.registry->flush());
    const Picture acknowledged = scene.expected();
    const auto then = std::make_shared<Time>(*scene.now);
    faults::arm({.call = Call::head, .for_ever = true, .way = Fault::Way::too_late});
    while (scene.registry->flush()) scene.play(1);
    // Until the registry opens the file again, nothing more is written.
    const std::string left = scene.scratch.path("left");
    std::filesystem::create_directory(left);
    std::filesystem::copy_file(scene.file(), left + "/laurel.mdb");
    faults::end();
    const auto opened = open_registry({.path = left, .now = then});
    if (!opened) FAIL(opened.refusal().text());
    CHECK(difference(picture_of(**opened), acknowledged) == "");
  }
}

TEST_CASE("a store that cannot reopen its file at first reopens it later") {
  Scene scene(6);
  scene.play(30);
  REQUIRE(scene.registry->flush());
  faults::arm({.call = Call::head, .for_ever = true});
  scene.play(2);
  while (scene.registry->flush()) scene.play(1);
  faults::end();
  {
    const ProcessLimit none(RLIMIT_NOFILE, 3);
    for (int i = 0; i < 10; ++i) {
      CHECK_FALSE(scene.registry->flush());
      scene.registry->tick();
      CHECK(was_refused_by_disk(scene.step()));
    }
  }
  CHECK(returns_by_itself(*scene.registry));
  lost_nothing(scene);
}

TEST_CASE("with durability none, flush syncs, and fails for good after a failed sync") {
  Scene scene(7, Durability::none);
  scene.play(10);
  REQUIRE(scene.registry->flush());
  faults::arm({.call = Call::sync, .for_ever = true});
  scene.play(5);
  const Status flushed = scene.registry->flush();
  REQUIRE_FALSE(flushed);
  CHECK(flushed.refusal().code() == Code::unavailable);
  REQUIRE(faults::end());
  // The system may treat data as written that it once failed to write.
  CHECK_FALSE(scene.registry->flush());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE("a failure between two ticks is logged once, at the next tick") {
  Scene scene(8);
  scene.play(10);
  REQUIRE(scene.registry->flush());
  faults::arm({.call = Call::pages, .for_ever = true});
  // Until a write is refused: the writer thread finds out meanwhile.
  while (scene.refused == 0) {
    scene.step();
    scene.registry->tick();
  }
  for (int i = 0; i < 20; ++i) scene.registry->tick();
  CHECK(scene.lines_with(kToldOfFailure) == 1);
  CHECK(difference(scene.found(), scene.expected()) == "");
  faults::end();
  CHECK(returns_by_itself(*scene.registry));
  scene.registry->tick();
  CHECK(scene.lines_with(kToldOfEnd) == 1);
  lost_nothing(scene);
}

TEST_CASE("closing on a failing disk is refused, and keeps what was acknowledged") {
  Scene scene(9);
  scene.play(30);
  REQUIRE(scene.registry->flush());
  const Picture acknowledged = scene.found();
  scene.play(3);
  faults::arm({.call = Call::sync, .for_ever = true});
  const Status closed = scene.registry->close();
  REQUIRE_FALSE(closed);
  CHECK(closed.refusal().code() == Code::unavailable);
  REQUIRE(faults::end());
  scene.registry.reset();
  *scene.now = scene.history.time(30);
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), acknowledged) == "");
}

TEST_CASE("opening on a failing disk is refused, and the next opening finds no damage") {
  for (const Call call : {Call::pages, Call::head, Call::sync}) {
    for (std::uint64_t nth = 1; nth <= 4; ++nth) {
      for (const auto way : {Fault::Way::fails, Fault::Way::in_part, Fault::Way::too_late}) {
        CAPTURE(static_cast<int>(call));
        CAPTURE(nth);
        const Scratch scratch;
        const auto now = std::make_shared<Time>(0);
        const Opening opening = {.path = scratch.path("boards"), .now = now};
        faults::arm({.call = call, .nth = nth, .for_ever = true, .way = way});
        {
          const auto opened = open_registry(opening);
          if (!opened) CHECK(opened.refusal().code() == Code::unavailable);
          if (!faults::struck()) CHECK(opened);
        }
        faults::end();
        const auto opened = open_registry(opening);
        if (!opened) FAIL(opened.refusal().text());
        CHECK(difference(picture_of(**opened), picture_of(*make_twin(now))) == "");
      }
    }
  }
}

TEST_CASE(
    "a flush on a failing disk makes one attempt, and the next attempt in the background waits") {
  for (const Call call : {Call::pages, Call::sync, Call::head}) {
    CAPTURE(static_cast<int>(call));
    Scene scene(10);
    scene.play(10);
    REQUIRE(scene.registry->flush());
    scene.play(3);
    const std::uint64_t before = scene.registry->stats().disk.failures;
    faults::arm({.call = call, .for_ever = true});
    const auto begin = std::chrono::steady_clock::now();
    constexpr std::uint64_t kFlushes = 200;
    for (std::uint64_t i = 0; i < kFlushes; ++i) CHECK_FALSE(scene.registry->flush());
    // An attempt of the background may be under way when a flush begins, and does not count for it.
    CHECK(scene.registry->stats().disk.failures - before <= 2 * kFlushes + attempts_within(begin));
    CHECK(scene.registry->stats().disk.failures - before >= kFlushes);
    faults::end();
    lost_nothing(scene);
  }
}

TEST_CASE(
    "ticks on a failing disk cause no attempt before its time, also if the file is reopened") {
  for (const Call call : {Call::pages, Call::sync, Call::head}) {
    CAPTURE(static_cast<int>(call));
    Scene scene(11);
    scene.play(10);
    REQUIRE(scene.registry->flush());
    scene.play(3);
    const std::uint64_t before = scene.registry->stats().disk.failures;
    faults::arm({.call = call, .for_ever = true});
    const auto begin = std::chrono::steady_clock::now();
    while (scene.registry->stats().disk.failures - before < 3) {
      scene.registry->tick();
      std::this_thread::sleep_for(kBetweenTicks);
    }
    CHECK(std::chrono::steady_clock::now() - begin >=
          std::chrono::microseconds(kStoreRetryMin + 2 * kStoreRetryMin));
    faults::end();
    CHECK(returns_by_itself(*scene.registry));
    lost_nothing(scene);
  }
}

TEST_CASE("an import on a failing disk changes nothing, and works when the disk does") {
  Scene scene(12);
  scene.play(200);
  const std::string file = scene.scratch.path("export");
  REQUIRE(export_registry(*scene.registry, file));
  const auto other = [&] {
    auto opened = open_registry({.path = scene.scratch.path("other"), .now = scene.now});
    if (!opened) FAIL(opened.refusal().text());
    return std::move(*opened);
  };
  auto registry = other();
  REQUIRE(registry->flush());
  const Picture before = picture_of(*registry);
  faults::arm({.call = Call::pages, .for_ever = true});
  REQUIRE(registry->profiles().save({"ada", "Ada", std::nullopt}, 0));
  CHECK_FALSE(registry->flush());
  const Picture failing = picture_of(*registry);
  const Status refused = import_registry(*registry, file);
  REQUIRE_FALSE(refused);
  CAPTURE(refused.refusal().text());
  CHECK(refused.refusal().code() == Code::unavailable);
  CHECK(difference(picture_of(*registry), failing) == "");
  REQUIRE(faults::end());
  REQUIRE(registry->flush());
  CHECK(registry->profiles().forget("ada"));
  CHECK(difference(picture_of(*registry), before) == "");
  const Status imported = import_registry(*registry, file);
  if (!imported) FAIL(imported.refusal().text());
  REQUIRE(registry->close());
  registry.reset();
  registry = other();
  CHECK(difference(picture_of(*registry), scene.found()) == "");
}

}  // namespace laurel::crash
