// rough_line.h - a proxy between a server and the engine that throttles, fails and loses answers;
// and another tool, which reads the table directly.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "remote/dynamodb/net/client.h"
#include "stub_server.h"

namespace laurel::dynamodb {

inline Place place_at(const std::string& endpoint) {
  laurel::dynamodb::Place place;
  place.region = "eu-west-1";
  place.table = "unused";
  place.endpoint = endpoint;
  place.local = true;
  place.credentials = {"local", "local", ""};
  return place;
}

// A proxy between a server and the engine. It throttles or fails a few percent of the calls, and
// loses some answers after the engine has acted.
class RoughLine {
 public:
  RoughLine(const std::string& endpoint, std::uint64_t seed)
      : random_(seed),
        http_(place_at(endpoint)),
        server_([this](const StubCall& call, std::size_t) { return answer(call); }) {}

  const StubServer& server() const { return server_; }
  std::atomic<bool> rough = true;
  std::atomic<int> lost = 0;
  std::atomic<int> throttled = 0;
  // Called once, before the next write reaches the engine, as another server's action. Set it only
  // while no request is in flight.
  std::function<void()> before_write;

 private:
  StubAnswer answer(const StubCall& call) {
    if (before_write && call.operation == "TransactWriteItems") {
      std::exchange(before_write, nullptr)();
    }
    const int chance = rough ? static_cast<int>(random_() % 100) : 100;
    if (chance < 5) {
      ++throttled;
      return {.status = 400, .body = R"({"__type":"x#ThrottlingException","message":"slow down"})"};
    }
    if (chance < 8) return {.status = 500, .body = R"({"__type":"x#InternalServerError"})"};
    std::optional<HttpAnswer> came;
    http_.post("DynamoDB_20120810." + call.operation, call.body, 10 * kSecond,
               [&](HttpAnswer answer) { came = std::move(answer); });
    while (!came) http_.turn(kSecond);
    if (chance < 14) {
      ++lost;
      return {.hangs_up = true};
    }
    return {.status = came->status == 0 ? 500 : came->status, .body = came->body};
  }

  std::minstd_rand random_;
  Http http_;
  StubServer server_;
};

inline std::string url_through(const std::string& url, const StubServer& server) {
  return url.substr(0, url.find("endpoint=")) + "endpoint=" + server.endpoint();
}

class OtherTool {
 public:
  // The table of a fresh_url().
  OtherTool(const std::string& endpoint, const std::string& url)
      : client_(place_of(endpoint, url)) {}

  // Runs one operation, requires its success, and returns the answer.
  Json run(const char* operation, Json arguments) {
    std::optional<Reply> reply;
    const auto keep = [](Task<Reply> task, std::optional<Reply>& out) -> Task<bool> {
      out.emplace(co_await task);
      co_return true;
    };
    Task<bool> task =
        keep(client_.call(operation, std::move(arguments), steady_now() + 20 * kSecond), reply);
    task.start();
    while (!task.done()) client_.turn(100'000);
    REQUIRE(reply->ok());
    return reply->body;
  }
  Json item(std::string_view pk, std::string_view sk) {
    Json wanted;
    wanted["Key"] = {{"PK", text_value(pk)}, {"SK", text_value(sk)}};
    const Json answer = run("GetItem", std::move(wanted));
    return answer.contains("Item") ? answer["Item"] : Json();
  }
  Json of_index(std::string_view key) {
    Json query;
    query["IndexName"] = "GSI1";
    query["KeyConditionExpression"] = "GSI1PK = :key";
    query["ExpressionAttributeValues"] = {{":key", text_value(key)}};
    return run("Query", std::move(query))["Items"];
  }
  const std::string& table() const { return client_.place().table; }

 private:
  static Place place_of(const std::string& endpoint, const std::string& url) {
    Place place = place_at(endpoint);
    place.table = url.substr(url.find("/t") + 1, 17);
    return place;
  }

  Client client_;
};

}  // namespace laurel::dynamodb
