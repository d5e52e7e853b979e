// Requests that wait for a shard at the same time are sent as one script, with the effect of
// separate requests.
#include <cmath>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "../conformance/twins.h"

namespace laurel {

namespace {

// Many writes to few players, sent at once.
class Crowd {
 public:
  Crowd(const RemoteCandidate& candidate, RemoteGround& ground, std::uint64_t seed)
      : random_(seed), twins_(candidate, ground, random_fields(candidate, seed), Fixture::kStart) {}

  void round() {
    twins_.now += kSecond;
    judged_.clear();
    for (int i = 0; i < 3; ++i) judge(player());
    if (random_() % 4 == 0) twins_.change({{"join", random_() % 2 == 0 ? "required" : "open"}});
    std::vector<Request> all;
    // Ranks over several shards, and joins of other players, are read at another time than the
    // local twin's. A sharded board therefore gets posts only.
    const bool is_sharded = twins_.spec().engine == EngineKind::sharded && twins_.spec().shards > 1;
    const bool posts = is_sharded || random_() % 2 == 0;
    for (std::uint64_t i = 1 + random_() % 600; i > 0; --i) all.push_back(posts ? post() : write());
    twins_.ask_at_once(std::move(all));
  }
  void compare() { twins_.compare(); }

 private:
  std::string player() { return fmt::format("p{}", random_() % 12); }

  void judge(const std::string& player) {
    const Result<Value> held = twins_.ask(request::Held{player});
    judged_.emplace_back(player, std::get<HeldEntry>(*held));
  }

  OwnedSubmission result(std::string player) {
    OwnedSubmission what;
    what.player = std::move(player);
    what.score = static_cast<double>(random_() % 30);
    if (random_() % 3 == 0) what.data = fmt::format("d{}", random_() % 3);
    what.at = seconds_from_time(Fixture::kStart) + static_cast<double>(random_() % 50) / 8;
    if (random_() % 50 == 0) what.score = NAN;
    return what;
  }

  // For each judged player, the first such write finds the expected entry; later ones may not.
  request::Write submission() {
    if (!judged_.empty() && random_() % 8 == 0) {
      const auto& [player, seen] = judged_[random_() % judged_.size()];
      return {.how = WriteMode::hold, .what = result(player), .expected = seen, .post = {}};
    }
    const WriteMode how = random_() % 4 == 0 ? WriteMode::add : WriteMode::submit;
    return {.how = random_() % 9 == 0 ? WriteMode::set : how,
            .what = result(player()),
            .expected = {},
            .post = {}};
  }

  Request write() {
    if (random_() % 12 == 0) return request::Join{.what = result(player())};
    if (random_() % 12 == 0) return request::Join{.what = result(player()), .with_score = true};
    if (random_() % 40 == 0) return request::Ban{player(), {}};
    if (random_() % 20 == 0) return request::Unban{player(), {}};
    request::Write write = submission();
    write.report = random_() % 3 == 0;
    return write;
  }

  // The post number of one of two servers, sometimes one that was sent before.
  PostNumber number(const std::string& player) {
    const std::uint64_t server = 77 + random_() % 2;
    PostNumber& last = last_[{lane_of(twins_.spec(), player), server}];
    if (last.number == 0 || random_() % 10 != 0) {
      const std::uint64_t before = random_() % 2 == 0 ? last.number : 0;
      last = {server, ++numbers_[server], before};
    }
    return last;
  }

  Request post() {
    if (random_() % 40 == 0) {
      const std::string who = player();
      return request::Ban{who, number(who)};
    }
    if (random_() % 20 == 0) {
      const std::string who = player();
      return request::Unban{who, number(who)};
    }
    request::Write write = submission();
    write.post = number(write.what.player);
    return write;
  }

  std::mt19937_64 random_;
  Twins twins_;
  std::vector<std::pair<std::string, HeldEntry>> judged_;
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::map<std::pair<std::size_t, std::uint64_t>, PostNumber> last_;
};

}  // namespace

TEST_CASE("requests sent at once are answered as if they came one by one") {
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      CAPTURE(seed);
      Crowd crowd(candidate, ground, seed);
      for (int round = 0; round < 8; ++round) {
        CAPTURE(round);
        crowd.round();
      }
      crowd.compare();
    }
  });
}

}  // namespace laurel
