// What one server writes between another server's read and its write.
#include <memory>

#include <doctest/doctest.h>

#include "local_engine.h"
#include "remote/request/spec_codec.h"
#include "rough_line.h"
#include "sender.h"

namespace laurel::dynamodb {

namespace {

constexpr Time kRaceTime = 1'000'000 * kSecond;

// A board and two servers: `swift` writes after `late` has read and before it writes.
struct Race {
  Race(const std::string& endpoint, const Fields& fields)
      : url(fresh_url(endpoint)),
        line(endpoint, 1),
        swift(url),
        target{.board = "race", .spec = std::make_shared<Spec>(*spec(fields).create())} {
    REQUIRE(swift.get<bool>(target, request::WriteSpec{text_of(*target.spec), 0}, kRaceTime));
    line.rough = false;
    late = std::make_unique<Sender>(url_through(url, line.server()));
  }

  // Returns when both requests have been answered.
  void overtake(Request slow, Request quick) {
    bool came_first = false;
    line.before_write = [&] {
      came_first = static_cast<bool>(swift.ask(target, std::move(quick), kRaceTime));
    };
    const Result<Value> answer = late->ask(target, std::move(slow), kRaceTime);
    if (!answer) FAIL(answer.refusal().text());
    REQUIRE(came_first);
  }
  std::uint64_t size() { return swift.get<std::uint64_t>(target, request::Size{}, kRaceTime); }
  std::optional<double> score() {
    return swift.get<HeldEntry>(target, request::Held{"p"}, kRaceTime).score;
  }

  std::string url;
  RoughLine line;
  Sender swift;
  Target target;
  std::unique_ptr<Sender> late;
};

request::Write submit(double score) {
  request::Write write;
  write.what.player = "p";
  write.what.score = score;
  return write;
}

const Fields kPadded = {{"engine", "padded"}};

}  // namespace

TEST_CASE("a ban hides a player's first entry that was written while the ban was in flight") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Race race(*endpoint, kPadded);
  race.overtake(request::Ban{"p", {}}, submit(5));
  CHECK(race.size() == 0);
  CHECK_FALSE(race.score());
  CHECK(race.swift.get<bool>(race.target, request::Unban{"p", {}}, kRaceTime));
  CHECK(race.score() == 5);
}

TEST_CASE("leaving removes a player's first entry that was written meanwhile") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Fields fields = kPadded;
  fields.push_back({"join", "required"});
  Race race(*endpoint, fields);
  request::Join join;
  join.what.player = "p";
  (void)race.swift.get<Written>(race.target, join, kRaceTime);
  race.overtake(request::Leave{"p"}, submit(5));
  CHECK(race.size() == 0);
  CHECK_FALSE(race.score());
}

TEST_CASE("forgetting removes a player's first entry that was written meanwhile") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Race race(*endpoint, kPadded);
  request::Join join;
  join.what.player = "p";
  (void)race.swift.get<Written>(race.target, join, kRaceTime);
  race.overtake(request::Forget{"p", {}}, submit(5));
  CHECK(race.size() == 0);
  CHECK_FALSE(race.score());
}

TEST_CASE("forgetting removes a player's entry from a season that ended meanwhile") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Race race(*endpoint, kPadded);
  (void)race.swift.get<Written>(race.target, submit(5), kRaceTime);
  race.overtake(request::Forget{"p", {}}, request::Reset{});
  Target ended = race.target;
  ended.season = 1;
  CHECK(race.swift.get<std::uint64_t>(ended, request::Size{}, kRaceTime) == 0);
  CHECK(race.swift.get<Listed>(ended, request::Page{0, 10}, kRaceTime).entries.empty());
}

TEST_CASE("forgetting removes a player's session that was recorded meanwhile") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Race race(*endpoint, kPadded);
  const request::RecordSession played{.player = "p", .game = "g", .score = 1, .seconds = 1};
  (void)race.swift.get<std::string>(race.target, played, kRaceTime);
  race.overtake(request::ForgetPlayer{"p"}, played);
  using Sessions = std::vector<OwnedSession>;
  CHECK(race.swift.get<Sessions>(race.target, request::SessionsOf{"p", 10, {}}, kRaceTime).empty());
  using Profile = std::optional<OwnedProfile>;
  CHECK_FALSE(race.swift.get<Profile>(race.target, request::ReadPlayer{"p"}, kRaceTime));
}

TEST_CASE("a ban hides a better score that was written while the ban was in flight") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Race race(*endpoint, kPadded);
  (void)race.swift.get<Written>(race.target, submit(3), kRaceTime);
  race.overtake(request::Ban{"p", {}}, submit(5));
  CHECK(race.size() == 0);
  CHECK(race.swift.get<bool>(race.target, request::Unban{"p", {}}, kRaceTime));
  CHECK(race.score() == 5);
}

TEST_CASE("a score is refused if the player is banned before it is written") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Race race(*endpoint, kPadded);
  race.line.before_write = [&] {
    (void)race.swift.ask(race.target, request::Ban{"p", {}}, kRaceTime);
  };
  const Result<Value> answer = race.late->ask(race.target, submit(5), kRaceTime);
  REQUIRE_FALSE(answer);
  CHECK(answer.refusal().code() == Code::banned);
  CHECK(race.size() == 0);
}

}  // namespace laurel::dynamodb
