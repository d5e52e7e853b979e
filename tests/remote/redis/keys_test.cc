#include "remote/redis/keys.h"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "rank/tree/row_order.h"
#include "remote/redis/net/slot_map.h"

using namespace laurel;
using namespace laurel::redis;

namespace {

struct Standing3 {
  double score;
  Time at;
  std::string player;
};

// The board's total order, written out.
bool stands_before(const Spec& spec, const Standing3& a, const Standing3& b) {
  if (a.score != b.score) return spec.order == Order::desc ? a.score > b.score : a.score < b.score;
  if (spec.ties == Ties::earliest && a.at != b.at) return a.at < b.at;
  if (spec.ties == Ties::latest && a.at != b.at) return a.at > b.at;
  return spec.ties == Ties::player_desc ? a.player > b.player : a.player < b.player;
}

}  // namespace

TEST_CASE("members of equal scores sort as the board orders them") {
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::vector<Time> times = {0,
                                   1,
                                   -1,
                                   255,
                                   256,
                                   -256,
                                   1'700'000'000'000'000,
                                   -8'589'934'592'000'000,
                                   8'589'934'592'000'000};
  const auto draw_id = [&] {
    std::string id(1 + random() % 3, ' ');
    for (char& byte : id) byte = static_cast<char>(random() % 3 == 0 ? 1 : 250 + random() % 6);
    return id;
  };
  for (const Order order : {Order::desc, Order::asc}) {
    for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc}) {
      Spec spec;
      spec.order = order;
      spec.ties = ties;
      const RowForm form(spec);
      for (int i = 0; i < 3000; ++i) {
        Standing3 pair[2];
        laurel::redis::Row rows[2];
        for (int k = 0; k < 2; ++k) {
          pair[k] = {static_cast<double>(random() % 2), times[random() % times.size()], draw_id()};
          rows[k].stored = pair[k].score;
          rows[k].member = form.member(pair[k].player, pair[k].at);
          REQUIRE(form.player_of(rows[k].member) == pair[k].player);
        }
        CHECK(form.before(rows[0], rows[1]) == stands_before(spec, pair[0], pair[1]));
      }
    }
  }
}

TEST_CASE("times sort as bytes and convert back") {
  const std::vector<Time> times = {-8'589'934'592'000'000, -1, 0, 1, 1'700'000'000'000'000};
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(time_of_sortable(sortable_time(times[i])) == times[i]);
    if (i > 0) CHECK(sortable_time(times[i - 1]) < sortable_time(times[i]));
  }
}

TEST_CASE(
    "for any board name, the keys of a shard share a slot and differ from other boards' keys") {
  for (const std::string name : {"a", "a{b}c", "}{", "a/0", "%7D", "\xFF\x01", "{}"}) {
    CAPTURE(name);
    const ShardKeys keys(name, 3);
    for (const std::string& key : {keys.banned(), keys.scores(2), keys.channel(), keys.servers()}) {
      CHECK(slot_of(key) == slot_of(keys.state()));
      CHECK(key.find('}') == key.rfind('}'));
    }
  }
  CHECK(ShardKeys("a/0", 1).state() != ShardKeys("a", 0).state());
  CHECK(board_key("a/0").find("{a%2F0}") != std::string::npos);
  CHECK(ShardKeys("}", 0).state() != ShardKeys("%7D", 0).state());
}

TEST_CASE("scores are stored exactly, decimals as whole numbers") {
  Spec spec;
  spec.decimals = 2;
  const RowForm decimal(spec);
  CHECK(*decimal.stored(0.1) == 10);
  CHECK(decimal.shown(10) == 0.1);
  CHECK_FALSE(decimal.stored(1e15));
  spec.decimals.reset();
  const RowForm plain(spec);
  for (const double score : {0.1, -1.5e300, 5e-324, 9007199254740993.0}) {
    CHECK(*plain.stored(score) == score);
    CHECK(std::strtod(number_text(score).c_str(), nullptr) == score);
  }
  CHECK_FALSE(std::signbit(*plain.stored(-0.0)));
}
