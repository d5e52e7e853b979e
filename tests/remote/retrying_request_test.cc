// One request at a time, and the pauses between failures.
#include "remote/core/retrying_request.h"

#include <doctest/doctest.h>

#include "remote/limits.h"
#include "servers.h"

namespace laurel {

namespace {

struct Asker {
  Asker() { requests.begin(*fixture.registry); }

  void send(std::string player = "ann") {
    request.send(remote, Target(), request::Held{std::move(player)}, requests.deadline(),
                 [this](const Result<Value>& value) { answers.push_back(outcome(value)); });
  }
  void answer() {
    News news;
    remote.backend->take(news);
    requests.answer(std::move(news.answers));
  }
  // How long it is not due after this.
  Time pause() {
    const Time begun = *time.steady;
    while (!request.is_due()) *time.steady += 1'000;
    return *time.steady - begun;
  }
  FakeRemote& fake() { return static_cast<FakeRemote&>(*remote.backend); }

  SharedTime time;
  Fixture fixture;
  NamedRemote remote{
      "main", std::make_unique<FakeRemote>(std::make_shared<FakeStore>(), 1, time.steady_clock())};
  PendingRequests requests{time.steady_clock(), kRemoteTimeout};
  RetryingRequest request{requests};
  std::vector<std::string> answers;
};

}  // namespace

TEST_CASE("a request is due again when its answer has come") {
  Asker asker;
  CHECK(asker.request.is_due());
  asker.send();
  CHECK(asker.request.is_pending());
  CHECK_FALSE(asker.request.is_due());
  asker.answer();
  CHECK(asker.answers.size() == 1);
  CHECK(asker.request.is_due());
}

TEST_CASE("each failure doubles the pause up to the maximum, and a success ends that") {
  Asker asker;
  for (Time pause = kRemoteRetryMin; pause < kRemoteRetryMax; pause *= 2) {
    asker.request.fail();
    CHECK(asker.pause() == pause);
  }
  for (int i = 0; i < 3; ++i) {
    asker.request.fail();
    CHECK(asker.pause() == kRemoteRetryMax);
  }
  asker.request.succeed();
  CHECK(asker.request.is_due());
  asker.request.fail();
  CHECK(asker.pause() == kRemoteRetryMin);
}

TEST_CASE("a success does not cut short a pause that has begun") {
  Asker asker;
  asker.request.fail();
  asker.request.succeed();
  CHECK(asker.pause() == kRemoteRetryMin);
}

TEST_CASE("a pause that is no failure does not change the next one") {
  Asker asker;
  asker.request.wait(10 * kSecond);
  CHECK(asker.pause() == 10 * kSecond);
  asker.request.wait(0);
  CHECK(asker.request.is_due());
  asker.request.fail();
  CHECK(asker.pause() == kRemoteRetryMin);
}

TEST_CASE("the longest pause can be set") {
  Asker asker;
  RetryingRequest patient(asker.requests, 10 * kSecond);
  for (int i = 0; i < 20; ++i) patient.fail();
  *asker.time.steady += 10 * kSecond - 1;
  CHECK_FALSE(patient.is_due());
  *asker.time.steady += 1;
  CHECK(patient.is_due());
}

TEST_CASE("a request that is cancelled, replaced or destroyed is not answered") {
  Asker asker;
  asker.send();
  asker.request.cancel();
  CHECK(asker.request.is_due());
  asker.answer();
  CHECK(asker.answers.empty());

  asker.send("bob");
  asker.send("eve");
  CHECK(asker.requests.size() == 1);
  asker.answer();
  CHECK(asker.answers.size() == 1);

  bool answered = false;
  {
    RetryingRequest brief(asker.requests);
    brief.send(asker.remote, Target(), request::Held{"ann"}, asker.requests.deadline(),
               [&](const Result<Value>&) { answered = true; });
  }
  CHECK(asker.requests.size() == 0);
  asker.answer();
  CHECK_FALSE(answered);
}

TEST_CASE("a callback may send the next request") {
  Asker asker;
  asker.request.send(asker.remote, Target(), request::Held{"ann"}, asker.requests.deadline(),
                     [&](const Result<Value>&) { asker.send("bob"); });
  asker.answer();
  CHECK(asker.request.is_pending());
  asker.answer();
  CHECK(asker.answers.size() == 1);
}

TEST_CASE("a callback may destroy its own request") {
  Asker asker;
  auto own = std::make_unique<RetryingRequest>(asker.requests);
  own->send(asker.remote, Target(), request::Held{"ann"}, asker.requests.deadline(),
            [&](const Result<Value>&) { own.reset(); });
  asker.answer();
  CHECK(own == nullptr);
}

TEST_CASE("a request ends at its deadline") {
  Asker asker;
  asker.fake().stall(true);
  asker.send();
  *asker.time.steady += kRemoteTimeout - 1;
  asker.answer();
  CHECK(asker.request.is_pending());
  *asker.time.steady += 1;
  asker.answer();
  CHECK(asker.answers == std::vector<std::string>{"unavailable: no answer came in time"});
}

}  // namespace laurel
