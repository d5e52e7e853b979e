#include "remote/dynamodb/net/client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

constexpr std::string_view kVersion = "DynamoDB_20120810.";
constexpr std::string_view kException = "Exception";
constexpr std::string_view kConditionFailed = "ConditionalCheckFailed";
constexpr std::size_t kWordBytesShown = 64;
constexpr std::size_t kMessageBytesShown = 120;

template <std::size_t n>
bool is_among(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Temporary errors. Engines spell them with and without "Exception".
constexpr std::array<std::string_view, 9> kPassing = {
    "ProvisionedThroughputExceeded", "Throttling",          "ThrottlingError",
    "RequestLimitExceeded",          "InternalServerError", "InternalServer",
    "TransactionInProgress",         "TransactionConflict", "ServiceUnavailable"};
constexpr std::array<std::string_view, 7> kNotLetIn = {
    "ExpiredToken",        "UnrecognizedClient",         "AccessDenied",        "InvalidSignature",
    "IncompleteSignature", "MissingAuthenticationToken", "InvalidClientTokenId"};

// "com.amazonaws.dynamodb.v20120810#ThrottlingException" -> "Throttling"
std::string error_word(const Json& body) {
  const Json* type = member(body, "__type");
  const auto* text = type == nullptr ? nullptr : type->get_ptr<const std::string*>();
  if (text == nullptr) return "";
  std::string word = text->substr(text->find('#') + 1);
  if (word.ends_with(kException)) word.resize(word.size() - kException.size());
  return escaped(word, kWordBytesShown);
}

std::string message_of(const Json& body) {
  for (const char* name : {"message", "Message"}) {
    const Json* message = member(body, name);
    const auto* text = message == nullptr ? nullptr : message->get_ptr<const std::string*>();
    if (text != nullptr) return escaped(*text, kMessageBytesShown);
  }
  return "";
}

std::vector<std::string> reasons_of(const Json& body) {
  std::vector<std::string> words;
  const Json* reasons = member(body, "CancellationReasons");
  if (reasons == nullptr || !reasons->is_array()) return words;
  for (const Json& reason : *reasons) {
    const Json* code = member(reason, "Code");
    const auto* text = code == nullptr ? nullptr : code->get_ptr<const std::string*>();
    words.push_back(text == nullptr ? "" : *text);
  }
  return words;
}

std::string new_token() { return fmt::format("{:016x}{:016x}", random_u64(), random_u64()); }

}  // namespace

bool Reply::failed(std::size_t part) const {
  return part < reasons.size() && reasons[part] == kConditionFailed;
}

struct Client::Post {
  Client& client;
  std::string target;
  std::string body;
  Time timeout;
  HttpAnswer answer;

  bool await_ready() {
    if (!client.http_.is_full()) return false;
    answer.error = fmt::format("{} calls wait for it, the most allowed", kDynamoCallsMax);
    return true;
  }
  void await_suspend(std::coroutine_handle<> waiting) {
    client.http_.post(target, std::move(body), timeout, [this, waiting](HttpAnswer came) {
      answer = std::move(came);
      waiting.resume();
    });
  }
  HttpAnswer await_resume() { return std::move(answer); }
};

Client::Client(Place place)
    : place_(place),
      http_(std::move(place)),
      chance_(static_cast<std::minstd_rand::result_type>(random_u64())) {}

Client::Pause Client::pause(Time how_long) { return {*this, steady_now() + how_long}; }

Client::Pause Client::back_off(int n) {
  const Time whole = std::min(kDynamoRetryMax, kDynamoRetryMin << std::min(n, 16));
  return pause(std::uniform_int_distribution<Time>(whole / 4, whole)(chance_));
}

void Client::turn(Time at_most) {
  if (!pauses_.empty()) {
    at_most = std::clamp<Time>(pauses_.begin()->first - steady_now(), 0, at_most);
  }
  http_.turn(at_most);
  const Time now = steady_now();
  while (!pauses_.empty() && pauses_.begin()->first <= now) {
    const std::coroutine_handle<> waiting = pauses_.begin()->second;
    pauses_.erase(pauses_.begin());
    waiting.resume();
  }
}

void Client::answered(Time took) {
  constexpr Time kShare = 8;  // weight of the mean: the newest counts 1/8
  round_trip_ = round_trip_ == 0 ? took : round_trip_ + (took - round_trip_) / kShare;
  down_.clear();
}

// The beginning of an answer that is not DynamoDB's, such as the page of a proxy.
std::string Client::shown(const HttpAnswer& answer) const {
  const std::string& body = answer.body;
  const Credentials& own = place_.credentials;
  const auto quotes = [&](const std::string& secret) {
    return !secret.empty() && body.find(secret) != std::string::npos;
  };
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || quotes(own.key) || quotes(own.secret) || quotes(own.session)) {
    return fmt::format("HTTP status {}", answer.status);
  }
  return fmt::format("HTTP status {}: {}", answer.status,
                     escaped(std::string_view(body).substr(begin), kMessageBytesShown));
}

Client::Next Client::judge_error(const HttpAnswer& answer, const Json& body, Reply& reply,
                                 std::string& why) {
  const std::string word = error_word(body);
  if (word == kConditionFailed) {
    answered(answer.took);
    reply.condition = true;
    return Next::done;
  }
  if (word == "TransactionCanceled") {
    answered(answer.took);
    reply.reasons = reasons_of(body);
    const auto& reasons = reply.reasons;
    if (std::find(reasons.begin(), reasons.end(), kConditionFailed) != reasons.end()) {
      reply.condition = true;
      return Next::done;
    }
    const bool passes = std::all_of(reasons.begin(), reasons.end(), [](const std::string& reason) {
      return reason == "None" || is_among(reason, kPassing);
    });
    why = "other transactions on the same items";
    if (passes) return Next::again;
    reply.refusal =
        Refusal(Code::unavailable, "DynamoDB refused a transaction: {}", message_of(body));
    return Next::done;
  }
  if (is_among(word, kNotLetIn)) {
    down_ = fmt::format("DynamoDB rejects these credentials: {}", word);
    reply.refusal = Refusal(Code::unavailable, "{}", down_);
    return Next::done;
  }
  if (word == "ResourceNotFound") {
    down_ = fmt::format("there is no table \"{}\" in {}", place_.table, place_.region);
    reply.refusal = Refusal(Code::unavailable, "{}", down_);
    reply.missing = true;
    return Next::done;
  }
  if (word.empty()) {
    why = shown(answer);
    return Next::again_after_failure;
  }
  if (answer.status >= 500 || answer.status == 429 || is_among(word, kPassing)) {
    const std::string message = message_of(body);
    why = message.empty() ? word : fmt::format("{}: {}", word, message);
    return Next::again_after_failure;
  }
  reply.refusal =
      Refusal(Code::unavailable, "DynamoDB refused a call: {} {}", word, message_of(body));
  return Next::done;
}

Client::Next Client::judge(const HttpAnswer& answer, bool transaction, Reply& reply,
                           std::string& why) {
  if (answer.status == 0) {
    reply.unknown = reply.unknown || (transaction && answer.sent);
    why = answer.error;
    down_ = fmt::format("DynamoDB does not answer: {}", answer.error);
    return Next::again;
  }
  Json body = Json::parse(answer.body, nullptr, false);
  if (answer.status == 200 && body.is_object()) {
    answered(answer.took);
    reply.body = std::move(body);
    return Next::done;
  }
  reply.unknown = reply.unknown || (transaction && (answer.status >= 500 || answer.status == 200));
  return judge_error(answer, body, reply, why);
}

Task<Reply> Client::call(const char* operation, Json arguments, Time deadline) {
  const bool transaction = std::string_view(operation) == "TransactWriteItems";
  if (transaction) arguments["ClientRequestToken"] = new_token();
  const bool about_table = arguments.empty() || arguments.contains("Key") ||
                           arguments.contains("Item") ||
                           arguments.contains("KeyConditionExpression");
  if (about_table) arguments["TableName"] = place_.table;
  const std::string target = std::string(kVersion) + operation;
  const std::string body = arguments.dump(-1, ' ', false, Json::error_handler_t::replace);
  Reply reply;
  std::string why = "the deadline had passed";
  Next next = Next::again;
  for (int tries = 0;; ++tries) {
    const Time left = deadline - steady_now();
    if (left <= 0) break;
    ++calls_;
    Post post{*this, target, body, std::min(left, kDynamoCallTimeout), {}};
    const HttpAnswer answer = co_await post;
    next = judge(answer, transaction, reply, why);
    if (next == Next::done) {
      if (reply.ok() || reply.condition) reply.unknown = false;
      co_return reply;
    }
    if (next == Next::again_after_failure && !down_.empty()) down_ = "DynamoDB answers " + why;
    co_await back_off(tries);
  }
  if (next == Next::again_after_failure) down_ = "DynamoDB answers " + why;
  reply.refusal =
      reply.unknown
          ? Refusal(Code::unavailable, "outcome unknown: DynamoDB did not answer: {}", why)
          : Refusal(Code::unavailable, "DynamoDB did not answer in time: {}", why);
  co_return reply;
}

Task<Reply> Client::transact(Transaction& parts, Time deadline) {
  return call("TransactWriteItems", parts.arguments(place_.table), deadline);
}

Task<Reply> Client::query(Json arguments, Json& next, Time deadline) {
  if (!next.is_null()) arguments["ExclusiveStartKey"] = next;
  Reply reply = co_await call("Query", std::move(arguments), deadline);
  const Json* last = member(reply.body, "LastEvaluatedKey");
  next = last == nullptr ? Json() : *last;
  co_return reply;
}

Task<Status> Client::query_all(Json arguments, Time deadline, const VisitPage& visit) {
  Json next;
  do {
    Json page = arguments;
    const Reply reply = co_await query(std::move(page), next, deadline);
    if (reply.refusal) co_return *reply.refusal;
    visit(reply.body);
  } while (!next.is_null());
  co_return Done{};
}

Task<Reply> Client::get_all(std::vector<Json> keys, Time deadline) {
  Reply whole;
  Json items = Json::array();
  std::size_t next = 0;
  for (int tries = 0; next < keys.size();) {
    const std::size_t end = std::min(keys.size(), next + kDynamoGetMax);
    Json wanted;
    wanted["ConsistentRead"] = true;
    wanted["Keys"] = Json(std::vector<Json>(keys.begin() + static_cast<std::ptrdiff_t>(next),
                                            keys.begin() + static_cast<std::ptrdiff_t>(end)));
    Json arguments;
    arguments["RequestItems"][place_.table] = std::move(wanted);
    Reply reply = co_await call("BatchGetItem", std::move(arguments), deadline);
    if (!reply.ok()) co_return reply;
    if (const Json* came = member(reply.body, "Responses")) {
      if (const Json* of_table = member(*came, place_.table.c_str())) {
        for (const Json& item : *of_table) items.push_back(item);
      }
    }
    next = end;
    const Json* rest = member(reply.body, "UnprocessedKeys");
    const Json* of_table = rest == nullptr ? nullptr : member(*rest, place_.table.c_str());
    const Json* left = of_table == nullptr ? nullptr : member(*of_table, "Keys");
    if (left == nullptr || left->empty()) {
      tries = 0;
      continue;
    }
    for (const Json& key : *left) keys.push_back(key);
    co_await back_off(tries++);
  }
  whole.body["Items"] = std::move(items);
  co_return whole;
}

Task<Reply> Client::write_all(std::vector<Json> requests, Time deadline) {
  Reply whole;
  std::size_t next = 0;
  for (int tries = 0; next < requests.size();) {
    const std::size_t end = std::min(requests.size(), next + kDynamoWriteMax);
    Json arguments;
    arguments["RequestItems"][place_.table] =
        Json(std::vector<Json>(requests.begin() + static_cast<std::ptrdiff_t>(next),
                               requests.begin() + static_cast<std::ptrdiff_t>(end)));
    Reply reply = co_await call("BatchWriteItem", std::move(arguments), deadline);
    if (!reply.ok()) co_return reply;
    next = end;
    const Json* rest = member(reply.body, "UnprocessedItems");
    const Json* left = rest == nullptr ? nullptr : member(*rest, place_.table.c_str());
    if (left == nullptr || left->empty()) {
      tries = 0;
      continue;
    }
    for (const Json& sent : *left) requests.push_back(sent);
    co_await back_off(tries++);
  }
  co_return whole;
}

}  // namespace laurel::dynamodb
