// One client and the server's rules, message by message.
#include "live/server/connection.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/counting_numbers.h"
#include "live/limits.h"
#include "live/server/publication.h"
#include "live/snapshots.h"

namespace laurel {
namespace {

using test::CountingNumbers;
using test::ladder;

constexpr Time kTick = 50'000;

// A server that records what a connection sends.
class Desk final : public Connection::Host {
 public:
  std::optional<Connection::Admitted> admit(PeerId, std::uint32_t word,
                                            std::string_view secret) override {
    if (!let_in) return std::nullopt;
    shown = {word, std::string(secret)};
    return Connection::Admitted{player, 77, 0, gateway};
  }
  std::optional<CloseReason> take_slot(PeerId, Time) override { return no_slot; }
  void heard(PeerId) override { ++heards; }
  std::optional<std::string> player_of(std::string_view token) override {
    return token == "of ada" ? std::optional<std::string>("ada") : std::nullopt;
  }
  void attached(const std::string&, Publication&) override {}
  PublishedList& list() override { return published; }
  Publication* follow(PeerId, const Around& around) override {
    followed.push_back(around);
    return find(around.board + " around");
  }
  void unfollow(PeerId, const Around& around) override { CHECK(std::erase(followed, around) > 0); }
  bool is_announced(std::string_view) const override { return false; }
  Publication* find(std::string_view board) override {
    const auto found = boards.find(board);
    return found == boards.end() ? nullptr : &found->second;
  }
  void send(PeerId, Channel channel, const MessagePtr& message) override {
    sent.push_back({channel, message});
  }
  Time round_trip(PeerId) const override { return 100'000; }
  ServerStats& counters() override { return stats; }

  void publish(const std::string& board, std::uint64_t version) {
    boards.try_emplace(board, std::make_shared<const Window>(ladder(10, 7, version)), numbers);
  }
  void change(const std::string& board, std::uint64_t version) {
    Window window = ladder(10, 7, version);
    window.entries[0].score += static_cast<double>(version);
    boards.at(board).push(std::make_shared<const Window>(window));
  }

  // The messages of one kind since the last call. Drops all others.
  template <typename Message>
  std::vector<Message> said() {
    kept = std::exchange(sent, {});
    std::vector<Message> out;
    for (const auto& [channel, bytes] : kept) {
      const auto message = decode_server(*bytes, channel);
      REQUIRE(message);
      if (const auto* one = std::get_if<Message>(&*message)) out.push_back(*one);
    }
    return out;
  }

  bool let_in = true;
  std::optional<CloseReason> no_slot;
  std::string player;  // the player of its token
  bool gateway = false;
  PublishedList published{9};
  std::pair<std::uint32_t, std::string> shown;
  int heards = 0;
  std::vector<Around> followed;
  CountingNumbers numbers;
  std::map<std::string, Publication, std::less<>> boards;
  std::vector<std::pair<Channel, MessagePtr>> sent, kept;
  ServerStats stats;
};

// A connection and a clock.
struct TestClient {
  explicit TestClient(Desk& at, bool greet = true) : desk(at), connection(at, 1, 0, 20, 0) {
    if (greet) say(Hello{});
    desk.said<Welcome>();
  }

  std::optional<CloseReason> say(const ClientMessage& message) {
    const bool quick =
        std::holds_alternative<Ping>(message) || std::holds_alternative<Ack>(message);
    return say(encode(message), quick ? Channel::unsequenced : Channel::reliable);
  }
  std::optional<CloseReason> say(const std::string& bytes, Channel channel) {
    return connection.receive(bytes, channel, now);
  }
  std::optional<CloseReason> acknowledge(std::uint32_t stream, std::uint64_t version,
                                         std::uint32_t received) {
    Ack ack;
    ack.count = 1;
    ack.held[0] = {stream, version, received};
    return say(ack);
  }
  // The times, in milliseconds, at which states were sent in the next `ticks` ticks.
  std::vector<Time> sends(int ticks) {
    std::vector<Time> at;
    for (int i = 0; i < ticks; ++i, now += kTick) {
      close_reason = connection.tick(now);
      for (std::size_t k = desk.said<State>().size(); k > 0; --k) at.push_back(now / 1000);
    }
    return at;
  }

  Desk& desk;
  Connection connection;
  Time now = 0;
  std::optional<CloseReason> close_reason;
};

TEST_CASE("hello is answered with a welcome, once") {
  Desk desk;
  TestClient client(desk, false);
  CHECK_FALSE(client.say(Hello{1, 9, ""}));
  const auto welcomes = desk.said<Welcome>();
  REQUIRE(welcomes.size() == 1);
  CHECK(welcomes[0].version == kWireVersionMax);
  CHECK(welcomes[0].interval == 50'000);
  client.say(Hello{});
  CHECK(desk.said<Welcome>().empty());
  CHECK(desk.stats.offences == 1);
}

TEST_CASE(
    "without a common version a client gets an error with the server's range, and is closed") {
  Desk desk;
  TestClient client(desk, false);
  const auto close_reason = client.say(Hello{3, 9, ""});
  REQUIRE(close_reason);
  CHECK(close_reason->reason == Reason::version);
  const auto errors = desk.said<Error>();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].version_min == 1);
  CHECK(errors[0].version_max == 2);
  CHECK(errors[0].sentence ==
        "this server speaks versions 1 to 2 of the protocol, the client 3 to 9");
}

TEST_CASE("a client that says no hello is closed after three seconds") {
  Desk desk;
  TestClient client(desk, false);
  CHECK_FALSE(client.connection.tick(kLiveHelloWithin - 1));
  const auto close_reason = client.connection.tick(kLiveHelloWithin);
  REQUIRE(close_reason);
  CHECK(close_reason->reason == Reason::late);
}

TEST_CASE("any message before hello is an offence, and ten offences end the connection") {
  Desk desk;
  desk.publish("kills", 1);
  TestClient client(desk, false);
  for (int i = 1; i < kLiveOffencesMax; ++i)
    CHECK_FALSE(client.say(Subscribe{"kills", View::top, 10, 0, 0}));
  const auto close_reason = client.say("garbage", Channel::reliable);
  REQUIRE(close_reason);
  CHECK(close_reason->reason == Reason::abuse);
  CHECK(desk.said<Subscribed>().empty());
}

TEST_CASE("a message of more than 640 bytes is an offence") {
  Desk desk;
  TestClient client(desk);
  client.say(std::string(641, '\x05'), Channel::unsequenced);
  CHECK(desk.stats.offences == 1);
}

TEST_CASE("five control messages a second are accepted, after a burst of twenty") {
  Desk desk;
  TestClient client(desk);
  int passed = 1;  // including the hello
  for (; desk.stats.offences == 0; ++passed) client.say(Unsubscribe{"kills"});
  CHECK(passed - 1 == 20);
  client.now += 200'000;
  client.say(Unsubscribe{"kills"});
  CHECK(desk.stats.offences == 1);
  client.say(Unsubscribe{"kills"});
  CHECK(desk.stats.offences == 2);
}

TEST_CASE("a burst of eight kilobytes is accepted, and the next message is an offence") {
  Desk desk;
  TestClient client(desk);
  Time said = 0;
  for (; desk.stats.offences == 0; ++said) client.say(Ping{});
  CHECK(said * 5 >= 8192 - 100);
  CHECK(said * 5 <= 8192);
}

TEST_CASE("at most sixteen subscriptions are accepted, and subscribing again replaces one") {
  Desk desk;
  TestClient client(desk);
  for (int i = 0; i < 16; ++i)
    client.say(Subscribe{"board " + std::to_string(i), View::top, 10, 0, 0});
  client.say(Subscribe{"board 3", View::top, 5, 0, 0});
  CHECK(desk.stats.subscriptions == 16);
  CHECK(desk.said<Error>().size() == 17);  // none of them is published
  client.say(Subscribe{"one more", View::top, 10, 0, 0});
  const auto errors = desk.said<Error>();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].reason == Reason::limit);
  CHECK(desk.stats.offences == 1);
}

TEST_CASE(
    "a client that is not admitted is refused, and an admitted one gets a word for its return") {
  Desk desk;
  desk.let_in = false;
  TestClient client(desk, false);
  const auto close_reason = client.say(Hello{1, 1, ""});
  REQUIRE(close_reason);
  CHECK(close_reason->reason == Reason::refused);
  CHECK(desk.said<Welcome>().empty());
  CHECK(desk.stats.denied == 1);

  desk.let_in = true;
  TestClient other(desk, false);
  CHECK_FALSE(other.say(Hello{1, 1, "0123456789abcdef"}));
  CHECK(desk.shown == std::pair(std::uint32_t{0}, std::string("0123456789abcdef")));
  const auto welcomes = desk.said<Welcome>();
  REQUIRE(welcomes.size() == 1);
  CHECK(welcomes[0].word == 77);
}

TEST_CASE("a client is reported as heard once, with its first message after the welcome") {
  Desk desk;
  TestClient client(desk);
  CHECK(desk.heards == 0);
  client.say(std::string("nonsense"), Channel::reliable);
  CHECK(desk.heards == 0);
  client.say(Ping{1});
  client.say(Ping{2});
  CHECK(desk.heards == 1);
}

TEST_CASE("an admitted client without a slot is sent away, and counted") {
  Desk desk;
  desk.no_slot = CloseReason{Reason::refused, "full"};
  TestClient client(desk, false);
  const auto close_reason = client.say(Hello{});
  REQUIRE(close_reason);
  CHECK(close_reason->reason == Reason::refused);
  CHECK(close_reason->sentence == "full");
  CHECK(desk.said<Welcome>().empty());
  CHECK(desk.stats.denied == 1);
}

TEST_CASE("following without a player is refused") {
  Desk desk;
  desk.publish("kills", 1);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::around, 2, 0, 0});
  const auto errors = desk.said<Error>();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].reason == Reason::nobody);
  CHECK(errors[0].board == "kills");
  CHECK(desk.stats.subscriptions == 0);
  CHECK(desk.followed.empty());
  CHECK(desk.stats.offences == 0);
}

TEST_CASE("the windows around a followed player are sent once looked up, five times a second") {
  Desk desk;
  desk.player = "ada";
  desk.publish("kills", 1);
  {
    TestClient client(desk);
    client.say(Subscribe{"kills", View::around, 2, 0, 0});
    CHECK(desk.followed == std::vector{Around{"kills", "ada", 2}});
    CHECK(desk.said<Subscribed>().empty());
    CHECK(client.sends(3).empty());

    desk.publish("kills around", 5);
    client.connection.looked_up({"kills", "ada", 3},
                                desk.boards.at("kills around"));  // not this one
    CHECK(desk.said<Subscribed>().empty());
    client.connection.looked_up({"kills", "ada", 2}, desk.boards.at("kills around"));
    const auto subscribed = desk.said<Subscribed>();
    REQUIRE(subscribed.size() == 1);
    CHECK(subscribed[0].view == View::around);
    CHECK(subscribed[0].n == 2);
    int sent = 0;
    std::uint64_t version = 5;
    for (int tick = 0; tick < 100; ++tick) {  // five seconds
      desk.change("kills around", ++version);
      const std::size_t now = client.sends(1).size();
      sent += static_cast<int>(now);
      if (now > 0)
        client.acknowledge(subscribed[0].stream, version, static_cast<std::uint32_t>(sent));
    }
    CHECK(sent >= 24);
    CHECK(sent <= 28);
  }
  CHECK(desk.followed.empty());  // the end of the connection ends its follows
}

TEST_CASE(
    "a board may be subscribed and followed; unsubscribing ends both, unpublishing reports once") {
  Desk desk;
  desk.player = "ada";
  desk.publish("kills", 1);
  desk.publish("kills around", 1);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::top, 10, 0, 0});
  client.say(Subscribe{"kills", View::around, 2, 0, 0});
  CHECK(desk.said<Subscribed>().size() == 2);
  client.say(Subscribe{"kills", View::around, 3, 0, 0});
  CHECK(desk.followed == std::vector{Around{"kills", "ada", 3}});
  CHECK(desk.stats.subscriptions == 2);
  client.connection.unpublished("kills");
  CHECK(desk.said<Error>().size() == 1);
  client.say(Unsubscribe{"kills"});
  CHECK(desk.stats.subscriptions == 0);
  CHECK(desk.followed.empty());
}

TEST_CASE("a state is sent at each tick until it is acknowledged, and not after that") {
  Desk desk;
  desk.publish("kills", 1);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::top, 10, 0, 0});
  const auto subscribed = desk.said<Subscribed>();
  REQUIRE(subscribed.size() == 1);
  CHECK(client.sends(2) == std::vector<Time>{0, 50});
  client.acknowledge(subscribed[0].stream, 1, 1);
  CHECK(client.sends(200).empty());
  CHECK_FALSE(client.connection.waiting());
  desk.change("kills", 2);
  client.connection.tick(client.now);
  const auto states = desk.said<State>();
  REQUIRE(states.size() == 1);
  CHECK(states[0].version == 2);
  CHECK(states[0].back == 1);
}

TEST_CASE("unanswered sends are spaced out, and after ten seconds the client is closed as slow") {
  Desk desk;
  desk.publish("kills", 1);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::top, 10, 0, 0});
  const std::vector<Time> at = client.sends(202);
  REQUIRE(client.close_reason);
  CHECK(client.close_reason->reason == Reason::slow);
  CHECK(at.size() <= 40 + 9);
  CHECK(at.size() >= 20 + 7);
  CHECK(at.back() - at[at.size() - 2] >= 1000);
  CHECK(std::count_if(at.begin(), at.end(), [](Time t) { return t >= 2000; }) <= 9);
}

TEST_CASE("any answer, even a stale one, and any ping restarts sending at once") {
  Desk desk;
  desk.publish("kills", 5);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::top, 10, 0, 0});
  const std::uint32_t stream = desk.said<Subscribed>().at(0).stream;
  client.sends(45);
  CHECK(client.sends(10).size() <= 1);
  client.say(Ping{1});
  CHECK(client.sends(4).size() == 3);
  client.acknowledge(stream, 4, 1);
  CHECK(client.sends(4).size() >= 2);
}

TEST_CASE("a lower acknowledgement than the last is ignored") {
  Desk desk;
  desk.publish("kills", 1);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::top, 10, 0, 0});
  const std::uint32_t stream = desk.said<Subscribed>().at(0).stream;
  client.connection.tick(client.now);
  desk.change("kills", 2);
  desk.change("kills", 3);
  client.acknowledge(stream, 2, 1);
  client.acknowledge(stream, 1, 1);
  desk.said<State>();
  client.connection.tick(client.now += kTick);
  CHECK(desk.said<State>().at(0).back == 1);  // from 2 to 3
}

TEST_CASE("subscriptions are counted while they exist") {
  Desk desk;
  {
    TestClient client(desk);
    client.say(Subscribe{"a", View::top, 10, 0, 0});
    client.say(Subscribe{"b", View::top, 10, 0, 0});
    client.say(Subscribe{"b", View::top, 5, 0, 0});
    CHECK(desk.stats.subscriptions == 2);
    client.say(Unsubscribe{"a"});
    client.say(Unsubscribe{"a"});
    CHECK(desk.stats.subscriptions == 1);
  }
  CHECK(desk.stats.subscriptions == 0);
}

TEST_CASE("after a resync the whole window is sent") {
  Desk desk;
  desk.publish("kills", 1);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::top, 10, 0, 0});
  const std::uint32_t stream = desk.said<Subscribed>().at(0).stream;
  client.sends(1);
  client.acknowledge(stream, 1, 1);
  client.say(Resync{stream});
  client.connection.tick(client.now += kTick);
  CHECK(desk.said<State>().at(0).back == 0);
  CHECK(desk.stats.resyncs == 1);
}

TEST_CASE("a client that names the version it holds continues from there, within the epoch") {
  Desk desk;
  desk.publish("kills", 1);
  const std::uint64_t epoch = desk.boards.at("kills").epoch();
  const StreamPtr kept = desk.boards.at("kills").stream(1, 10);  // version 1 was sent to a client
  desk.change("kills", 2);
  TestClient client(desk);
  client.say(Subscribe{"kills", View::top, 10, epoch, 1});
  client.connection.tick(client.now);
  CHECK(desk.said<State>().at(0).back == 1);
  client.say(Subscribe{"kills", View::top, 10, epoch, 2});
  client.connection.tick(client.now += kTick);
  CHECK(desk.said<State>().empty());
  client.say(Subscribe{"kills", View::top, 10, epoch + 1, 2});
  client.connection.tick(client.now += kTick);
  CHECK(desk.said<State>().at(0).back == 0);
}

TEST_CASE("the rate halves while less than half arrives, and recovers") {
  Pace pace(20, 0);
  Time now = 0;
  const auto judge = [&](std::uint64_t sent, std::uint64_t received) {
    pace.count_sent(sent);
    pace.count_received(received);
    pace.judge(now += kLivePaceWindow, 100'000);
    return pace.rate();
  };
  CHECK(judge(40, 38) == 20);
  CHECK(judge(40, 20) == 20);
  CHECK(judge(40, 15) == 10);
  for (int i = 0; i < 10; ++i) judge(20, 0);
  CHECK(pace.rate() == 1);
  CHECK(judge(2, 2) == 2);
  for (int i = 0; i < 10; ++i) judge(20, 20);
  CHECK(pace.rate() == 20);
  CHECK(judge(0, 0) == 20);  // nothing was sent, so nothing was lost
}

}  // namespace
}  // namespace laurel
