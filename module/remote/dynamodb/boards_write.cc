// Submissions: decided locally, and written on condition that nothing changed meanwhile.
#include <algorithm>

#include "base/checks.h"
#include "base/hash.h"
#include "base/text.h"
#include "board/refusals.h"
#include "board/results/accepted_ids.h"
#include "board/validate.h"
#include "remote/dynamodb/boards.h"
#include "remote/limits.h"
#include "remote/request/spec_codec.h"

namespace laurel::dynamodb {

namespace {

constexpr std::size_t kPlayersAtOnce = 32;  // players of one batch written concurrently

// The condition that the pointer still has this entry.
Condition holds(const EntryKeys& keys, const std::optional<Row>& row) {
  if (!row) return {.absent = true, .equal = {}};
  Json item;
  keys.write_row(*row, item);
  const auto data = item.find("data");
  return {.absent = false,
          .equal = {{"score", item["score"]},
                    {"at", item["at"]},
                    {"data", data == item.end() ? Json() : *data}}};
}

bool same(const Json& item, std::string_view pk, std::string_view sk) {
  return text_at(item, "PK") == pk && text_at(item, "SK") == sk;
}

// The spec of the request with what METADATA has of it now.
Result<std::shared_ptr<const Spec>> spec_in(const SentRequest& sent, const Record& record) {
  const std::shared_ptr<const Spec>& known = sent.target.spec;
  if (same_mutable_fields(text_of(*known), record.spec)) return known;
  Result<Spec> there = with_mutable_fields(*known, record.spec);
  if (there) return std::make_shared<const Spec>(std::move(*there));
  return Refusal(Code::unavailable, "the board's spec in DynamoDB cannot be read here: {}",
                 there.refusal().message());
}

}  // namespace

// The keys depend on the season, which is read together with the items. Uses the season known last,
// and repeats the read if it has changed.
Task<Result<Boards::Found>> Boards::find(const Player& of) {
  const SentRequest& sent = of.sent;
  const std::string& board = sent.target.board;
  const EntryKeys keys(*sent.target.spec);
  const std::string home = home_key(board);
  const std::string player = player_key(of.player);
  const std::string admission = admission_key(of.player);
  const std::string posts =
      of.post ? posts_key(lane_of(*sent.target.spec, of.player), of.post->server) : "";
  const std::string attempts = attempts_key(of.player);
  bool reads_attempts = of.wants_attempts || sent.target.spec->attempts != 0;
  std::string result;
  while (true) {
    Found found;
    const auto known = known_.find(board);
    if (known == known_.end() ||
        (known->second.record.due && *known->second.record.due <= sent.now)) {
      Result<Record> record = co_await present_record(board, sent.now, sent.deadline);
      if (!record) co_return record.refusal();
      found.record = std::move(*record);
    } else {
      found.record = known->second.record;
    }
    found.base = found.record.base(board);
    found.keep = found.record.keep(board);
    std::vector<Json> wanted = {item_key(home, "METADATA"), item_key(player, found.base),
                                item_key(found.keep, admission)};
    if (of.post) wanted.push_back(item_key(found.keep, posts));
    if (reads_attempts) wanted.push_back(item_key(found.keep, attempts));
    if (!of.id.empty()) {
      result = result_key(found.keep, of.id);
      wanted.push_back(item_key(result, kResult));
    }
    const Reply reply = co_await client_.get_all(std::move(wanted), sent.deadline);
    if (reply.refusal) co_return *reply.refusal;
    Record now;
    for (const Json& item : items_of(reply.body)) {
      if (same(item, home, "METADATA")) {
        now = Record::read(&item, nullptr);
      } else if (same(item, player, found.base)) {
        found.row = keys.row_of(item);
      } else if (same(item, found.keep, admission)) {
        found.has_admission = true;
        found.stamp = integer_at(item, "stamp").value_or(0);
        found.admission = {truth_at(item, "banned"), truth_at(item, "joined")};
        const Json* hidden = map_at(item, "hidden");
        if (hidden != nullptr && text_at(item, "hiddenBase") == found.base) {
          found.hidden = keys.row_of(*hidden);
        }
      } else if (same(item, found.keep, attempts)) {
        found.attempts = item;
      } else if (!of.id.empty() && same(item, result, kResult)) {
        found.accepted = integer_at(item, "at");
        found.repeats = repeats(item, sent.now);
      } else {
        found.number = static_cast<std::uint64_t>(integer_at(item, "number").value_or(0));
      }
    }
    note(board, now);
    if (!now.exists) co_return unknown(board);
    if (now.token() != found.record.token() || (now.due && *now.due <= sent.now)) continue;
    found.record = std::move(now);
    Result<std::shared_ptr<const Spec>> spec = spec_in(sent, found.record);
    if (!spec) co_return spec.refusal();
    found.spec = std::move(*spec);
    if (found.spec->attempts != 0 && !std::exchange(reads_attempts, true)) continue;
    if (found.attempts) found.taken = attempts_in(*found.attempts, found.record);
    co_return std::move(found);
  }
}

bool Boards::repeats(const Json& item, Time now) {
  const std::optional<std::int64_t> at = integer_at(item, "at");
  return at && now < *at + AcceptedIds::kKept;
}

// Remembers the id, unless another result with it is accepted meanwhile.
void Boards::put_result(const SentRequest& sent, std::string_view id, const Found& found,
                        Plan& plan) {
  Json item = item_key(result_key(found.keep, id), kResult);
  item["at"] = number_value(sent.now);
  // DynamoDB expires items by its own clock.
  const Time latest = std::max(sent.now, next_timestamp());
  item["expires"] = number_value(latest / kSecond + kDynamoResultKeptFor);
  Condition as_found{.absent = !found.accepted, .equal = {}};
  if (found.accepted) as_found.equal = {{"at", number_value(*found.accepted)}};
  plan.parts.put(std::move(item), as_found);
}

void Boards::put_entry(const EntryKeys& keys, const Found& found, const Row& row, Plan& plan) {
  const std::string key = keys.score_key(row);
  if (found.row && keys.score_key(*found.row) != key) {
    plan.parts.erase(
        item_key(keys.partition_of(found.base, row.player), keys.score_key(*found.row)), {});
  }
  plan.parts.put(keys.score_item(found.base, row));
  plan.parts.put(keys.pointer_item(found.base, row), holds(keys, found.row));
  if (!found.row) ++plan.size;
  plan.changes = true;
}

// If the player has no entry, the write requires that none appears meanwhile.
void Boards::take_entry(const EntryKeys& keys, const Found& found, const std::string& player,
                        Plan& plan) {
  if (!found.row) {
    plan.parts.check(item_key(player_key(player), found.base), {.absent = true, .equal = {}});
    return;
  }
  const Row& row = *found.row;
  plan.parts.erase(item_key(keys.partition_of(found.base, row.player), keys.score_key(row)), {});
  plan.parts.erase(item_key(player_key(row.player), found.base), holds(keys, found.row));
  --plan.size;
  plan.changes = true;
}

// Adds the parts of every write: the check of the season, and the post's number.
void Boards::finish(const Player& of, const Found& found, Plan& plan) {
  const std::string home = home_key(of.sent.target.board);
  const Json fence = item_key(home, fence_key(static_cast<unsigned>(random_u64() % kDynamoFences)));
  const Condition stands{.absent = false, .equal = {{"token", text_value(found.record.token())}}};
  if (plan.changes) {
    plan.parts.update(fence, stands, {}, {{"changes", 1}, {"size", plan.size}});
  } else {
    plan.parts.check(fence, stands);
  }
  const bool odd = EntryKeys(*of.sent.target.spec).is_odd(of.player);
  if (plan.marks && (!found.record.written || (odd && !found.record.odd_ids))) {
    const auto version = static_cast<std::int64_t>(found.record.version);
    plan.parts.update(
        item_key(home, "METADATA"),
        {.absent = false, .equal = {{"version", number_value(version)}}},
        {{"written", truth_value(true)}, {"oddIds", truth_value(odd || found.record.odd_ids)}},
        {{"version", 1}});
  }
  if (!of.post) return;
  const std::size_t lane = lane_of(*of.sent.target.spec, of.player);
  Json item = item_key(found.keep, posts_key(lane, of.post->server));
  item["number"] = number_value(static_cast<std::int64_t>(of.post->number));
  item["expires"] = number_value(next_timestamp() / kSecond + kDynamoServerKeptFor);
  Condition last{.absent = !found.number, .equal = {}};
  if (found.number) {
    last.equal = {{"number", number_value(static_cast<std::int64_t>(*found.number))}};
  }
  plan.parts.put(std::move(item), last);
}

Task<Result<Value>> Boards::change(Player of, Value again, Planner planner) {
  const std::string& board = of.sent.target.board;
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    const Result<Found> found = co_await find(of);
    if (!found) co_return found.refusal();
    if (of.post) {
      const std::uint64_t last = found->number.value_or(0);
      if (of.post->number <= last) {
        co_return std::move(again);
      }
      if (of.post->before != 0 && last < of.post->before) {
        co_return Refusal(Code::unavailable,
                          "post {} of this server must be applied before post {}", of.post->before,
                          of.post->number);
      }
    }
    Plan plan = planner(*found);
    if (plan.stale || (plan.parts.empty() && !of.post)) co_return std::move(plan.answer);
    finish(of, *found, plan);
    const Reply reply = co_await client_.transact(plan.parts, of.sent.deadline);
    if (reply.ok()) co_return std::move(plan.answer);
    if (reply.refusal && of.post && reply.unknown) {
      co_return Refusal(Code::unavailable, "DynamoDB did not answer");
    }
    if (reply.refusal) co_return *reply.refusal;
    known_.erase(board);
    co_await client_.back_off(tries);
  }
  co_return Refusal(Code::unavailable,
                    "other servers keep changing the entry of player \"{}\" on board \"{}\"",
                    escaped(of.player, 64), escaped(board, 64));
}

Task<Result<Value>> Boards::change_player(Player of, Planner planner) {
  if (const Status valid = check_player(of.player); !valid) co_return valid.refusal();
  Value again = false;
  co_return co_await change(of, std::move(again), std::move(planner));
}

namespace {

// What a report tells without ranks.
Change change_of(const SentRequest& sent, const request::Write& request,
                 const std::optional<Row>& held, const Written& written) {
  const Spec& spec = *sent.target.spec;
  Change change{.player = request.what.player, .board = sent.target.board};
  change.columns = spec.columns;
  change.score = written.score;
  change.changed = written.changed;
  if (held) {
    change.previous = ScoreForm(spec.order, spec.decimals).score(held->score);
    change.at = held->at;
  } else if (request.what.at) {
    change.at = time_from_seconds(*request.what.at).value_or(0);
  }
  return change;
}

}  // namespace

Boards::Plan Boards::plan_write(const SentRequest& sent, const request::Write& request, Time at,
                                const Found& found) {
  const Spec& spec = *found.spec;
  const Judge judge(spec, sent.target.board);
  const EntryKeys keys(spec);
  Plan plan;
  const auto& id = request.what.id;
  if (const Status valid = id ? check_identity(request.what.view()) : Done{}; !valid) {
    plan.answer = valid.refusal();
    return plan;
  }
  Written written;
  if (request.expected && !judge.sees(*request.expected, found.row)) {
    written.stale = true;
    plan.stale = true;
    plan.answer = Value(std::move(written));
    return plan;
  }
  if (found.repeats) {
    if (found.row) written.score = keys.form().score(found.row->score);
    if (request.report) written.change = change_of(sent, request, found.row, written);
    plan.answer = Value(std::move(written));
    return plan;
  }
  if (const Status valid = judge.check(request.what); !valid) {
    plan.answer = valid.refusal();
    return plan;
  }
  const RunningSeason season = found.record.hours();
  const bool moderates = request.how == WriteMode::set;
  const Status admitted =
      judge.admit(request.what.player, found.admission, moderates ? nullptr : &season, sent.now);
  if (!admitted) {
    plan.answer = admitted.refusal();
    return plan;
  }
  const bool counts = spec.attempts != 0 && !moderates;
  if (counts && found.taken.left(spec.attempts) == 0) {
    plan.answer = exhausted(request.what.player, sent.target.board, spec.attempts);
    return plan;
  }
  if (found.has_admission) {
    plan.parts.check(item_key(found.keep, admission_key(request.what.player)),
                     {.absent = false, .equal = {{"stamp", number_value(found.stamp)}}});
  } else {
    plan.parts.check(item_key(found.keep, admission_key(request.what.player)),
                     {.absent = true, .equal = {}});
  }
  const Result<Decision> decision = judge.decide(request.how, request.what, found.row, at);
  if (!decision) {
    plan.parts = {};
    plan.answer = decision.refusal();
    return plan;
  }
  written.score = keys.form().score(decision->row.score);
  written.changed = decision->changed;
  if (decision->changed) {
    put_entry(keys, found, decision->row, plan);
    plan.marks = true;
  } else if (!id && !counts) {
    plan.parts = {};
  }
  if (id) put_result(sent, *id, found, plan);
  if (counts) {
    AttemptCount count = found.taken;
    ++count.taken;
    put_attempts(found, request.what.player, count, plan);
  }
  if (request.report) {
    written.change = change_of(sent, request, found.row, written);
    written.change->at = decision->row.at;
  }
  plan.answer = Value(std::move(written));
  return plan;
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Write& request) {
  return request.report ? write_report(sent, request) : write_one(sent, request);
}

Task<Result<Value>> Boards::write_one(const SentRequest& sent, const request::Write& request) {
  const Time at = next_timestamp();
  const std::optional<std::string>& id = request.what.id;
  Player of{sent, request.what.player, request.post,
            id && check_result_id(*id) ? std::string_view(*id) : std::string_view()};
  Planner planner = [this, &sent, &request, at](const Found& found) {
    return plan_write(sent, request, at, found);
  };
  Written applied;
  applied.again = true;
  Value again = std::move(applied);
  co_return co_await change(of, std::move(again), std::move(planner));
}

Task<Result<Boards::Place>> Boards::place_of(const Scope& scope, Row row) {
  const Result<std::uint64_t> position = co_await scope.order.count_before(row);
  if (!position) co_return position.refusal();
  const Result<Rank> rank = co_await rank_of(scope, std::move(row), scope.ranking);
  if (!rank) co_return rank.refusal();
  co_return Place{*position, *rank};
}

// The old position is counted before the write, the new one after it.
Task<Result<Value>> Boards::write_report(const SentRequest& sent, const request::Write& request) {
  const Result<Scope> scope = co_await this->scope(sent);
  if (!scope) co_return scope.refusal();
  const std::optional<PostNumber> no_post;
  Player of{sent, request.what.player, no_post};
  const Result<Found> before = co_await find(of);
  if (!before) co_return before.refusal();
  std::optional<Place> stood;
  std::uint64_t behind_all = 0;
  if (before->row) {
    const Result<Place> place = co_await place_of(*scope, *before->row);
    if (!place) co_return place.refusal();
    stood = *place;
  } else {
    const Result<std::uint64_t> size = co_await this->size(*scope);
    if (!size) co_return size.refusal();
    behind_all = *size;
  }
  Result<Value> answer = co_await write_one(sent, request);
  if (!answer) co_return answer.refusal();
  auto* written = std::get_if<Written>(&*answer);
  if (written == nullptr || !written->change) co_return answer;
  const Result<Scope> then = co_await this->scope(sent);
  if (!then) co_return answer;  // it was written, but ranks are not available
  const Result<std::optional<Row>> row = co_await row_of(*then, request.what.player);
  if (!row || !*row) co_return answer;
  const Result<Place> place = co_await place_of(*then, **row);
  if (!place) co_return answer;
  Change& change = *written->change;
  const std::uint64_t from = stood ? stood->position : behind_all;
  change.rank = place->rank;
  if (stood) change.previous_rank = stood->rank;
  change.passed = place->position < from ? from - place->position : 0;
  co_return answer;
}

// Submissions of one player, or with one id, are written in order, others concurrently.
Task<Result<Value>> Boards::write(const SentRequest& sent, const request::WriteAll& request) {
  std::vector<request::Write> each;
  each.reserve(request.what.size());
  for (const OwnedSubmission& what : request.what) {
    request::Write& one = each.emplace_back();
    one.what = what;
    if (!one.what.at) one.what.at = seconds_from_time(next_timestamp());
  }
  WrittenAll all_of;
  for (std::size_t begin = 0; begin < each.size();) {
    std::size_t end = begin;
    std::vector<Task<Result<Value>>> tasks;
    const auto among = [&](const OwnedSubmission& next) {
      return std::any_of(
          each.begin() + static_cast<std::ptrdiff_t>(begin),
          each.begin() + static_cast<std::ptrdiff_t>(end), [&next](const request::Write& one) {
            return one.what.player == next.player || (next.id && one.what.id == next.id);
          });
    };
    while (end < each.size() && end - begin < kPlayersAtOnce && !among(each[end].what)) {
      tasks.push_back(write_one(sent, each[end]));
      ++end;
    }
    const std::vector<Result<Value>> answers = co_await all(tasks);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Result<Value>& answer = answers[i];
      if (!answer) {
        if (answer.refusal().code() == Code::unavailable) co_return answer.refusal();
        all_of.refused.emplace_back(begin + i, answer.refusal());
      } else if (const auto* written = std::get_if<Written>(&*answer)) {
        all_of.changed += written->changed ? 1 : 0;
      }
    }
    begin = end;
  }
  co_return Value(std::move(all_of));
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Remove& request) {
  const std::string& player = request.player;
  Player of{sent, player};
  Planner planner = [&](const Found& found) {
    const EntryKeys keys(*sent.target.spec);
    Plan plan;
    if (found.hidden) {
      put_admission(found, player, found.admission, std::nullopt, keys, plan);
    } else if (found.row) {
      take_entry(keys, found, player, plan);
    }
    plan.answer = Value(!plan.parts.empty());
    return plan;
  };
  co_return co_await change_player(of, std::move(planner));
}

}  // namespace laurel::dynamodb
