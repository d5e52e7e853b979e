// The script that writes decides what to keep as board/spec/keep_policy.h does.
#include "board/spec/keep_policy.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "poster.h"
#include "shared_servers.h"

namespace laurel {

namespace {

constexpr double kScores[] = {-3, -1, 0, 1, 2.5, 40};

double write(Poster& poster, WriteMode how, const std::string& player, double score,
             const std::string& data) {
  const Result<Value> written = poster.ask(
      request::Write{.how = how, .what = {.player = player, .score = score, .data = data}});
  if (!written) FAIL(written.refusal().text());
  return std::get<Written>(*written).score.value_or(-1'000);
}

struct Kept {
  double score = 0;
  std::string data;
};

// Data shows which of two equal scores is held.
Kept kept(const Spec& spec, WriteMode how, double held, double offered) {
  const ScoreForm form(spec.order, spec.decimals);
  switch (what_to_keep(spec.keep, how, *form.key(held), *form.key(offered))) {
    case KeptScore::held: return {held, "held"};
    case KeptScore::offered: return {offered, "offered"};
    case KeptScore::sum: return {held + offered, "offered"};
  }
  return {};
}

}  // namespace

TEST_CASE("the script keeps the score that the policy of local boards keeps") {
  RedisServers* const servers = one_redis();
  if (servers == nullptr) return;
  for (const Order order : {Order::desc, Order::asc}) {
    for (const Keep keep : {Keep::best, Keep::latest, Keep::sum, Keep::first}) {
      Spec spec = *laurel::spec({}).create();
      spec.order = order;
      spec.keep = keep;
      Poster poster(servers->url(), new_name(), spec);
      REQUIRE(poster.create());
      int players = 0;
      for (const WriteMode how :
           {WriteMode::submit, WriteMode::add, WriteMode::set, WriteMode::hold}) {
        for (const double held : kScores) {
          for (const double offered : kScores) {
            CAPTURE(static_cast<int>(order));
            CAPTURE(static_cast<int>(keep));
            CAPTURE(static_cast<int>(how));
            CAPTURE(held);
            CAPTURE(offered);
            const std::string player = fmt::format("p{}", ++players);
            CHECK(write(poster, WriteMode::set, player, held, "held") == held);
            const Kept expected = kept(spec, how, held, offered);
            CHECK(write(poster, how, player, offered, "offered") == expected.score);
            const Result<Value> found = poster.ask(request::Held{player});
            REQUIRE(found);
            CHECK(std::get<HeldEntry>(*found).score == expected.score);
            CHECK(std::get<HeldEntry>(*found).data == expected.data);
          }
        }
      }
    }
  }
}

}  // namespace laurel
