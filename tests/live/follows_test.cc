// Which players are followed, as reported to the game thread.
#include "live/server/follows.h"

#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

namespace laurel {
namespace {

TEST_CASE("a follow begins with its first follower and ends with its last") {
  Follows follows;
  const Around ada{"kills", "ada", 2};
  const FollowId id = follows.begin(ada, 1).id;
  CHECK(follows.begin(ada, 2).id == id);
  FollowNews news = follows.take_news();
  REQUIRE(news.begun.size() == 1);
  CHECK(news.begun[0] == std::pair(id, ada));
  follows.end(ada, 1);
  CHECK(follows.take_news().ended.empty());
  REQUIRE(follows.find(id));
  CHECK(follows.find(id)->second.followers == std::vector<PeerId>{2});
  follows.end(ada, 2);
  CHECK(follows.find(id) == nullptr);
  CHECK(follows.take_news().ended == std::vector{id});
  CHECK(follows.begin(ada, 1).id != id);
}

TEST_CASE("a peer that begins to follow twice follows once") {
  // This happens if a board starts again before the game has reported the player's neighbours.
  Follows follows;
  const Around ada{"kills", "ada", 2};
  follows.begin(ada, 1);
  CHECK(follows.begin(ada, 1).followers == std::vector<PeerId>{1});
}

TEST_CASE("a follow that ended before it was reported is never reported") {
  Follows follows;
  follows.begin({"kills", "ada", 2}, 1);
  follows.end({"kills", "ada", 2}, 1);
  follows.end({"kills", "ada", 2}, 1);  // nothing is left to end
  const FollowNews news = follows.take_news();
  CHECK(news.begun.empty());
  CHECK(news.ended.empty());
}

TEST_CASE("the end of a board ends the follows on it, and on no other") {
  Follows follows;
  const FollowId a = follows.begin({"a", "z", 10}, 1).id, ab = follows.begin({"ab", "", 0}, 1).id;
  const FollowId b = follows.begin({"b", "x", 0}, 1).id;
  follows.take_news();
  follows.end_board("a");
  CHECK(follows.take_news().ended == std::vector{a});
  CHECK(follows.size() == 2);
  CHECK(follows.find(ab));
  CHECK(follows.find(b));
}

TEST_CASE("all reports together say what is followed") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Follows follows;
    std::multimap<Around, PeerId> following;
    std::map<FollowId, Around> known;
    const auto catch_up = [&] {
      const FollowNews news = follows.take_news();
      for (const FollowId id : news.ended) REQUIRE(known.erase(id) == 1);
      for (const auto& [id, around] : news.begun) REQUIRE(known.emplace(id, around).second);
      std::set<Around> told, wanted;
      for (const auto& [id, around] : known) {
        REQUIRE(follows.find(id));
        CHECK(told.insert(around).second);
      }
      for (const auto& [around, peer] : following) wanted.insert(around);
      CHECK(told == wanted);
    };
    for (int step = 0; step < 300; ++step) {
      const Around around{std::string(1, static_cast<char>('a' + random() % 3)),
                          std::string(1, static_cast<char>('p' + random() % 3)),
                          static_cast<std::uint8_t>(random() % 2)};
      switch (random() % 10) {
        case 0:
          follows.end_board(around.board);
          std::erase_if(following, [&](const auto& f) { return f.first.board == around.board; });
          break;
        case 1:
        case 2: catch_up(); break;
        case 3:
        case 4:
        case 5:
          if (const auto one = following.find(around); one != following.end()) {
            follows.end(around, one->second);
            following.erase(one);
          }
          break;
        default: {
          const PeerId peer = step + 1;
          follows.begin(around, peer);
          following.emplace(around, peer);
        }
      }
    }
    catch_up();
  }
}

}  // namespace
}  // namespace laurel
