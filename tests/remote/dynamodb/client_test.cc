// Calls to a server that throttles, fails, is slow and hangs up.
#include "remote/dynamodb/net/client.h"

#include <algorithm>
#include <map>
#include <optional>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
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
