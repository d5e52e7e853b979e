// What every remote board does, one fact per test. `Twins::ask` also compares each answer with the
// local twin's.
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "twins.h"

namespace laurel {

namespace {

// Runs the test for each remote, with boards of each engine it takes.
void each(const Fields& fields, const std::function<void(Twins&)>& sentence) {
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    for (std::size_t engine = 0; engine < candidate.engines.size(); ++engine) {
      CAPTURE(engine);
      Fields all = candidate.engines[engine];
      all.insert(all.end(), fields.begin(), fields.end());
      Twins twins(candidate, ground, all, Fixture::kStart, 2);
      sentence(twins);
    }
  });
}

request::Write submit(std::string player, double score, double at = 1'000'000) {
  request::Write write;
  write.what = {.player = std::move(player), .score = score, .data = {}, .at = at};
  return write;
}

request::Write posted(std::string player, double score, PostNumber post) {
  request::Write write = submit(std::move(player), score);
  write.post = post;
  return write;
}

std::string there(Twins& twins, Request what, std::uint64_t season = 0) {
  return shown_answer(twins.ask_candidate(std::move(what), season));
}

}  // namespace

TEST_CASE("a board that does not exist has no spec, and requests to it are refused") {
  each({}, [](Twins& twins) {
    CHECK(twins.get<bool>(request::Drop{}));
    CHECK_FALSE(twins.get<bool>(request::Drop{}));
    CHECK_FALSE(twins.get<KeptSpec>(request::ReadSpec{}).exists);
    CHECK(verdict(twins.ask(request::Size{})) == "unknown");
    CHECK(verdict(twins.ask(submit("p", 1))) == "unknown");
  });
}

TEST_CASE("a spec is written only by a server that has its current revision") {
  each({}, [](Twins& twins) {
    const KeptSpec kept = twins.get<KeptSpec>(request::ReadSpec{});
    CHECK(kept.revision == 1);
    CHECK(twins.get<bool>(request::WriteSpec{kept.spec, 1}));
    CHECK_FALSE(twins.get<bool>(request::WriteSpec{kept.spec, 1}));
    CHECK_FALSE(twins.get<bool>(request::WriteSpec{kept.spec, 0}));
    CHECK(twins.get<KeptSpec>(request::ReadSpec{}).revision == 2);
  });
}

TEST_CASE("dropping a board deletes its entries, seasons, joins and bans") {
  each({{"archive", 2.0}}, [](Twins& twins) {
    const KeptSpec kept = twins.get<KeptSpec>(request::ReadSpec{});
    (void)twins.ask(submit("p", 1));
    (void)twins.ask(request::Ban{"q", {}});
    (void)twins.ask(request::Reset{});
    (void)twins.ask(submit("p", 2));
    CHECK(twins.get<bool>(request::Drop{}));
    CHECK(twins.get<bool>(request::WriteSpec{kept.spec, 0}));
    CHECK(twins.get<std::uint64_t>(request::Size{}) == 0);
    twins.compare();
    (void)twins.ask(submit("q", 1));
    twins.compare();
  });
}

TEST_CASE("a submission without a time gets the remote's own, later than the one before") {
  each({{"keep", "latest"}}, [](Twins& twins) {
    Time before = INT64_MIN;
    for (int i = 0; i < 5; ++i) {
      request::Write write = submit("p", i);
      write.what.at.reset();
      REQUIRE(there(twins, write) != "");
      const Result<Value> held = twins.ask_candidate(request::Held{"p"});
      const Time at = std::get<HeldEntry>(*held).at;
      CHECK(at > before);
      before = at;
    }
  });
}

TEST_CASE("a post is applied once, for any number of requests") {
  each({{"keep", "sum"}, {"decimals", 0.0}}, [](Twins& twins) {
    const PostNumber first{5, 10, 0};
    CHECK(there(twins, posted("p", 3, first)) == "score 3 changed true");
    for (int i = 0; i < 3; ++i) CHECK(there(twins, posted("p", 3, first)) == "again");
    CHECK(there(twins, posted("p", 4, {5, 12, 10})) == "score 7 changed true");
    CHECK(there(twins, posted("p", 3, first)) == "again");
    CHECK(there(twins, posted("p", 4, {6, 12, 0})) == "score 11 changed true");
  });
}

TEST_CASE("a post is not applied before the previous one") {
  each({{"keep", "sum"}, {"decimals", 0.0}}, [](Twins& twins) {
    CHECK(verdict(twins.ask_candidate(posted("p", 4, {5, 12, 10}))) == "unavailable");
    CHECK(there(twins, posted("p", 3, {5, 10, 0})) == "score 3 changed true");
    CHECK(there(twins, posted("p", 4, {5, 12, 10})) == "score 7 changed true");
  });
}

TEST_CASE("a post that the board refuses counts as applied") {
  each({{"keep", "sum"}, {"decimals", 0.0}}, [](Twins& twins) {
    (void)twins.ask(request::Ban{"p", {}});
    CHECK(verdict(twins.ask(posted("p", 3, {5, 10, 0}))) == "banned");
    (void)twins.ask(request::Unban{"p", {}});
    CHECK(there(twins, posted("p", 3, {5, 10, 0})) == "again");
    CHECK(there(twins, posted("p", 4, {5, 12, 10})) == "score 4 changed true");
  });
}

TEST_CASE("a stale post is not applied, and may be sent again") {
  each({{"keep", "sum"}, {"decimals", 0.0}}, [](Twins& twins) {
    (void)twins.ask(submit("p", 1));
    request::Write write = posted("p", 9, {5, 10, 0});
    write.how = WriteMode::hold;
    write.expected = HeldEntry{};
    CHECK(shown_answer(twins.ask(write)) == "stale");
    write.expected = twins.get<HeldEntry>(request::Held{"p"});
    CHECK(shown_answer(twins.ask(write)) == "score 9 changed true");
    CHECK(shown_answer(twins.ask(write)) == "again");
  });
}

TEST_CASE("a result whose id was accepted within 24 hours changes nothing, and is no error") {
  each({{"keep", "sum"}, {"decimals", 0.0}}, [](Twins& twins) {
    const auto with_id = [](std::string player, double score, std::string id) {
      request::Write write = submit(std::move(player), score);
      write.what.id = std::move(id);
      return write;
    };
    CHECK(shown_answer(twins.ask(with_id("p", 3, "match 1 of p"))) == "score 3 changed true");
    CHECK(shown_answer(twins.ask(with_id("p", 4, "match 1 of p"))) == "score 3 changed false");
    CHECK(shown_answer(twins.ask(with_id("p", 4, "match 2 of p"))) == "score 7 changed true");
    CHECK(twins.get<HeldEntry>(request::Held{"p", "match 1 of p"}).repeats);
    CHECK_FALSE(twins.get<HeldEntry>(request::Held{"p", "match 3 of p"}).repeats);

    // Neither its other values nor the board's state matter.
    request::Write wrong = with_id("p", 5, "match 1 of p");
    wrong.what.data.emplace(kDataBytesMax + 1, 'x');
    CHECK(shown_answer(twins.ask(wrong)) == "score 7 changed false");
    wrong.what.id = "";
    CHECK(verdict(twins.ask(wrong)) == "bad_data");
    wrong.what.id = std::string(kResultIdBytesMax + 1, 'i');
    CHECK(verdict(twins.ask(wrong)) == "bad_data");
    (void)twins.ask(request::Ban{"p", {}});
    CHECK(shown_answer(twins.ask(with_id("p", 5, "match 1 of p"))) == "score none changed false");
    CHECK(verdict(twins.ask(with_id("p", 5, "match 4 of p"))) == "banned");
    (void)twins.ask(request::Unban{"p", {}});
    // A refused result does not use up its id, and an accepted one does, whatever it changed.
    CHECK(shown_answer(twins.ask(with_id("p", 5, "match 4 of p"))) == "score 12 changed true");
    CHECK(shown_answer(twins.ask(with_id("p", 0, "match 5 of p"))) == "score 12 changed false");
    CHECK(shown_answer(twins.ask(with_id("p", 5, "match 5 of p"))) == "score 12 changed false");
    // Resets and an erased player leave the ids.
    (void)twins.ask(request::Reset{});
    (void)twins.ask(request::Forget{"p", {}});
    CHECK(shown_answer(twins.ask(with_id("p", 5, "match 1 of p"))) == "score none changed false");
    twins.now += kDay - kSecond;
    CHECK(shown_answer(twins.ask(with_id("p", 5, "match 1 of p"))) == "score none changed false");
    twins.now += kSecond;
    CHECK(shown_answer(twins.ask(with_id("p", 5, "match 1 of p"))) == "score 5 changed true");
  });
}

TEST_CASE("reports, batches, posts and moderators have ids too") {
  each({{"keep", "sum"}, {"decimals", 0.0}}, [](Twins& twins) {
    request::Write report = submit("p", 3);
    report.what.id = "match 1 of p";
    report.report = true;
    (void)twins.ask(report);
    (void)twins.ask(submit("q", 2));
    const auto change = twins.get<Written>(report).change;
    CHECK(change->previous == 3);
    CHECK(change->rank == 1);
    CHECK(change->passed == 0);

    request::Write post = posted("p", 4, {5, 10, 0});
    post.what.id = "match 1 of p";
    CHECK(shown_answer(twins.ask(post)) == "score 3 changed false");
    CHECK(shown_answer(twins.ask(post)) == "again");
    request::Write set = submit("p", 9);
    set.how = WriteMode::set;
    set.what.id = "match 1 of p";
    CHECK(shown_answer(twins.ask(set)) == "score 3 changed false");

    request::WriteAll all;
    for (const char* id : {"match 1 of p", "match 2 of p", "match 2 of p", "match 3 of p"}) {
      all.what.push_back(submit("p", 1).what);
      all.what.back().id = id;
    }
    CHECK(shown_answer(twins.ask(std::move(all))) == "2 changed");
    (void)twins.ask(request::Remove{"p"});
    CHECK_FALSE(twins.get<Written>(report).change->score);
    report.what.data.emplace(kDataBytesMax + 1, 'x');  // its moment is told all the same
    CHECK_FALSE(twins.get<Written>(report).change->score);
    twins.compare();
  });
}

TEST_CASE("an id is the board's for all players, or it is its player's") {
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    for (const Fields& fields : candidate.engines) {
      Twins twins(candidate, ground, fields, Fixture::kStart);
      request::Write write = submit("p", 1);
      write.what.id = "match";
      (void)there(twins, write);
      write.what.player = std::string("q");
      const bool owned = candidate.owned_ids(twins.spec());
      CHECK(there(twins, write) == (owned ? "score 1 changed true" : "score none changed false"));
    }
  });
}

TEST_CASE("posts of one lane that are sent in a row are applied in that order") {
  each({{"keep", "latest"}, {"decimals", 0.0}}, [](Twins& twins) {
    constexpr int kPosts = 200;
    for (int i = 1; i <= kPosts; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      request::Write write = posted("p", i, {5, number, number - 1});
      twins.remote().ask({.id = 1'000'000 + number,
                          .target = {twins.name(), std::make_shared<const Spec>(twins.spec()), 0},
                          .what = std::move(write),
                          .now = twins.now,
                          .deadline = steady_now() + 10 * kSecond});
    }
    int answers = 0;
    const Time give_up = steady_now() + 15 * kSecond;
    while (answers < kPosts && steady_now() < give_up) {
      News news;
      twins.remote().take(news);
      for (const Answer& answer : news.answers) {
        ++answers;
        CHECK(shown_answer(answer.value) ==
              fmt::format("score {} changed true", answer.id - 1'000'000));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    CHECK(answers == kPosts);
    CHECK(std::get<HeldEntry>(*twins.ask_candidate(request::Held{"p"})).score == kPosts);
  });
}

TEST_CASE("unban restores the hidden entry in the same season, but not in the next one") {
  each({{"archive", 3.0}}, [](Twins& twins) {
    (void)twins.ask(submit("p", 5));
    (void)twins.ask(submit("q", 4));
    (void)twins.ask(request::Ban{"p", {}});
    twins.compare();
    CHECK(verdict(twins.ask(submit("p", 9))) == "banned");
    (void)twins.ask(request::Unban{"p", {}});
    twins.compare();
    (void)twins.ask(request::Ban{"p", {}});
    (void)twins.ask(request::Reset{});
    (void)twins.ask(request::Unban{"p", {}});
    twins.compare();
  });
}

TEST_CASE("a season ends once for all servers, when it is due by the request's clock") {
  each({{"reset", "0 * * * *"}, {"archive", 2.0}}, [](Twins& twins) {
    for (int hour = 0; hour < 5; ++hour) {
      (void)twins.ask(submit("p", hour), 0, 0);
      (void)twins.ask(submit("q", 10 - hour), 0, 1);
      twins.now += kHour;
      twins.compare();
    }
    CHECK(twins.get<std::vector<std::uint64_t>>(request::Seasons{}) ==
          std::vector<std::uint64_t>{6, 5, 4});
    CHECK(verdict(twins.ask(request::Size{}, 1)) == "unknown");
  });
}

TEST_CASE("seasons end by the clock of the board's zone, and take results for their duration") {
  const Fields fields = {{"reset", "30 2 * * *"},
                         {"zone", "Europe/Berlin"},
                         {"duration", 5.0 * 3600},
                         {"archive", 2.0}};
  each(fields, [](Twins& twins) {
    (void)twins.ask(request::ReadSeason{});
    twins.now = 1'774'569'600 * kSecond;  // 2026-03-27; the clocks go forward on the 29th
    for (int step = 0; step < 24; ++step) {
      twins.now += 4 * kHour - kSecond;
      if (step == 16) twins.change({{"zone", "America/New_York"}});
      if (step == 18) twins.change({{"duration", 3600.0}});
      if (step == 20) twins.change({{"duration", false}});
      request::Write set = submit("q", step);
      set.how = WriteMode::set;
      if (step % 5 == 0) (void)twins.ask(set);
      (void)twins.ask(submit("p", step));
      (void)twins.ask(request::ReadSeason{});
      if (step == 11) (void)twins.ask(request::Reset{});
    }
    twins.compare();
  });
}

TEST_CASE("forgetting a player also clears a season that another server has just ended") {
  each({{"archive", 3.0}}, [](Twins& twins) {
    (void)twins.ask(submit("p", 1));
    (void)twins.ask(submit("q", 2));
    twins.compare();
    (void)twins.ask(request::Reset{}, 0, 1);
    CHECK(twins.get<std::uint64_t>(request::Forget{"p", {}}) == 1);
    twins.compare();
  });
}

TEST_CASE("a period in which nothing was written makes no season") {
  each({{"reset", "0 * * * *"}, {"archive", 9.0}}, [](Twins& twins) {
    twins.now += 3 * kHour;
    twins.compare();
    (void)twins.ask(submit("p", 1));
    twins.now += 3 * kHour;
    (void)twins.ask(submit("p", 2));
    twins.compare();
    CHECK(twins.get<std::vector<std::uint64_t>>(request::Seasons{}) ==
          std::vector<std::uint64_t>{2, 1});
  });
}

TEST_CASE("joining, opening and closing work as on a local board") {
  each({{"join", "required"}}, [](Twins& twins) {
    CHECK(verdict(twins.ask(submit("p", 1))) == "not_joined");
    request::Join join{.what = submit("p", 1).what};
    CHECK(twins.get<Written>(join).changed);
    CHECK_FALSE(twins.get<Written>(join).changed);
    CHECK(verdict(twins.ask(submit("p", 1))) == "ok");
    CHECK(twins.get<bool>(request::Leave{"p"}));
    CHECK(verdict(twins.ask(submit("p", 1))) == "not_joined");
    twins.change({{"join", "open"}, {"opens", seconds_from_time(twins.now + 10 * kSecond)}});
    CHECK(verdict(twins.ask(submit("p", 1))) == "closed");
    twins.now += 10 * kSecond;
    CHECK(verdict(twins.ask(submit("p", 1))) == "ok");
    twins.change({{"closes", seconds_from_time(twins.now + 10 * kSecond)}});
    twins.now += 10 * kSecond;
    CHECK(verdict(twins.ask(submit("p", 2))) == "closed");
    request::Write set = submit("p", 2);
    set.how = WriteMode::set;
    CHECK(verdict(twins.ask(set)) == "ok");
    twins.compare();
  });
}

TEST_CASE("a season takes at most `attempts` results of a player, and grants give more") {
  each({{"attempts", 2.0}, {"reset", "0 * * * *"}, {"archive", 2.0}}, [](Twins& twins) {
    CHECK(shown_answer(twins.ask(request::Attempts{"p"})) == "0 taken, 2 left");
    CHECK(verdict(twins.ask(submit("p", 2))) == "ok");
    CHECK(verdict(twins.ask(submit("p", 1))) == "ok");  // it changes nothing, and counts
    CHECK(verdict(twins.ask(submit("p", 3))) == "exhausted");
    request::Write set = submit("p", 4);
    set.how = WriteMode::set;
    CHECK(verdict(twins.ask(set)) == "ok");
    CHECK(twins.get<std::uint64_t>(request::Grant{"p", 2}) == 2);
    CHECK(verdict(twins.ask(submit("p", 5))) == "ok");
    CHECK(twins.get<std::uint64_t>(request::Grant{"p", -5}) == 0);
    CHECK(shown_answer(twins.ask(request::Attempts{"p"})) == "3 taken, 0 left");
    CHECK(verdict(twins.ask(request::Grant{"p", std::int64_t{1} << 53})) == "ok");
    CHECK(verdict(twins.ask(request::Grant{"p", std::int64_t{1} << 53})) == "out_of_range");
    CHECK(verdict(twins.ask(request::Grant{"p", INT64_MAX / 2})) == "out_of_range");
    CHECK(verdict(twins.ask(request::Grant{"", 1})) == "bad_player");
    request::WriteAll all;
    for (int i = 0; i < 4; ++i) all.what.push_back(submit("q", i).what);
    CHECK(twins.get<WrittenAll>(std::move(all)).refused.size() == 2);
    twins.compare();
    twins.now += kHour;
    twins.compare();
    CHECK(verdict(twins.ask(submit("p", 1))) == "ok");
    CHECK(shown_answer(twins.ask(request::Attempts{"p"})) == "1 taken, 1 left");
    CHECK(shown_answer(twins.ask(request::Attempts{"p"}, 1)) == "none");
    (void)twins.ask(request::Forget{"p", {}});
    CHECK(shown_answer(twins.ask(request::Attempts{"p"})) == "0 taken, 2 left");
    // A grant ends with its period, also if nothing was written in it.
    twins.now += kHour;
    (void)twins.ask(request::Grant{"p", 7});
    twins.now += kHour;
    CHECK(shown_answer(twins.ask(request::Attempts{"p"})) == "0 taken, 2 left");
    // Without `attempts` the counts end.
    (void)twins.ask(submit("p", 1));
    twins.change({{"attempts", false}});
    CHECK(shown_answer(twins.ask(request::Attempts{"p"})) == "none");
    CHECK(verdict(twins.ask(request::Grant{"p", 1})) == "unsupported");
    twins.change({{"attempts", 3.0}});
    CHECK(shown_answer(twins.ask(request::Attempts{"p"})) == "0 taken, 3 left");
  });
}

TEST_CASE("joining with a score takes an attempt, and a repeated result takes none") {
  each({{"attempts", 1.0}, {"join", "required"}}, [](Twins& twins) {
    request::Join join{.what = submit("p", 1).what, .with_score = true};
    CHECK(twins.get<Written>(join).changed);
    CHECK(verdict(twins.ask(submit("p", 2))) == "exhausted");
    CHECK(twins.get<bool>(request::Leave{"p"}));
    CHECK(verdict(twins.ask(join)) == "exhausted");
    CHECK(verdict(twins.ask(submit("p", 2))) == "not_joined");
    (void)twins.ask(request::Join{.what = submit("q", 1).what});
    request::Write write = submit("q", 2);
    write.what.id = "match of q";
    CHECK(verdict(twins.ask(write)) == "ok");
    CHECK(verdict(twins.ask(write)) == "ok");
    CHECK(shown_answer(twins.ask(request::Attempts{"q"})) == "1 taken, 0 left");
    CHECK(shown_answer(twins.ask(posted("q", 2, {5, 1, 0}))).starts_with("exhausted: "));
    CHECK(shown_answer(twins.ask(posted("q", 2, {5, 1, 0}))) == "again");
  });
}

TEST_CASE("a board has no more players than its capacity, or is refused") {
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    for (Fields fields : candidate.engines) {
      const Spec bare = *laurel::spec(fields).create();
      fields.push_back({"capacity", 2.0});
      if (!candidate.counts_players(bare)) {
        const Status taken = ground.connect()->takes(*laurel::spec(fields).create());
        REQUIRE_FALSE(taken);
        CHECK(taken.refusal().code() == Code::unsupported);
        continue;
      }
      Twins twins(candidate, ground, fields, Fixture::kStart, 2);
      request::WriteAll all;
      for (const char* player : {"p", "q", "r", "p"}) all.what.push_back(submit(player, 1).what);
      CHECK(twins.get<WrittenAll>(std::move(all)).refused.size() == 1);
      CHECK(verdict(twins.ask(submit("r", 1))) == "full");
      CHECK(verdict(twins.ask(submit("p", 5))) == "ok");
      (void)twins.ask(request::Ban{"p", {}});
      CHECK(verdict(twins.ask(submit("r", 2))) == "ok");
      (void)twins.ask(request::Unban{"p", {}});
      CHECK(twins.get<std::uint64_t>(request::Size{}) == 3);
      request::Write set = submit("s", 4);
      set.how = WriteMode::set;
      CHECK(verdict(twins.ask(set)) == "ok");
      CHECK(verdict(twins.ask(submit("t", 1))) == "full");
      twins.compare();
    }
  });
}

TEST_CASE("decimals are exact below 2^53, and refused above") {
  each({{"decimals", 2.0}, {"keep", "sum"}}, [](Twins& twins) {
    for (int i = 0; i < 10; ++i) (void)twins.ask(submit("p", 0.1));
    CHECK(*twins.get<Written>(submit("p", 0)).score == 1);
    CHECK(verdict(twins.ask(submit("p", 1e15))) == "out_of_range");
    twins.compare();
  });
}

TEST_CASE("board player ids and data may be any bytes") {
  each({{"keep", "latest"}}, [](Twins& twins) {
    const std::vector<std::string> ids = {"#",    "a#b", "{x}",  "\xff\xfe",
                                          "\x01", "p q", "a\nb", std::string(255, 'z'),
                                          "é",    "a",   "aa",   "a\x01"};
    for (const std::string& id : ids) {
      request::Write write = submit(id, 1);
      write.what.data = std::string("\0\xff\n{}#", 6);
      (void)twins.ask(write);
    }
    twins.compare();
  });
}

TEST_CASE("a follower is told that another server changed the board") {
  each({}, [](Twins& twins) {
    const Target target{twins.name(), std::make_shared<const Spec>(twins.spec()), 0};
    twins.remote(0).follow(target);
    const auto hears = [&] {
      const Time give_up = steady_now() + 5 * kSecond;
      while (steady_now() < give_up) {
        News news;
        twins.remote(0).take(news);
        for (const std::string& board : news.changed) {
          if (board == twins.name()) return true;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      return false;
    };
    (void)twins.ask_candidate(submit("p", 1), 0, 1);
    CHECK(hears());
    (void)twins.ask_candidate(submit("p", 2), 0, 1);
    CHECK(hears());
  });
}

TEST_CASE("what a name has heard of ends is written by one of several servers") {
  each({{"archive", 3.0}}, [](Twins& twins) {
    const HearingState first{.heard = 0, .teller = UINT64_MAX, .until = twins.now};
    const HearingState second{.heard = 1};
    for (const std::string name : {"rewards", "a b \xff\xc3#:", "\xe2\x82\xac"}) {
      CAPTURE(name);
      const auto write = [&](const std::optional<HearingState>& expected,
                             const std::optional<HearingState>& hearing, std::size_t server) {
        const Result<Value> value =
            twins.ask(request::WriteHearing{.name = name, .expected = expected, .hearing = hearing},
                      0, server);
        REQUIRE(value);
        return std::get<bool>(*value);
      };
      CHECK_FALSE(twins.get<SeasonsHeard>(request::ReadHearing{name}).hearing);
      CHECK_FALSE(write(second, first, 0));
      CHECK(write(std::nullopt, first, 0));
      CHECK_FALSE(write(std::nullopt, second, 1));
      CHECK(twins.get<SeasonsHeard>(request::ReadHearing{name}).hearing == first);
      CHECK(write(first, second, 1));
      CHECK_FALSE(write(first, second, 0));
      CHECK(twins.get<SeasonsHeard>(request::ReadHearing{name}).hearing == second);
      CHECK(write(second, std::nullopt, 0));
      CHECK_FALSE(twins.get<SeasonsHeard>(request::ReadHearing{name}).hearing);
    }
    CHECK(verdict(twins.ask(submit("p", 1))) == "ok");
    CHECK(verdict(twins.ask(request::Reset{})) == "ok");
    CHECK(twins.get<SeasonsHeard>(request::ReadHearing{"rewards"}).past.size() == 1);
    CHECK(twins.get<bool>(request::Drop{}));
    CHECK(verdict(twins.ask(request::ReadHearing{"rewards"})) == "unknown");
    CHECK(verdict(twins.ask(request::WriteHearing{"rewards", std::nullopt, second})) == "unknown");
    CHECK(verdict(twins.ask(request::Size{})) == "unknown");
  });
}

TEST_CASE("a season that a name has not heard of is kept beyond the archive, at most 100 more") {
  for (const double archive : {0.0, 1.0}) {
    CAPTURE(archive);
    each({{"archive", archive}}, [&](Twins& twins) {
      if (!twins.candidate().keeps_unheard) return;
      const auto kept = [&] {
        const Result<Value> value = twins.ask_candidate(request::Seasons{});
        REQUIRE(value);
        return std::get<std::vector<std::uint64_t>>(*value).size() - 1;
      };
      const auto end_season = [&] {
        REQUIRE(twins.ask_candidate(submit("p", 1)));
        REQUIRE(twins.ask_candidate(request::Reset{}));
      };
      HearingState hearing{.heard = 0};
      REQUIRE(twins.ask_candidate(request::WriteHearing{"rewards", std::nullopt, hearing}));
      for (int i = 0; i < 3; ++i) end_season();
      CHECK(kept() == 3);
      CHECK(there(twins, request::Size{}, 1) == "1");
      const HearingState heard{.heard = 2};
      REQUIRE(twins.ask_candidate(request::WriteHearing{"rewards", hearing, heard}));
      end_season();
      CHECK(kept() == 2);
      CHECK(verdict(twins.ask_candidate(request::Size{}, 2)) == "unknown");
      CHECK(there(twins, request::Size{}, 3) == "1");
      const HearingState all{.heard = 4};
      REQUIRE(twins.ask_candidate(request::WriteHearing{"rewards", heard, all}));
      end_season();
      CHECK(kept() == std::max<std::size_t>(static_cast<std::size_t>(archive), 1));
      REQUIRE(twins.ask_candidate(request::WriteHearing{"rewards", all, std::nullopt}));
      end_season();
      CHECK(kept() == static_cast<std::size_t>(archive));
    });
  }
}

}  // namespace laurel
