// A registry's file with a flipped bit or a missing end is refused by name, or its content is
// exact. It never shows anything else. tests/store damages files in many more ways.
#include <random>

#include <doctest/doctest.h>

#include "crash_fixture.h"
#include "power.h"

namespace laurel::crash {

namespace {

constexpr int kDamages = 300;

std::string damaged(std::string bytes, std::mt19937_64& random) {
  switch (random() % 8) {
    case 0: bytes.resize(random() % bytes.size()); break;
    case 1: bytes.resize(random() % (bytes.size() / 4096) * 4096); break;
    case 2: {  // the two head pages
      bytes[random() % 8192] ^= static_cast<char>(1U << random() % 8);
      break;
    }
    default: bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8); break;
  }
  return bytes;
}

}  // namespace

TEST_CASE("a damaged registry is refused by its file's name, or comes back exactly") {
  Scene scene(51);
  scene.play(250);
  REQUIRE(scene.registry->close());
  scene.registry.reset();
  const std::string sound = bytes_of(scene.file());
  const Picture expected = scene.expected();
  int refused = 0;
  for (int seed = 0; seed < kDamages; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    write_bytes(scene.file(), damaged(sound, random));
    const auto opened = open_registry({.path = scene.path(), .now = scene.now});
    if (!opened) {
      ++refused;
      CHECK(opened.refusal().text().find("laurel.mdb") != std::string_view::npos);
    } else {
      REQUIRE(difference(picture_of(**opened), expected) == "");
    }
  }
  CHECK(refused > kDamages / 4);
  CHECK(refused < kDamages);
}

}  // namespace laurel::crash
