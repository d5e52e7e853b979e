// Deletes invisible items: entries of trimmed seasons, and of cleared or dropped boards.
#include <array>
#include <cstdlib>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "remote/dynamodb/boards.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

constexpr std::size_t kSweepRows = 250;  // rows per query; their deletes are 20 calls
constexpr std::string_view kGone = "GONE#";
constexpr std::array<std::string_view, 3> kKept = {"ADMISSION#", "ATTEMPTS#", "POSTS#"};

Json prefix_query(const std::string& pk, std::string_view prefix) {
  Json query;
  query["KeyConditionExpression"] = "PK = :pk AND begins_with(SK, :prefix)";
  query["ExpressionAttributeValues"] = {{":pk", text_value(pk)}, {":prefix", text_value(prefix)}};
  query["ConsistentRead"] = true;
  query["Limit"] = kSweepRows;
  return query;
}

}  // namespace

Json Boards::gone_item(std::string_view board, const Record& record,
                       const std::vector<PastSeason>& gone, bool dropped) const {
  Json item = item_key(home_key(board), fmt::format("{}{:016x}", kGone, random_u64()));
  Json bases = Json::array();
  for (const PastSeason& season : gone) {
    bases.push_back(text_value(record.base_of(board, season)));
  }
  item["bases"] = Json{{"L", std::move(bases)}};
  std::int64_t shards = 0;
  bool sharded = false;
  for (const auto& [field, value] : record.spec) {
    if (field == "shards") shards = std::strtoll(value.c_str(), nullptr, 10);
    if (field == "engine") sharded = value == "sharded";
  }
  item["partitions"] = number_value(sharded ? shards : 0);
  if (dropped) item["keep"] = text_value(record.keep(board));
  return item;
}

void Boards::sweep_board(const std::string& board) {
  sweeps_.push_back(sweep(board));
  sweeps_.back().start();
}

void Boards::tidy() {
  std::erase_if(sweeps_, [](const Task<bool>& sweep) { return sweep.done(); });
}

// Sweeps everything that the table lists. A failed sweep continues when the board is opened again.
Task<bool> Boards::sweep(std::string board) {
  const Time deadline = steady_now() + kDynamoSweepWithin;
  Json query = prefix_query(home_key(board), kGone);
  const Reply reply = co_await client_.call("Query", std::move(query), deadline);
  if (reply.refusal) co_return false;
  const Json items = items_of(reply.body);
  for (const Json& item : items) {
    const Status swept = co_await sweep_item(item);
    if (!swept) {
      log_(Level::warn, fmt::format("board \"{}\": old items in DynamoDB will be deleted later: {}",
                                    escaped(board, 64), swept.refusal().text()));
      co_return false;
    }
  }
  co_return true;
}

Task<Status> Boards::sweep_item(Json item) {
  const std::int64_t partitions = integer_at(item, "partitions").value_or(0);
  if (const Json* bases = list_at(item, "bases")) {
    for (const Json& value : *bases) {
      const Json named{{"base", value}};
      const std::string base = text_at(named, "base").value_or("");
      if (base.empty()) continue;
      if (partitions == 0) {
        const Status swept = co_await sweep_scores(base, base);
        if (!swept) co_return swept.refusal();
      }
      for (std::int64_t i = 0; i < partitions; ++i) {
        std::string partition = fmt::format("{}#PARTITION_{}", base, i);
        const Status swept = co_await sweep_scores(std::move(partition), base);
        if (!swept) co_return swept.refusal();
      }
    }
  }
  if (const auto keep = text_at(item, "keep")) {
    const Status swept = co_await sweep_keep(*keep);
    if (!swept) co_return swept.refusal();
  }
  std::vector<Json> noted = {
      delete_request(item_key(text_at(item, "PK").value_or(""), text_at(item, "SK").value_or("")))};
  const Reply reply =
      co_await client_.write_all(std::move(noted), steady_now() + kDynamoSweepWithin);
  if (reply.refusal) co_return *reply.refusal;
  co_return Done{};
}

// Deletes the score items last: they name the pointers to delete.
Task<Status> Boards::sweep_scores(std::string partition, std::string base) {
  while (true) {
    const Time deadline = steady_now() + kDynamoSweepWithin;
    Json query = prefix_query(partition, "SCORE#");
    const Reply reply = co_await client_.call("Query", std::move(query), deadline);
    if (reply.refusal) co_return *reply.refusal;
    const Json& items = items_of(reply.body);
    if (items.empty()) co_return Done{};
    std::vector<Json> pointers;
    std::vector<Json> scores;
    for (const Json& item : items) {
      const std::string player = bytes_of_key(text_at(item, "playerId").value_or(""));
      pointers.push_back(delete_request(item_key(player_key(player), base)));
      scores.push_back(delete_request(item_key(partition, text_at(item, "SK").value_or(""))));
    }
    const Reply first = co_await client_.write_all(std::move(pointers), deadline);
    if (first.refusal) co_return *first.refusal;
    const Reply second = co_await client_.write_all(std::move(scores), deadline);
    if (second.refusal) co_return *second.refusal;
  }
}

Task<Status> Boards::sweep_keep(std::string keep) {
  for (const std::string_view prefix : kKept) {
    while (true) {
      const Time deadline = steady_now() + kDynamoSweepWithin;
      Json query = prefix_query(keep, prefix);
      const Reply reply = co_await client_.call("Query", std::move(query), deadline);
      if (reply.refusal) co_return *reply.refusal;
      const Json& items = items_of(reply.body);
      if (items.empty()) break;
      std::vector<Json> requests;
      for (const Json& item : items) {
        requests.push_back(delete_request(item_key(keep, text_at(item, "SK").value_or(""))));
      }
      const Reply done = co_await client_.write_all(std::move(requests), deadline);
      if (done.refusal) co_return *done.refusal;
    }
  }
  co_return Done{};
}

}  // namespace laurel::dynamodb
