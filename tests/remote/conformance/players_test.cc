// What every remote that takes players and sessions does, one fact per test. `Twins::ask` also
// compares each answer with the local twin's.
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "profile/ulid.h"
#include "twins.h"

namespace laurel {

namespace {

// Ids, games and emails that no other test uses.
struct People {
  Twins& twins;
  std::string operator()(std::string_view name) const {
    return twins.name() + "/" + std::string(name);
  }
};

// Runs the test for each remote that takes players.
void each(const std::function<void(Twins&, const People&)>& sentence) {
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    Fields fields = candidate.engines.front();
    fields.push_back({"archive", 2.0});
    Twins twins(candidate, ground, fields, Fixture::kStart, 2);
    if (!twins.remote().takes_players()) {
      CHECK(verdict(twins.ask_candidate(request::ReadPlayer{"p"})) == "unsupported");
      CHECK(verdict(twins.ask_candidate(request::SavePlayer{.id = "p", .name = {}, .email = {}})) ==
            "unsupported");
      return;
    }
    sentence(twins, People{twins});
  });
}

request::SavePlayer save(std::string id, std::optional<std::string> name,
                         std::optional<std::string> email = {}) {
  return {.id = std::move(id), .name = std::move(name), .email = std::move(email)};
}

request::RecordSession played(std::string player, std::string game, double score, std::string id) {
  return {.player = std::move(player),
          .game = std::move(game),
          .score = score,
          .seconds = 60,
          .data = {},
          .at = {},
          .id = std::move(id)};
}

// Session ids of this test. They sort in the order of their creation.
class Ids {
 public:
  std::string next() { return ulids_.next(now_ += 1'000); }

 private:
  Ulids ulids_;
  Time now_ = Fixture::kStart;
};

// Sends all requests before it takes the first answer, through two servers in turn.
std::vector<Result<Value>> ask_at_once(Twins& twins, const std::vector<Request>& requests) {
  std::vector<std::optional<Result<Value>>> came(requests.size());
  constexpr RequestId kFirst = 1'000'000;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    twins.remote(i % 2).ask({.id = kFirst + i,
                             .target = {},
                             .what = requests[i],
                             .now = twins.now,
                             .deadline = steady_now() + 30 * kSecond});
  }
  const Time give_up = steady_now() + 40 * kSecond;
  std::size_t answers = 0;
  while (answers < requests.size() && steady_now() < give_up) {
    News news;
    twins.remote(0).take(news);
    twins.remote(1).take(news);
    for (Answer& answer : news.answers) {
      came.at(answer.id - kFirst).emplace(std::move(answer.value));
      ++answers;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  REQUIRE(answers == requests.size());
  std::vector<Result<Value>> values;
  for (auto& value : came) values.push_back(std::move(*value));
  return values;
}

}  // namespace

TEST_CASE("S3-AP1, S3-AP2: a player is found by id and by the current email") {
  each([](Twins& twins, const People& name) {
    const std::string alice = name("p_alice");
    const std::string mail = name("alice@x.com");
    (void)twins.ask(request::ReadPlayer{alice});
    CHECK(twins.get<bool>(save(alice, "alice42", mail)));
    CHECK(twins.get<std::optional<OwnedProfile>>(request::ReadPlayer{alice})->name == "alice42");
    CHECK(twins.get<std::optional<OwnedProfile>>(request::ReadPlayerByEmail{mail})->id == alice);
    CHECK(twins.get<bool>(save(alice, {}, name("new@x.com"))));
    CHECK_FALSE(twins.get<std::optional<OwnedProfile>>(request::ReadPlayerByEmail{mail}));
    (void)twins.ask(request::ReadPlayerByEmail{name("new@x.com")}, 0, 1);
    (void)twins.ask(request::ReadPlayer{""});
    (void)twins.ask(request::ReadPlayerByEmail{""});
    (void)twins.ask(request::ReadPlayerByEmail{name("nobody@x.com")});
  });
}

TEST_CASE("the names of many players are read at once, each in its place") {
  each([](Twins& twins, const People& name) {
    request::ReadNames all;
    (void)twins.ask(all);
    for (int i = 0; i < 100; ++i) {
      const std::string id = name(fmt::format("p{}#", i * 37 % 100));
      if (i % 3 != 0) CHECK(twins.get<bool>(save(id, fmt::format("\xFF name {}", i))));
      if (i % 3 == 0 && i % 2 == 0) CHECK(twins.get<bool>(save(id, {}, id + "@x")));
      all.ids.push_back(id);
    }
    const auto names = twins.get<std::vector<std::string>>(all);
    REQUIRE(names.size() == 100);
    CHECK(names[0].empty());
    CHECK(names[1] == "\xFF name 1");
    CHECK(names[98] == "\xFF name 98");
    CHECK(twins.get<bool>(save(all.ids[1], std::string(255, 'x'))));
    (void)twins.ask(all, 0, 1);
    CHECK(twins.get<bool>(request::ForgetPlayer{all.ids[1]}));
    CHECK(twins.get<std::vector<std::string>>(all)[1].empty());
    (void)twins.ask(request::ReadNames{{"", name("nobody")}});
  });
}

TEST_CASE("attributes are set, taken off and kept") {
  each([](Twins& twins, const People& name) {
    const std::string ada = name("ada");
    const auto set = [&](std::string_view attribute, std::optional<std::string_view> value) {
      AttributeChanges changes;
      REQUIRE(changes.add(attribute, value));
      request::SavePlayer request = save(ada, {});
      request.attributes = changes.text();
      return request;
    };
    const auto held = [&] {
      return twins.get<std::optional<OwnedProfile>>(request::ReadPlayer{ada})->attributes;
    };
    CHECK(twins.get<bool>(set("country", "DE")));
    CHECK(twins.get<bool>(set("cl\xE4n#1", "r\xFF")));
    CHECK(attribute_of(held(), "country") == "DE");
    CHECK(attribute_of(held(), "cl\xE4n#1") == "r\xFF");
    CHECK(twins.get<bool>(save(ada, "Ada")));
    CHECK(twins.get<bool>(set("country", std::nullopt)));
    CHECK(attribute_of(held(), "country").empty());
    CHECK(attribute_of(held(), "cl\xE4n#1") == "r\xFF");
    CHECK(twins.get<bool>(set("cl\xE4n#1", std::nullopt)));
    CHECK(held().empty());
    for (int i = 0; i < 16; ++i) CHECK(twins.get<bool>(set(std::to_string(i), "v")));
    (void)twins.ask(set("one more", "v"));
    CHECK(attribute_of(held(), "one more").empty());
  });
}

TEST_CASE("S3-AP2: an email belongs to one player, and is free when that player changes it") {
  each([](Twins& twins, const People& name) {
    const std::string mail = name("alice@x.com");
    CHECK(twins.get<bool>(save(name("a"), "anna", mail)));
    CHECK(verdict(twins.ask(save(name("b"), "bob", mail))) == "taken");
    (void)twins.ask(request::ReadPlayer{name("b")});
    CHECK(twins.get<bool>(save(name("a"), {}, name("other@x.com"))));
    CHECK(twins.get<bool>(save(name("b"), "bob", mail)));
    CHECK(twins.get<bool>(save(name("b"), "bob", mail)));
    CHECK(verdict(twins.ask(save(name("a"), "anna", mail))) == "taken");
    (void)twins.ask(request::ReadPlayer{name("a")});
    (void)twins.ask(request::ReadPlayerByEmail{mail});
  });
}

TEST_CASE("S3-AP2: if several players save one email at once on two servers, one of them has it") {
  each([](Twins& twins, const People& name) {
    for (int round = 0; round < 5; ++round) {
      const std::string mail = name("m") + std::to_string(round);
      std::vector<Request> requests;
      for (int i = 0; i < 6; ++i) {
        requests.emplace_back(save(name(fmt::format("{} {}", round, i)), "n", mail));
      }
      int saved = 0;
      for (const Result<Value>& answer : ask_at_once(twins, requests)) {
        saved += answer ? 1 : 0;
        if (!answer) CHECK(verdict(answer) == "taken");
      }
      CHECK(saved == 1);
      const Result<Value> found = twins.ask_candidate(request::ReadPlayerByEmail{mail});
      CHECK(std::get<std::optional<OwnedProfile>>(*found)->email == mail);
    }
  });
}

TEST_CASE("S3-24: created_at never changes, and every change moves updated_at forward only") {
  each([](Twins& twins, const People& name) {
    CHECK(twins.get<bool>(save(name("a"), {})));
    (void)twins.ask(request::ReadPlayer{name("a")});
    for (const Time step : {kSecond, Time{0}, -10 * kSecond, 20 * kSecond}) {
      twins.now += step;
      CHECK(twins.get<bool>(save(name("a"), std::to_string(step))));
      (void)twins.ask(request::ReadPlayer{name("a")});
      CHECK(twins.get<bool>(save(name("a"), std::to_string(step))));
      (void)twins.ask(request::ReadPlayer{name("a")});
    }
  });
}

TEST_CASE("invalid players and sessions are refused and change nothing") {
  each([](Twins& twins, const People& name) {
    const std::string longest(255, 'x');
    CHECK(verdict(twins.ask(save("", "n"))) == "bad_player");
    CHECK(verdict(twins.ask(save(std::string("a\0b", 3), "n"))) == "bad_player");
    for (const std::string& text : {std::string(), longest + "x"}) {
      CHECK(verdict(twins.ask(save(name("a"), text))) == "bad_data");
      CHECK(verdict(twins.ask(save(name("a"), {}, text))) == "bad_data");
    }
    (void)twins.ask(request::ReadPlayer{name("a")});
    Ids ids;
    CHECK(verdict(twins.ask(played(name("a"), "", 1, ids.next()))) == "bad_data");
    CHECK(verdict(twins.ask(played("", "g", 1, ids.next()))) == "bad_player");
    CHECK(verdict(twins.ask(played(name("a"), "g", 1, "no ulid"))) == "bad_data");
    CHECK(verdict(twins.ask(played(name("a"), "g", NAN, ids.next()))) == "not_finite");
    request::RecordSession negative = played(name("a"), "g", 1, ids.next());
    negative.seconds = -1;
    CHECK(verdict(twins.ask(negative)) == "out_of_range");
    (void)twins.ask(request::ReadPlayer{name("a")});
  });
}

TEST_CASE("S3-20, S3-21: ids, names, emails and games may be any bytes, and stay distinct") {
  each([](Twins& twins, const People& name) {
    Ids ids;
    const std::vector<std::string> odd = {"x",        "EMAIL#x",  "PLAYER#x",     "a#b",
                                          "a",        "\xff\xfe", "\xef\x9c\xa3", "é",
                                          "SESSION#", "PROFILE",  "\x01",         "x/#"};
    for (const std::string& id : odd) {
      CHECK(twins.get<bool>(save(name(id), id, name("mail " + id))));
      request::RecordSession session = played(name(id), name("game " + id), 1, ids.next());
      session.data = std::string("\0\xff", 2);
      (void)twins.ask(session);
    }
    for (const std::string& id : odd) {
      (void)twins.ask(request::ReadPlayer{name(id)});
      (void)twins.ask(request::ReadPlayerByEmail{name("mail " + id)});
      (void)twins.ask(request::SessionsOf{name(id), 10, {}});
      (void)twins.ask(request::SessionsIn{name("game " + id), 10, {}});
    }
  });
}

TEST_CASE("S3-AP6, S3-AP7: sessions of a player and of a game are listed newest first, in pages") {
  each([](Twins& twins, const People& name) {
    Ids ids;
    std::vector<std::string> made;
    for (int i = 0; i < 12; ++i) {
      made.push_back(ids.next());
      const std::string game = i % 3 == 0 ? name("snake") : name("tetris");
      (void)twins.ask(played(i % 2 == 0 ? name("a") : name("b"), game, i, made.back()));
    }
    for (const std::string_view player : {"a", "b", "nobody"}) {
      for (const std::size_t limit : {0U, 1U, 2U, 100U}) {
        (void)twins.ask(request::SessionsOf{name(player), limit, {}});
      }
    }
    std::vector<std::optional<std::string>> ends = {made[5],
                                                    made[0],
                                                    made[11],
                                                    "",
                                                    "0",
                                                    "zzz",
                                                    "~",
                                                    "\xff",
                                                    made[5] + "0",
                                                    made[5].substr(0, 9),
                                                    made[5] + "\xff",
                                                    std::string(300, '0')};
    for (const auto& before : ends) {
      (void)twins.ask(request::SessionsOf{name("a"), 3, before});
      (void)twins.ask(request::SessionsIn{name("tetris"), 3, before});
    }
    (void)twins.ask(request::SessionsIn{name("tetris"), 100, {}});
    (void)twins.ask(request::SessionsIn{name("snake"), 100, {}});
    (void)twins.ask(request::SessionsIn{"", 100, {}});
  });
}

TEST_CASE("S3-AP8: a session is found by its player and its id, and not by another player's id") {
  each([](Twins& twins, const People& name) {
    Ids ids;
    const std::string id = ids.next();
    (void)twins.ask(played(name("a"), "tetris", 5, id));
    CHECK(twins.get<std::optional<OwnedSession>>(request::ReadSession{name("a"), id}));
    CHECK_FALSE(twins.get<std::optional<OwnedSession>>(request::ReadSession{name("b"), id}));
    CHECK_FALSE(
        twins.get<std::optional<OwnedSession>>(request::ReadSession{name("a"), ids.next()}));
    (void)twins.ask(request::ReadSession{name("a"), "no ulid"});
    (void)twins.ask(request::ReadSession{"", id});
  });
}

TEST_CASE("S3-22: recording a known session id changes nothing, whatever else the request says") {
  each([](Twins& twins, const People& name) {
    Ids ids;
    const std::string id = ids.next();
    for (int i = 0; i < 3; ++i) {
      CHECK(twins.get<std::string>(played(name("a"), "tetris", 5 + i, id)) == id);
    }
    CHECK(twins.get<std::string>(played(name("b"), "snake", 9, id)) == id);
    CHECK(twins.get<std::string>(played("", "", NAN, id)) == id);
    (void)twins.ask(request::ReadSession{name("a"), id});
    (void)twins.ask(request::ReadPlayer{name("a")});
    (void)twins.ask(request::ReadPlayer{name("b")});
  });
}

TEST_CASE("S3-23: sessions sent at once by two servers, many of them twice, count once") {
  each([](Twins& twins, const People& name) {
    constexpr int kSessions = 100;
    Ids ids;
    std::vector<Request> requests;
    std::vector<Request> again;
    for (int i = 0; i < kSessions; ++i) {
      requests.emplace_back(played(name("a"), "tetris", 0.5, ids.next()));
      if (i % 3 == 0) again.push_back(requests.back());
    }
    requests.insert(requests.end(), again.begin(), again.end());
    for (const Result<Value>& answer : ask_at_once(twins, requests)) CHECK(verdict(answer) == "ok");
    const Result<Value> found = twins.ask_candidate(request::ReadPlayer{name("a")});
    const auto& profile = std::get<std::optional<OwnedProfile>>(*found);
    REQUIRE(profile);
    CHECK(profile->games_played == kSessions);
    CHECK(profile->lifetime_score == kSessions / 2.0);
    const Result<Value> listed = twins.ask_candidate(request::SessionsOf{name("a"), 1000, {}});
    CHECK(std::get<std::vector<OwnedSession>>(*listed).size() == kSessions);
  });
}

TEST_CASE("a session without an id gets a new one for its time") {
  each([](Twins& twins, const People& name) {
    request::RecordSession session = played(name("a"), "tetris", 5, "");
    session.id.reset();
    const Result<Value> first = twins.ask_candidate(session);
    const Result<Value> second = twins.ask_candidate(session);
    session.at = 1000;
    const Result<Value> old = twins.ask_candidate(session);
    CHECK(is_ulid(std::get<std::string>(*first)));
    CHECK(std::get<std::string>(*first) < std::get<std::string>(*second));
    CHECK(std::get<std::string>(*old) < std::get<std::string>(*first));
    const Result<Value> read =
        twins.ask_candidate(request::ReadSession{name("a"), std::get<std::string>(*first)});
    CHECK(std::get<std::optional<OwnedSession>>(*read)->at == twins.now);
  });
}

TEST_CASE("S3-AP5: the boards of a player are those that rank the player now") {
  each([](Twins& twins, const People& name) {
    const std::string alice = name("alice");
    const auto submit = [&](const std::string& player, double score) {
      request::Write write;
      write.what = {.player = player, .score = score, .data = {}, .at = 5};
      (void)twins.ask(std::move(write));
    };
    (void)twins.ask(request::ScoresOf{alice});
    submit(alice, 5);
    submit(name("bob"), 9);
    CHECK(twins.get<std::vector<Registry::ScoreOf>>(request::ScoresOf{alice}).at(0).rank == 2);
    (void)twins.ask(request::Ban{alice, {}});
    (void)twins.ask(request::ScoresOf{alice});
    (void)twins.ask(request::Unban{alice, {}});
    (void)twins.ask(request::ScoresOf{alice});
    (void)twins.ask(request::Reset{});
    (void)twins.ask(request::ScoresOf{alice});
    submit(alice, 6);
    CHECK(twins.get<std::vector<Registry::ScoreOf>>(request::ScoresOf{alice}).at(0).season == 2);
    (void)twins.ask(request::ScoresOf{""});
  });
}

TEST_CASE("a forgotten player has no profile, email or session, and may come back as new") {
  each([](Twins& twins, const People& name) {
    Ids ids;
    const std::string id = ids.next();
    CHECK(twins.get<bool>(save(name("a"), "anna", name("a@x"))));
    (void)twins.ask(played(name("a"), name("tetris"), 5, id));
    for (int i = 0; i < 40; ++i) (void)twins.ask(played(name("a"), name("tetris"), 1, ids.next()));
    (void)twins.ask(played(name("b"), name("tetris"), 2, ids.next()));
    CHECK(twins.get<bool>(request::ForgetPlayer{name("a")}));
    CHECK_FALSE(twins.get<bool>(request::ForgetPlayer{name("a")}));
    CHECK(verdict(twins.ask(request::ForgetPlayer{""})) == "bad_player");
    (void)twins.ask(request::ReadPlayer{name("a")});
    (void)twins.ask(request::ReadPlayerByEmail{name("a@x")});
    (void)twins.ask(request::SessionsOf{name("a"), 10, {}});
    (void)twins.ask(request::SessionsIn{name("tetris"), 10, {}});
    CHECK(twins.get<bool>(save(name("b"), "bea", name("a@x"))));
    (void)twins.ask(played(name("a"), name("tetris"), 7, id));
    (void)twins.ask(request::ReadPlayer{name("a")});
  });
}

}  // namespace laurel
