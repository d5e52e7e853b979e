// The basis of the other tests: a history can be repeated, on boards of every engine.
#include <doctest/doctest.h>

#include "crash_fixture.h"

namespace laurel::crash {

TEST_CASE("a history played twice gives the same, on boards of every engine") {
  const auto now = std::make_shared<Time>(0);
  const History history(71);
  const auto one = make_twin(now);
  const auto other = make_twin(now);
  for (std::uint64_t number = 1; number <= 3000; ++number) {
    CAPTURE(number);
    *now = history.time(number);
    REQUIRE(history.play(*one, number) == history.play(*other, number));
  }
  CHECK(one->names().size() >= kBoards.size() - 3);  // a few may be dropped at this point
  CHECK(one->stats().entries >= 20);
  CHECK(difference(picture_of(*one), picture_of(*other)) == "");
}

TEST_CASE("histories of two seeds differ") {
  const auto now = std::make_shared<Time>(0);
  const auto one = make_twin(now);
  const auto other = make_twin(now);
  for (std::uint64_t number = 1; number <= 50; ++number) {
    *now = History(1).time(number);
    (void)History(1).play(*one, number);
    (void)History(2).play(*other, number);
  }
  CHECK(difference(picture_of(*one), picture_of(*other)) != "");
}

}  // namespace laurel::crash
