// Joins and bans, and the entries hidden by bans.
#include <algorithm>

#include "base/checks.h"
#include "base/hash.h"
#include "base/text.h"
#include "board/refusals.h"
#include "remote/dynamodb/boards.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

// Replaces the admission item. Erases it if the player is neither banned nor joined.
void Boards::put_admission(const Found& found, std::string_view player, const Admission& admission,
                           const std::optional<Row>& hidden, const EntryKeys& keys, Plan& plan) {
  const Condition as_found{
      .absent = !found.has_admission,
      .equal = found.has_admission
                   ? std::vector<std::pair<std::string, Json>>{{"stamp", number_value(found.stamp)}}
                   : std::vector<std::pair<std::string, Json>>{}};
  Json item = item_key(found.keep, admission_key(player));
  if (!admission.banned && !admission.joined) {
    plan.parts.erase(item, as_found);
    return;
  }
  item["playerId"] = text_value(key_text(player, false));
  item["stamp"] = number_value(static_cast<std::int64_t>(random_u64() >> 1));
  item["banned"] = truth_value(admission.banned);
  item["joined"] = truth_value(admission.joined);
  if (hidden) {
    Json held;
    held["playerId"] = item["playerId"];
    keys.write_row(*hidden, held);
    item["hidden"] = Json{{"M", std::move(held)}};
    item["hiddenBase"] = text_value(found.base);
  }
  plan.parts.put(std::move(item), as_found);
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Join& request) {
  const std::string& player = request.what.player;
  Player of{sent, player};
  const Time at = next_timestamp();
  Planner planner = [&, at](const Found& found) {
    Plan plan;
    Written written;
    const Judge judge(*sent.target.spec, sent.target.board);
    if (request.expected && !judge.sees(*request.expected, found.row)) {
      written.stale = true;
      plan.stale = true;
      plan.answer = Value(std::move(written));
      return plan;
    }
    if (found.admission.banned) {
      plan.answer = laurel::banned(player, sent.target.board);
      return plan;
    }
    const EntryKeys keys(*sent.target.spec);
    if (found.row) written.score = keys.form().score(found.row->score);
    if (found.admission.joined) {
      plan.answer = Value(std::move(written));
      return plan;
    }
    Admission joined = found.admission;
    joined.joined = true;
    if (request.with_score) {
      request::Write write;
      write.how = request.how;
      write.what = request.what;
      Found as_joined = found;
      as_joined.admission = joined;
      Plan scored = plan_write(sent, write, at, as_joined);
      const auto* answer = scored.answer ? std::get_if<Written>(&*scored.answer) : nullptr;
      if (answer == nullptr) return scored;
      written = *answer;
      const Result<Decision> decision = Judge(*sent.target.spec, sent.target.board)
                                            .decide(request.how, request.what, found.row, at);
      if (decision && decision->changed) {
        put_entry(keys, found, decision->row, plan);
        plan.marks = true;
      }
      if (found.spec->attempts != 0) {
        AttemptCount count = found.taken;
        ++count.taken;
        put_attempts(found, player, count, plan);
      }
    }
    put_admission(found, player, joined, found.hidden, keys, plan);
    written.changed = true;
    plan.answer = Value(std::move(written));
    return plan;
  };
  co_return co_await change_player(of, std::move(planner));
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Leave& request) {
  Player of{sent, request.player};
  Planner planner = [&](const Found& found) {
    const EntryKeys keys(*sent.target.spec);
    Plan plan;
    const bool leaves = found.admission.joined || found.hidden;
    if (found.row || leaves) take_entry(keys, found, request.player, plan);
    if (leaves) {
      Admission left = found.admission;
      left.joined = false;
      put_admission(found, request.player, left, std::nullopt, keys, plan);
    }
    plan.answer = Value(!plan.parts.empty());
    return plan;
  };
  co_return co_await change_player(of, std::move(planner));
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Ban& request) {
  Player of{sent, request.player, request.post};
  Planner planner = [&](const Found& found) {
    Plan plan;
    plan.answer = Value(!found.admission.banned);
    if (found.admission.banned) return plan;
    const EntryKeys keys(*sent.target.spec);
    Admission banned = found.admission;
    banned.banned = true;
    take_entry(keys, found, request.player, plan);
    put_admission(found, request.player, banned, found.row, keys, plan);
    return plan;
  };
  co_return co_await change_player(of, std::move(planner));
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Unban& request) {
  Player of{sent, request.player, request.post};
  Planner planner = [&](const Found& found) {
    Plan plan;
    plan.answer = Value(found.admission.banned);
    if (!found.admission.banned) return plan;
    const EntryKeys keys(*sent.target.spec);
    Admission free = found.admission;
    free.banned = false;
    if (found.hidden) put_entry(keys, found, *found.hidden, plan);
    put_admission(found, request.player, free, std::nullopt, keys, plan);
    return plan;
  };
  co_return co_await change_player(of, std::move(planner));
}

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::Banned& request) {
  if (const Status may = may_ask_board(sent, request.kWrites); !may) co_return may.refusal();
  if (const Status may = may_read(sent); !may) co_return may.refusal();
  const Result<Scope> scope = co_await this->scope(sent);
  if (!scope) co_return scope.refusal();
  std::vector<std::string> players;
  const Client::VisitPage add = [&](const Json& page) {
    for (const Json& item : items_of(page)) {
      players.push_back(bytes_of_key(text_at(item, "playerId").value_or("")));
    }
  };
  Json query;
  query["KeyConditionExpression"] = "PK = :pk AND begins_with(SK, :admission)";
  query["FilterExpression"] = "banned = :banned";
  query["ExpressionAttributeValues"] = {{":pk", text_value(scope->record.keep(sent.target.board))},
                                        {":admission", text_value("ADMISSION#")},
                                        {":banned", truth_value(true)}};
  query["ConsistentRead"] = true;
  const Status read = co_await client_.query_all(std::move(query), sent.deadline, add);
  if (!read) co_return read.refusal();
  std::sort(players.begin(), players.end());
  co_return Value(std::move(players));
}

// If it was interrupted, asking again completes it.
Task<Result<std::uint64_t>> Boards::forget_past(const SentRequest& sent, std::string player,
                                                Record record) {
  const EntryKeys keys(*sent.target.spec);
  const std::string& board = sent.target.board;
  std::uint64_t entries = 0;
  for (const PastSeason& season : record.past) {
    const std::string base = record.base_of(board, season);
    const Json pointer = item_key(player_key(player), base);
    std::vector<Json> wanted = {pointer};
    const Reply reply = co_await client_.get_all(std::move(wanted), sent.deadline);
    if (reply.refusal) co_return *reply.refusal;
    const Json& items = items_of(reply.body);
    if (items.empty()) continue;
    Transaction parts;
    parts.erase(pointer, {});
    if (const std::optional<Row> row = keys.row_of(items.front())) {
      parts.erase(item_key(keys.partition_of(base, player), keys.score_key(*row)), {});
    }
    const Reply done = co_await client_.transact(parts, sent.deadline);
    if (done.refusal) co_return *done.refusal;
    ++entries;
  }
  co_return entries;
}

// Past seasons first. If the season ends meanwhile, it may contain the player: start over.
Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Forget& request) {
  if (const Status valid = check_player(request.player); !valid) co_return valid.refusal();
  const std::string& board = sent.target.board;
  std::uint64_t entries = 0;
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    Result<Record> record = co_await present_record(board, sent.now, sent.deadline);
    if (!record) co_return record.refusal();
    const std::uint64_t season = record->season;
    std::string player = request.player;
    const Result<std::uint64_t> past =
        co_await forget_past(sent, std::move(player), std::move(*record));
    if (!past) co_return past.refusal();
    entries += *past;
    bool has_ended = false;
    Player of{.sent = sent, .player = request.player, .post = request.post, .wants_attempts = true};
    Planner planner = [&, entries](const Found& found) {
      const EntryKeys keys(*sent.target.spec);
      Plan plan;
      plan.answer = Value(entries + (found.row ? 1 : 0) + (found.hidden ? 1 : 0));
      has_ended = found.record.season != season;
      plan.stale = has_ended;
      if (has_ended) return plan;
      if (found.row || found.has_admission) take_entry(keys, found, request.player, plan);
      if (found.has_admission) {
        put_admission(found, request.player, Admission(), std::nullopt, keys, plan);
      }
      if (found.attempts) {
        plan.parts.erase(item_key(found.keep, attempts_key(request.player)), {});
      }
      return plan;
    };
    Value again = std::uint64_t{0};
    Result<Value> answer = co_await change(of, std::move(again), std::move(planner));
    if (!has_ended) co_return std::move(answer);
  }
  co_return Refusal(Code::unavailable, "board \"{}\": its season ended during every attempt",
                    escaped(board, 64));
}

}  // namespace laurel::dynamodb
