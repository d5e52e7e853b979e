// The cache of names against the profiles.
#include "profile/names.h"

#include <random>

#include "base/limits.h"
#include "fixture.h"

namespace laurel {

namespace {

std::string id_of(std::uint64_t i) { return fmt::format("player {}", i); }

std::string_view name_in(const Profiles& profiles, std::string_view player) {
  const std::optional<Profile> profile = profiles.get(player);
  return profile ? profile->name.value_or("") : std::string_view();
}

}  // namespace

TEST_CASE("without a name nothing is looked up, and the names take no memory") {
  Fixture game;
  Names names(game.profiles);
  CHECK_FALSE(names.any());
  game.save({.id = "a", .email = "a@x"});
  CHECK_FALSE(names.any());
  CHECK(names.bytes() == 0);
  game.save({.id = "a", .name = "Ada"});
  CHECK(names.any());
  CHECK(names.find("a") == "Ada");
}

TEST_CASE("a registry that opens with profiles may have names") {
  Fixture game;
  game.save({.id = "a", .name = "Ada"});
  const Profiles reopened{Space(*game.store, 1)};
  CHECK(reopened.has_names());
  Names names(reopened);
  CHECK(names.find("a") == "Ada");
  CHECK(names.find("b").empty());
}

TEST_CASE(
    "names agree with the profiles over random renames, forgotten and moved players included") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Fixture game;
    Names names(game.profiles);
    for (int step = 0; step < 2'000; ++step) {
      const std::string player = id_of(random() % 300);
      switch (random() % 8) {
        case 0: game.save({.id = player, .name = fmt::format("name {}", step)}); break;
        case 1: game.profiles.forget(player); break;
        case 2:
          if (const std::string to = id_of(random() % 300); !game.profiles.get(to)) {
            game.profiles.rename(player, to);
          }
          break;
        default: names.follow_renames();
      }
      names.follow_renames();
      REQUIRE(names.find(player) == name_in(game.profiles, player));
    }
  }
}

TEST_CASE("cached players who are renamed are told, and others are not") {
  Fixture game;
  Names names(game.profiles);
  for (int i = 0; i < 1'000; ++i) game.save({.id = id_of(i), .name = "n"});
  (void)names.take_renamed();
  for (int i = 0; i < 500; ++i) CHECK(names.find(id_of(i)) == "n");
  game.save({.id = id_of(1), .name = "m"});
  game.save({.id = id_of(999), .name = "m"});
  const auto renamed = names.take_renamed();
  REQUIRE(renamed);
  CHECK(*renamed == std::vector<std::string>{id_of(1)});
  CHECK(names.find(id_of(1)) == "m");
  for (std::size_t i = 0; i <= Profiles::kRenamedKept; ++i)
    game.save({.id = id_of(i), .name = "o"});
  CHECK_FALSE(names.take_renamed());
  CHECK(names.find(id_of(2)) == "o");
}

TEST_CASE("of the first name any player may be the one") {
  Fixture game;
  Names names(game.profiles);
  CHECK(names.take_renamed()->empty());
  game.save({.id = "a", .name = "Ada"});
  CHECK_FALSE(names.take_renamed());
  CHECK(names.take_renamed()->empty());
}

TEST_CASE("the cache has a limit, and stays right beyond it") {
  Fixture game;
  Names names(game.profiles);
  game.save({.id = id_of(7), .name = "seven"});
  (void)names.take_renamed();
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < 2 * kNamesKept; ++i) {
    REQUIRE(names.find(id_of(i)) == (i == 7 ? "seven" : ""));
    if (i % 10'000 == 0) most = std::max(most, names.bytes());
  }
  CHECK(names.find(id_of(7)) == "seven");
  CHECK(most <= kNamesKept * 64);
  CHECK(names.bytes() <= kNamesKept * 64);
}

}  // namespace laurel
