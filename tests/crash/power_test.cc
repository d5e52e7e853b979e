// Nothing is acknowledged before the disk has it: after each acknowledgement the power fails, and
// of what was not synced nothing, or any part, remains.
#include "power.h"

#include <map>
#include <random>

#include <doctest/doctest.h>

#include "crash_fixture.h"
#include "long_form.h"

namespace laurel::crash {

namespace {

// What remains of the scene's file, opened in another directory.
class AfterPowerCut {
 public:
  AfterPowerCut(const PowerDisk& disk, std::mt19937_64* random) {
    std::filesystem::create_directories(path());
    const std::string file = path() + "/laurel.mdb";
    if (random != nullptr) {
      disk.leave(file, *random);
    } else {
      disk.leave(file);
    }
  }

  Result<std::unique_ptr<Registry>> open(const std::shared_ptr<Time>& now) const {
    return open_registry({.path = path(), .now = now});
  }

 private:
  std::string path() const { return scratch_.path("left"); }

  Scratch scratch_;
};

void equals_after_power_cut(Scene& scene, const PowerDisk& disk, std::mt19937_64* random) {
  const AfterPowerCut left(disk, random);
  const Result<std::unique_ptr<Registry>> opened = left.open(scene.now);
  if (!opened) FAIL(opened.refusal().text());
  CHECK(difference(picture_of(**opened), scene.expected()) == "");
}

}  // namespace

TEST_CASE("writes that flush acknowledged survive an immediate power failure") {
  for (const Durability durability : {Durability::tick, Durability::none}) {
    Scene scene(11, durability);
    REQUIRE(scene.registry->flush());
    PowerDisk disk(scene.file());
    faults::record();
    std::mt19937_64 random(11);
    for (int round = 0; round < 25; ++round) {
      CAPTURE(round);
      scene.play(static_cast<int>(1 + random() % 8));
      scene.registry->tick();
      REQUIRE(scene.registry->flush());
      disk.take(faults::events());
      equals_after_power_cut(scene, disk, nullptr);
    }
    CHECK(disk.heads() >= 20);
    faults::stop_recording();
  }
}

TEST_CASE("under \"always\" each write is on the disk when it returns") {
  Scene scene(12, Durability::always);
  REQUIRE(scene.registry->flush());
  PowerDisk disk(scene.file());
  faults::record();
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    scene.step();
    REQUIRE(scene.committed);
    disk.take(faults::events());
    equals_after_power_cut(scene, disk, nullptr);
  }
  faults::stop_recording();
}

TEST_CASE("a power failure at any point leaves the complete state after some operation") {
  for (std::uint64_t seed = 1; seed <= short_or_long<std::uint64_t>(3, 6); ++seed) {
    CAPTURE(seed);
    const auto now = std::make_shared<Time>(0);
    const History history(seed);
    *now = history.time(0);
    const Scratch scratch;
    const std::string path = scratch.path("boards");
    auto registry = std::move(*open_registry({.path = path, .now = now}));
    REQUIRE(registry->flush());
    PowerDisk disk(path + "/laurel.mdb");
    faults::record();
    std::uint64_t acknowledged = 0;
    std::vector<std::pair<std::size_t, std::uint64_t>> acknowledgements;  // {events, operation}
    std::vector<Event> events;
    for (std::uint64_t number = 1; number <= 60; ++number) {
      *now = history.time(number);
      history.play(*registry, number);
      REQUIRE(note(*registry, number));
      if (number % 3 == 0) registry->tick();
      if (number % 12 != 0) continue;
      REQUIRE(registry->flush());
      for (Event& event : faults::events()) events.push_back(std::move(event));
      acknowledgements.emplace_back(events.size(), number);
    }
    faults::stop_recording();
    REQUIRE(registry->close());

    std::mt19937_64 random(seed);
    std::map<std::uint64_t, Picture> pictures;  // of twins, by the number of operations played
    std::size_t next = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      CAPTURE(i);
      while (next < acknowledgements.size() && acknowledgements[next].first <= i) {
        acknowledged = acknowledgements[next++].second;
      }
      disk.take({events[i]});
      const AfterPowerCut left(disk, &random);
      const Result<std::unique_ptr<Registry>> opened = left.open(now);
      if (!opened) FAIL(opened.refusal().text());
      const std::uint64_t recovered = noted(**opened);
      REQUIRE(recovered >= acknowledged);
      // A later power failure may leave an earlier state, since the surviving pending writes are
      // random.
      if (!pictures.contains(recovered)) {
        // Each picture needs a new twin. Taking one brings all boards to the current time, and the
        // history's clock may go back after that.
        const auto twin = make_twin(now);
        for (std::uint64_t number = 1; number <= recovered; ++number) {
          *now = history.time(number);
          history.play(*twin, number);
          REQUIRE(note(*twin, number));
        }
        pictures.emplace(recovered, picture_of(*twin));
      }
      *now = history.time(recovered);
      REQUIRE(difference(picture_of(**opened), pictures.at(recovered)) == "");
    }
    CHECK(events.size() > 30);
  }
}

}  // namespace laurel::crash
