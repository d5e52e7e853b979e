// Which tokens may open a stream without the server's word.
#include "web/grants.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "web/http/limits.h"

namespace laurel::web {
namespace {

TEST_CASE("a token is granted while its streams are open and ten minutes after the last ended") {
  Grants grants;
  CHECK_FALSE(grants.player_of("t", steady_now()));
  auto first = grants.let_in("t", "ada");
  auto second = grants.let_in("t", "ada");
  first.reset();
  CHECK(grants.player_of("t", steady_now() + 10 * kGrantFor) == "ada");
  second.reset();
  const Time now = steady_now();
  CHECK(grants.player_of("t", now + kGrantFor - kSecond) == "ada");
  auto third = grants.let_in("t", "ada");
  CHECK(grants.player_of("t", now + 10 * kGrantFor) == "ada");
  third.reset();
  CHECK_FALSE(grants.player_of("t", steady_now() + kGrantFor + kSecond));
  CHECK_FALSE(grants.player_of("u", now));
}

TEST_CASE("the grants of tokens without a stream are limited, and the oldest goes first") {
  Grants grants;
  auto open = grants.let_in("open", "ada");
  for (std::size_t i = 0; i <= kGrantsMax; ++i) grants.let_in(std::to_string(i), "player").reset();
  CHECK_FALSE(grants.player_of("0", steady_now()));
  CHECK(grants.player_of(std::to_string(kGrantsMax), steady_now()));
  CHECK(grants.player_of("open", steady_now()) == "ada");
}

}  // namespace
}  // namespace laurel::web
