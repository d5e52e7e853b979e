// The stored spec, and the start and end of seasons and boards.
#include "base/hash.h"
#include "base/text.h"
#include "remote/dynamodb/boards.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

Refusal board_keeps_changing(std::string_view board) {
  return {Code::unavailable, "other servers keep changing board \"{}\"", escaped(board, 64)};
}

Json fence_item(const std::string& home, unsigned fence, const std::string& token) {
  Json item = item_key(home, fence_key(fence));
  item["token"] = text_value(token);
  item["changes"] = number_value(0);
  item["size"] = number_value(0);
  return item;
}

}  // namespace

// Writes METADATA if its version is still `version` (0: it must not exist). With `renew` it also
// resets all fences, because the set of entries changes. Adds the list of items to sweep.
Task<Reply> Boards::save(std::string board, Record record, std::uint64_t version, bool renew,
                         std::vector<PastSeason> gone, Time deadline) {
  const std::string home = home_key(board);
  record.version = version + 1;
  Condition condition{.absent = version == 0, .equal = {}};
  if (version > 0) {
    condition.equal = {{"version", number_value(static_cast<std::int64_t>(version))}};
  }
  Transaction parts;
  parts.put(record.item(board), condition);
  if (renew) {
    for (unsigned i = 0; i < kDynamoFences; ++i) {
      parts.put(fence_item(home, i, record.token()));
    }
  }
  if (!gone.empty()) parts.put(gone_item(board, record, gone, false));
  Reply reply = co_await client_.transact(parts, deadline);
  if (reply.ok()) {
    note(board, record);
    if (!gone.empty()) sweep_board(board);
  }
  co_return reply;
}

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::ReadSpec& request) {
  if (const Status may = may_ask_board(sent, request.kWrites); !may) co_return may.refusal();
  const std::string& board = sent.target.board;
  const Result<Record> record = co_await read_record(board, sent.deadline);
  if (!record) co_return record.refusal();
  KeptSpec kept;
  kept.exists = record->exists;
  if (record->exists) {
    kept.spec = record->spec;
    kept.revision = record->revision;
    sweep_board(board);
  }
  co_return Value(std::move(kept));
}

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::WriteSpec& request) {
  if (const Status may = may_ask_board(sent, request.kWrites); !may) co_return may.refusal();
  const std::string& board = sent.target.board;
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    Result<Record> read = co_await read_record(board, sent.deadline);
    if (!read) co_return read.refusal();
    Record record = *read;
    std::vector<PastSeason> gone;
    if (record.exists != (request.revision > 0) || record.revision != request.revision) {
      co_return Value(false);
    }
    if (record.exists) {
      const Result<bool> presented = record.present(sent.now, gone);
      if (!presented) co_return presented.refusal();
    } else {
      record.exists = true;
      record.epoch = fmt::format("{:016x}", random_u64());
      record.created = record.started = sent.now;
    }
    const Status taken = record.take_spec(request.spec, sent.now, gone);
    if (!taken) co_return taken.refusal();
    ++record.revision;
    const bool renew = read->version == 0 || record.token() != read->token();
    const Reply reply = co_await save(board, record, read->version, renew, gone, sent.deadline);
    if (reply.ok()) co_return Value(true);
    if (reply.refusal) co_return *reply.refusal;
    co_await client_.back_off(tries);
  }
  co_return board_keeps_changing(board);
}

// Leaves an item with the number of dropped boards of this name, so that the next one has other
// keys.
Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::Drop& request) {
  if (const Status may = may_ask_board(sent, request.kWrites); !may) co_return may.refusal();
  const std::string& board = sent.target.board;
  const std::string home = home_key(board);
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    const Result<Record> record = co_await read_record(board, sent.deadline);
    if (!record) co_return record.refusal();
    if (!record->exists) co_return Value(false);
    const auto version = static_cast<std::int64_t>(record->version);
    Json dropped = item_key(home, "DROPPED");
    dropped["generation"] = number_value(static_cast<std::int64_t>(record->generation + 1));
    std::vector<PastSeason> gone = record->past;
    gone.push_back(record->running(sent.now));
    Transaction parts;
    parts.erase(item_key(home, "METADATA"),
                {.absent = false, .equal = {{"version", number_value(version)}}});
    parts.put(std::move(dropped));
    for (unsigned i = 0; i < kDynamoFences; ++i) {
      parts.erase(item_key(home, fence_key(i)), {});
    }
    parts.put(gone_item(board, *record, gone, true));
    const Reply reply = co_await client_.transact(parts, sent.deadline);
    known_.erase(board);
    if (reply.ok()) {
      sweep_board(board);
      co_return Value(true);
    }
    if (reply.refusal) co_return *reply.refusal;
    co_await client_.back_off(tries);
  }
  co_return board_keeps_changing(board);
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Clear&) {
  const std::string& board = sent.target.board;
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    const Result<Scope> scope = co_await this->scope(sent);
    if (!scope) co_return scope.refusal();
    const Result<std::uint64_t> size = co_await this->size(*scope);
    if (!size) co_return size.refusal();
    Record record = scope->record;
    const std::vector<PastSeason> gone = {record.running(sent.now)};
    ++record.clears;
    const Reply reply = co_await save(board, record, record.version, true, gone, sent.deadline);
    if (reply.ok()) co_return Value(*size);
    if (reply.refusal) co_return *reply.refusal;
    co_await client_.back_off(tries);
  }
  co_return board_keeps_changing(board);
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Reset&) {
  const std::string& board = sent.target.board;
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    const Result<Record> read = co_await present_record(board, sent.now, sent.deadline);
    if (!read) co_return read.refusal();
    Record record = *read;
    std::vector<PastSeason> gone;
    record.end_season(sent.now, start_of_season(*sent.target.spec, sent.now), gone);
    const Reply reply = co_await save(board, record, read->version, true, gone, sent.deadline);
    if (reply.ok()) co_return Value(read->season);
    if (reply.refusal) co_return *reply.refusal;
    co_await client_.back_off(tries);
  }
  co_return board_keeps_changing(board);
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::ReadSeason&) {
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  const Record& record = scope.record;
  SeasonFacts facts;
  facts.created = record.created;
  facts.size = *size;
  if (const PastSeason* past = record.find(scope.sent->target.season)) {
    facts.season = {.number = past->number, .started = past->started, .ended = past->ended};
  } else {
    facts.season = {.number = record.season, .started = record.started, .ended = std::nullopt};
    facts.resets_at = record.due;
    facts.closes_at = closes_at(*scope.sent->target.spec, record.hours());
  }
  co_return Value(std::move(facts));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::ReadHearing& request) {
  const Record& record = scope.record;
  SeasonsHeard heard;
  if (const auto known = record.hearings.find(request.name); known != record.hearings.end()) {
    heard.hearing = known->second;
  }
  heard.created = record.created;
  heard.running = record.season;
  for (const PastSeason& past : record.past) {
    heard.past.push_back({.number = past.number, .started = past.started, .ended = past.ended});
  }
  co_return Value(std::move(heard));
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::WriteHearing& request) {
  const std::string& board = sent.target.board;
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    const Result<Record> read = co_await present_record(board, sent.now, sent.deadline);
    if (!read) co_return read.refusal();
    Record record = *read;
    const auto known = record.hearings.find(request.name);
    const auto held =
        known == record.hearings.end() ? std::nullopt : std::optional<HearingState>(known->second);
    if (held != request.expected) co_return Value(false);
    if (request.hearing) {
      record.hearings.insert_or_assign(request.name, *request.hearing);
    } else {
      record.hearings.erase(request.name);
    }
    const Reply reply = co_await save(board, record, read->version, false, {}, sent.deadline);
    if (reply.ok()) co_return Value(true);
    if (reply.refusal) co_return *reply.refusal;
    co_await client_.back_off(tries);
  }
  co_return board_keeps_changing(board);
}

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::Seasons& request) {
  if (const Status may = may_ask_board(sent, request.kWrites); !may) co_return may.refusal();
  if (const Status may = may_read(sent); !may) co_return may.refusal();
  const Result<Scope> scope = co_await this->scope(sent);
  if (!scope) co_return scope.refusal();
  const Record& record = scope->record;
  std::vector<std::uint64_t> numbers = {record.season};
  for (const PastSeason& past : record.past) numbers.push_back(past.number);
  co_return Value(std::move(numbers));
}

}  // namespace laurel::dynamodb
