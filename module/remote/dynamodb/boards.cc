// Common parts of all requests to a board: METADATA, the running season, the fences.
#include "remote/dynamodb/boards.h"

#include <algorithm>
#include <type_traits>

#include "base/steady_clock.h"
#include "base/text.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

bool is_key(const Json& item, std::string_view sk) { return text_at(item, "SK") == sk; }

}  // namespace

Refusal Boards::unknown(std::string_view board) {
  return {Code::unknown, "no board is called \"{}\"", escaped(board, 64)};
}

Time Boards::next_timestamp() {
  SystemClock clock;
  return last_moment_ = std::max(clock.now(), last_moment_ + 1);
}

void Boards::note(const std::string& board, const Record& record) {
  if (record.exists) {
    known_.insert_or_assign(board, Known{record});
  } else {
    known_.erase(board);
  }
}

std::optional<Time> Boards::due(const std::string& board) const {
  const auto found = known_.find(board);
  return found == known_.end() ? std::nullopt : found->second.record.due;
}

Task<Result<Record>> Boards::read_record(std::string board, Time deadline) {
  const std::string home = home_key(board);
  std::vector<Json> keys = {item_key(home, "METADATA"), item_key(home, "DROPPED")};
  const Reply reply = co_await client_.get_all(std::move(keys), deadline);
  if (reply.refusal) co_return *reply.refusal;
  const Json* metadata = nullptr;
  const Json* dropped = nullptr;
  for (const Json& item : items_of(reply.body)) {
    if (is_key(item, "METADATA")) metadata = &item;
    if (is_key(item, "DROPPED")) dropped = &item;
  }
  Record record = Record::read(metadata, dropped);
  note(board, record);
  co_return std::move(record);
}

// Reads METADATA. If a season's end is due, writes it; the condition lets only one server do so.
Task<Result<Record>> Boards::present_record(std::string board, Time now, Time deadline) {
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    Result<Record> record = co_await read_record(board, deadline);
    if (!record) co_return record.refusal();
    if (!record->exists) co_return unknown(board);
    const Record before = *record;
    std::vector<PastSeason> gone;
    const Result<bool> presented = record->present(now, gone);
    if (!presented) co_return presented.refusal();
    if (!*presented) co_return std::move(*record);
    const bool renew = record->token() != before.token();
    const Reply saved = co_await save(board, *record, before.version, renew, gone, deadline);
    if (saved.refusal) co_return *saved.refusal;
    if (saved.condition) co_await client_.back_off(0);
  }
  co_return Refusal(Code::unavailable, "other servers keep changing the season of board \"{}\"",
                    escaped(board, 64));
}

Task<Result<Boards::Scope>> Boards::scope(const SentRequest& sent) {
  if (sent.target.copy_of) co_return co_await scope_of_copy(sent);
  const std::string& board = sent.target.board;
  Result<Record> record = co_await present_record(board, sent.now, sent.deadline);
  if (!record) co_return record.refusal();
  const std::uint64_t season = sent.target.season;
  const PastSeason* past = record->find(season);
  if (season != 0 && past == nullptr) {
    co_return Refusal(Code::unknown, "season {} of board \"{}\" is not kept", season,
                      escaped(board, 64));
  }
  auto keys = std::make_shared<EntryKeys>(*sent.target.spec, record->odd_ids);
  const std::string base = past != nullptr ? record->base_of(board, *past) : record->base(board);
  const Ranking ranking = past != nullptr ? past->ranking : sent.target.spec->ranking;
  Order order(client_, *keys, base, sent.deadline);
  Scope scope{.record = std::move(*record),
              .board = board,
              .base = base,
              .keys = std::move(keys),
              .order = std::move(order),
              .ranking = ranking,
              .running = past == nullptr,
              .deadline = sent.deadline,
              .sent = &sent};
  co_return std::move(scope);
}

namespace {

Json fences_query(const std::string& board, bool consistent) {
  Json query;
  query["KeyConditionExpression"] = "PK = :pk AND begins_with(SK, :fence)";
  query["ExpressionAttributeValues"] = {{":pk", text_value(home_key(board))},
                                        {":fence", text_value("FENCE#")}};
  query["ConsistentRead"] = consistent;
  return query;
}

}  // namespace

Task<Result<std::uint64_t>> Boards::size(const Scope& scope) {
  if (scope.size) co_return *scope.size;
  if (scope.running) {
    Json query = fences_query(scope.board, true);
    const Reply reply = co_await client_.call("Query", std::move(query), scope.deadline);
    if (reply.refusal) co_return *reply.refusal;
    const std::string token = scope.record.token();
    std::int64_t sum = 0;
    bool same_season = true;
    for (const Json& fence : items_of(reply.body)) {
      same_season = same_season && text_at(fence, "token") == token;
      sum += integer_at(fence, "size").value_or(0);
    }
    if (same_season) co_return static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
  }
  KeyRange whole = scope.keys->padded().all();
  co_return co_await scope.order.count(std::move(whole));
}

Task<Result<std::string>> Boards::glance(std::string board) {
  const Time deadline = steady_now() + kRemoteTimeout;
  Json query = fences_query(board, false);
  const Reply reply = co_await client_.call("Query", std::move(query), deadline);
  if (reply.refusal) co_return *reply.refusal;
  std::string seen;
  for (const Json& fence : items_of(reply.body)) {
    seen += text_at(fence, "token").value_or("");
    seen += fmt::format("/{} ", integer_at(fence, "changes").value_or(0));
  }
  co_return std::move(seen);
}

// ---- dispatch

Status Boards::may_read(const SentRequest& sent) {
  const Target& target = sent.target;
  if (target.copy_of || (target.spec && keys_are_padded(*target.spec))) return Done{};
  return Refusal(Code::unsupported, "boards of DynamoDB are padded, or sharded of padded");
}

Status Boards::may_write(const SentRequest& sent) {
  if (const Status may = may_read(sent); !may) return may;
  if (!sent.target.copy_of && sent.target.season == 0) return Done{};
  return Refusal(Code::closed, "season {} of board \"{}\" has ended", sent.target.season,
                 escaped(sent.target.board, 64));
}

Status Boards::may_ask_board(const SentRequest& sent, bool writes) {
  if (!sent.target.copy_of) return Done{};
  if (writes) return may_write(sent);
  return Refusal(Code::unsupported, "this call takes a board, not one of its archived seasons");
}

Task<Result<Value>> Boards::refused(Refusal refusal) { co_return refusal; }

Task<Result<Value>> Boards::answer_read(const SentRequest& sent, Reader reader) {
  const Result<Scope> scope = co_await this->scope(sent);
  if (!scope) co_return scope.refusal();
  co_return co_await (this->*reader)(*scope);
}

}  // namespace laurel::dynamodb
