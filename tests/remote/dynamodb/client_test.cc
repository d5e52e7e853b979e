// Calls to a server that throttles, fails, is slow and hangs up.
#include "remote/dynamodb/net/client.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "remote/limits.h"
#include "sender.h"
#include "stub_server.h"

namespace laurel::dynamodb {

namespace {

Place place_of(const StubServer& server, const char* session = "") {
  Place place;
  place.region = "eu-west-1";
  place.table = "table";
  place.endpoint = server.endpoint();
  place.local = true;
  place.credentials = {"AKID", "hunter2", session};
  return place;
}

Task<bool> keep(Task<Reply> task, std::optional<Reply>& reply) {
  reply.emplace(co_await task);
  co_return true;
}

Reply finish(Client& client, Task<Reply> task) {
  std::optional<Reply> reply;
  Task<bool> whole = keep(std::move(task), reply);
  whole.start();
  while (!whole.done()) client.turn(100'000);
  return std::move(*reply);
}

Time soon(Time within = 10 * kSecond) { return steady_now() + within; }

StubAnswer error(int status, const std::string& type, const std::string& more = "") {
  return {
      .status = status,
      .body = fmt::format(R"({{"__type":"com.amazonaws.dynamodb.v20120810#{}"{}}})", type, more)};
}

}  // namespace

TEST_CASE("calls that the service throttles or fails internally are sent again") {
  StubServer server([](const StubCall&, std::size_t number) -> StubAnswer {
    switch (number) {
      case 0: return error(400, "ProvisionedThroughputExceededException");
      case 1: return error(400, "ThrottlingException");
      case 2: return error(400, "RequestLimitExceeded");
      case 3: return error(500, "InternalServerError");
      case 4: return {.status = 503, .body = "<html>"};
      case 5: return {.hangs_up = true};
      default: return {.body = R"({"Count":7})"};
    }
  });
  Client client(place_of(server));
  const Reply reply = finish(client, client.call("Query", Json::object(), soon()));
  REQUIRE(reply.ok());
  CHECK(reply.body["Count"] == 7);
  CHECK(server.calls().size() == 7);
  CHECK(client.down().empty());
}

TEST_CASE("calls are signed, and reuse their connection") {
  StubServer server([](const StubCall&, std::size_t) { return StubAnswer(); });
  Client client(place_of(server, "session-token"));
  for (int i = 0; i < 5; ++i) {
    REQUIRE(finish(client, client.call("DescribeTable", Json::object(), soon())).ok());
  }
  CHECK(server.connections() == 1);
  const std::string head = server.calls().front().head;
  CHECK(head.find("Authorization: AWS4-HMAC-SHA256 Credential=AKID/") != std::string::npos);
  CHECK(head.find("/eu-west-1/dynamodb/aws4_request") != std::string::npos);
  CHECK(head.find("x-amz-security-token") != std::string::npos);
  CHECK(head.find("hunter2") == std::string::npos);
  CHECK(server.calls().front().operation == "DescribeTable");
}

TEST_CASE("a transaction that is sent again carries the same token") {
  StubServer server([](const StubCall&, std::size_t number) -> StubAnswer {
    if (number == 0) return {.hangs_up = true};
    if (number == 1) {
      return error(400, "TransactionCanceledException",
                   R"(,"CancellationReasons":[{"Code":"TransactionConflict"},{"Code":"None"}])");
    }
    return {};
  });
  Client client(place_of(server));
  const Reply reply = finish(client, client.call("TransactWriteItems", Json::object(), soon()));
  CHECK(reply.ok());
  const std::vector<StubCall> calls = server.calls();
  REQUIRE(calls.size() == 3);
  const Json first = Json::parse(calls[0].body);
  CHECK(first["ClientRequestToken"].get<std::string>().size() == 32);
  CHECK(Json::parse(calls[2].body)["ClientRequestToken"] == first["ClientRequestToken"]);
}

TEST_CASE("a condition that is not met is reported with its index, and is not an error") {
  StubServer server([](const StubCall&, std::size_t) {
    return error(400, "TransactionCanceledException",
                 R"(,"CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed"}])");
  });
  Client client(place_of(server));
  const Reply reply = finish(client, client.call("TransactWriteItems", Json::object(), soon()));
  CHECK(reply.condition);
  CHECK_FALSE(reply.refusal);
  REQUIRE(reply.reasons.size() == 2);
  CHECK(reply.reasons[1] == "ConditionalCheckFailed");
}

TEST_CASE("a transaction without an answer has an unknown outcome, a read does not") {
  StubServer server([](const StubCall&, std::size_t) { return StubAnswer{.silent = true}; });
  Client client(place_of(server));
  const Reply write =
      finish(client, client.call("TransactWriteItems", Json::object(), soon(300'000)));
  REQUIRE(write.refusal);
  CHECK(write.unknown);
  CHECK(write.refusal->text().starts_with("unavailable: outcome unknown"));
  const Reply read = finish(client, client.call("Query", Json::object(), soon(300'000)));
  REQUIRE(read.refusal);
  CHECK_FALSE(read.unknown);
  CHECK_FALSE(client.down().empty());
}

TEST_CASE("a transaction that was only throttled was not applied") {
  StubServer server([](const StubCall&, std::size_t) { return error(400, "ThrottlingException"); });
  Client client(place_of(server));
  const Reply reply =
      finish(client, client.call("TransactWriteItems", Json::object(), soon(300'000)));
  REQUIRE(reply.refusal);
  CHECK_FALSE(reply.unknown);
}

TEST_CASE("a server that cannot be reached is reported as down at once") {
  Place place;
  {
    StubServer server([](const StubCall&, std::size_t) { return StubAnswer(); });
    place = place_of(server);
  }
  Client client(place);
  const Reply reply =
      finish(client, client.call("TransactWriteItems", Json::object(), soon(200'000)));
  REQUIRE(reply.refusal);
  CHECK_FALSE(reply.unknown);
  CHECK(client.down().starts_with("DynamoDB does not answer"));
}

TEST_CASE("refused credentials are reported without the service's text") {
  StubServer server([](const StubCall&, std::size_t) {
    return error(400, "ExpiredTokenException", R"(,"message":"token session-token expired")");
  });
  Client client(place_of(server, "session-token"));
  const Reply reply = finish(client, client.call("Query", Json::object(), soon()));
  REQUIRE(reply.refusal);
  CHECK(server.calls().size() == 1);
  CHECK(reply.refusal->text().find("ExpiredToken") != std::string_view::npos);
  CHECK(reply.refusal->text().find("session-token") == std::string_view::npos);
  CHECK(client.down().find("session-token") == std::string::npos);
}

TEST_CASE("unprocessed keys and writes are sent again") {
  StubServer server([](const StubCall& call, std::size_t) {
    const Json body = Json::parse(call.body);
    Json answer = Json::object();
    if (call.operation == "BatchGetItem") {
      Json keys = body["RequestItems"]["table"]["Keys"];
      answer["Responses"]["table"] = Json::array({keys[0]});
      keys.erase(0);
      if (!keys.empty()) answer["UnprocessedKeys"]["table"]["Keys"] = keys;
    } else {
      Json writes = body["RequestItems"]["table"];
      writes.erase(0);
      if (!writes.empty()) answer["UnprocessedItems"]["table"] = writes;
    }
    return StubAnswer{.body = answer.dump()};
  });
  Client client(place_of(server));
  std::vector<Json> keys;
  for (int i = 0; i < 4; ++i) keys.push_back({{"PK", text_value(fmt::format("p{}", i))}});
  const Reply got = finish(client, client.get_all(keys, soon()));
  REQUIRE(got.ok());
  CHECK(got.body["Items"].size() == 4);
  const std::size_t before = server.calls().size();
  CHECK(finish(client, client.write_all(keys, soon())).ok());
  CHECK(server.calls().size() == before + 4);
}

TEST_CASE("keys beyond the limit of one call are read in several calls") {
  StubServer server([](const StubCall& call, std::size_t) {
    const Json body = Json::parse(call.body);
    Json answer;
    answer["Responses"]["table"] = body["RequestItems"]["table"]["Keys"];
    return StubAnswer{.body = answer.dump()};
  });
  Client client(place_of(server));
  std::vector<Json> keys;
  for (int i = 0; i < 250; ++i) keys.push_back({{"PK", text_value(fmt::format("p{}", i))}});
  const Reply got = finish(client, client.get_all(keys, soon()));
  REQUIRE(got.ok());
  CHECK(got.body["Items"].size() == 250);
  CHECK(server.calls().size() == 3);
}

TEST_CASE("an answer that is not DynamoDB's is not shown if it quotes the credentials") {
  std::string body = "<p>the key AKID is unknown";
  StubServer server(
      [&](const StubCall&, std::size_t) { return StubAnswer{.status = 403, .body = body}; });
  Client client(place_of(server, "session-token"));
  for (const char* const secret : {"AKID", "hunter2", "session-token"}) {
    body = fmt::format("<p>{} is unknown", secret);
    const Reply reply = finish(client, client.call("Query", Json::object(), soon(kSecond)));
    REQUIRE(reply.refusal);
    CHECK(reply.refusal->text().ends_with("HTTP status 403"));
    CHECK(client.down() == "DynamoDB answers HTTP status 403");
  }
}

TEST_CASE("a call beyond the limit of waiting calls is refused, and the others continue") {
  std::atomic<bool> silent = true;
  StubServer server(
      [&](const StubCall&, std::size_t) { return StubAnswer{.silent = silent.load()}; });
  Client client(place_of(server));
  std::vector<Task<Reply>> waiting;
  for (std::size_t i = 0; i < kDynamoCallsMax; ++i) {
    waiting.push_back(client.call("Query", Json::object(), soon(60 * kSecond)));
    waiting.back().start();
  }
  const Time deadline = soon(kSecond);
  std::optional<Reply> reply;
  Task<bool> refused = keep(client.call("Query", Json::object(), deadline), reply);
  refused.start();
  CHECK(client.down().ends_with("65536 calls wait for it, the most allowed"));
  // Calls that wait may end while the client takes turns. So it takes none before the deadline.
  while (steady_now() <= deadline) std::this_thread::yield();
  while (!refused.done()) client.turn(100'000);
  REQUIRE(reply->refusal);
  CHECK(reply->refusal->text().ends_with("65536 calls wait for it, the most allowed"));
  CHECK_FALSE(reply->unknown);
  silent = false;
  const auto is_done = [](const Task<Reply>& task) { return task.done(); };
  while (std::none_of(waiting.begin(), waiting.end(), is_done)) client.turn(100'000);
}

namespace {

Target unknown_board() { return {.board = "b", .spec = nullptr}; }

StubAnswer page(int status, std::string body) {
  StubAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

std::size_t lines_with(const Sender& sender, std::string_view words) {
  return static_cast<std::size_t>(std::count_if(
      sender.log.begin(), sender.log.end(),
      [&](const std::string& line) { return line.find(words) != std::string::npos; }));
}

}  // namespace

TEST_CASE("what comes in place of an answer is in the state, the refusals and one log line") {
  struct Case {
    StubAnswer answer;
    std::string said;
  };
  const std::string long_page = "<html>" + std::string(1'000'000, 'x');
  for (const Case& each : std::vector<Case>{
           {page(500, ""), "HTTP status 500"},
           {page(503, "\r\n  <html>sorry\x1b[2J\n"), "HTTP status 503: <html>sorry\\x1b[2J\\n"},
           {error(400, "ThrottlingException", R"(,"message":"Rate exceeded")"),
            "Throttling: Rate exceeded"},
           {error(500, "InternalServerError"), "InternalServerError"},
           {page(200, R"({"Table":{"TableStatus":"ACT)"),
            R"(HTTP status 200: {"Table":{"TableStatus":"ACT)"},
           {page(200, long_page), "HTTP status 200: " + long_page.substr(0, 120) + "..."},
           {page(302, "moved"), "HTTP status 302: moved"},
           {page(404, "[]"), "HTTP status 404: []"},
           {page(200, "{}"), "does not give the table's status"},
           {page(200, R"({"Table":{"TableStatus":"CREA\u001bTING"}})"), "CREA\\x1bTING"}}) {
    CAPTURE(each.said);
    std::atomic<bool> well = false;
    StubServer server([&](const StubCall&, std::size_t) {
      return well ? StubAnswer{.body = R"({"Table":{"TableStatus":"ACTIVE"}})"} : each.answer;
    });
    Sender sender(server.url());
    const Time until = steady_now() + 20 * kSecond;
    while (sender.remote->state().down == "not connected yet" && steady_now() < until) {
      poll(nullptr, 0, 1);
    }
    const Result<Value> answer =
        sender.wait(sender.begin(unknown_board(), request::ReadSpec{}, 0, 50'000));
    REQUIRE_FALSE(answer);
    CHECK(answer.refusal().code() == Code::unavailable);
    CHECK(answer.refusal().text().find(each.said) != std::string_view::npos);
    CHECK(sender.remote->state().down.ends_with(each.said));
    CHECK(lines_with(sender, each.said) == 1);
    CHECK(sender.log.size() == 1);
    well = true;
    while (!sender.remote->state().down.empty() && steady_now() < until) poll(nullptr, 0, 1);
    while (sender.log.size() < 2 && steady_now() < until) sender.take();
    CHECK(sender.log.back() == "DynamoDB table \"table\" is up");
  }
}

TEST_CASE("a service that fails in a new way each time writes few log lines") {
  std::atomic<unsigned> calls = 0;
  StubServer server([&](const StubCall&, std::size_t number) {
    ++calls;
    return StubAnswer{.status = 500, .body = fmt::format("failure {}", number)};
  });
  Sender sender(server.url());
  const Time until = steady_now() + 60 * kSecond;
  while (calls <= kRemoteDownLinesPerMinute + 3 && steady_now() < until) poll(nullptr, 0, 1);
  sender.take();
  CHECK(calls > kRemoteDownLinesPerMinute + 3);
  CHECK(sender.log.size() == kRemoteDownLinesPerMinute);
}

TEST_CASE("a service that was up is down when a call has failed until its deadline") {
  std::atomic<int> failures = 0;
  StubServer server([&](const StubCall&, std::size_t) {
    if (failures > 0) {
      --failures;
      return StubAnswer{.status = 500, .body = "oops"};
    }
    return StubAnswer();
  });
  Client client(place_of(server));
  failures = 3;
  REQUIRE(finish(client, client.call("Query", Json::object(), soon())).ok());
  CHECK(client.down().empty());
  failures = 1'000'000;
  CHECK(finish(client, client.call("Query", Json::object(), soon(kSecond))).refusal);
  CHECK(client.down() == "DynamoDB answers HTTP status 500: oops");
  failures = 0;
  REQUIRE(finish(client, client.call("Query", Json::object(), soon())).ok());
  CHECK(client.down().empty());
}

TEST_CASE("a remote whose table cannot be accessed is down, with the reason") {
  StubServer server([](const StubCall&, std::size_t) {
    return error(400, "AccessDeniedException", R"(,"message":"AKID is not authorized")");
  });
  Sender sender(server.url());
  const Target target{.board = "b", .spec = nullptr};
  const Result<Value> answer = sender.wait(sender.begin(target, request::ReadSpec{}, 0, 200'000));
  REQUIRE_FALSE(answer);
  CHECK(answer.refusal().code() == Code::unavailable);
  CHECK(sender.remote->state().down.find("AccessDenied") != std::string::npos);
}

}  // namespace laurel::dynamodb
