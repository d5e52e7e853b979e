// How many results of a player a season took, and grants.
//
//   item   ATTEMPTS#<player>: `season` and `counting` of METADATA when it was written, `taken`,
//          `granted`. If one of the first two differs now, nothing was taken or granted yet.
#include <utility>

#include "base/checks.h"
#include "board/refusals.h"
#include "board/validate.h"
#include "remote/dynamodb/boards.h"
#include "remote/request/spec_codec.h"

namespace laurel::dynamodb {

namespace {

constexpr const char* kAttributes[] = {"season", "counting", "taken", "granted"};

Json count_value(std::uint64_t count) { return number_value(static_cast<std::int64_t>(count)); }

}  // namespace

AttemptCount Boards::attempts_in(const Json& item, const Record& record) {
  const bool counts =
      whole_at(item, "season") == record.season && whole_at(item, "counting") == record.counting;
  if (!counts) return {};
  return {.taken = whole_at(item, "taken").value_or(0),
          .granted = integer_at(item, "granted").value_or(0)};
}

void Boards::put_attempts(const Found& found, std::string_view player, const AttemptCount& count,
                          Plan& plan) {
  Condition as_found{.absent = !found.attempts, .equal = {}};
  if (found.attempts) {
    for (const char* attribute : kAttributes) {
      as_found.equal.emplace_back(attribute, found.attempts->value(attribute, Json()));
    }
  }
  Json item = item_key(found.keep, attempts_key(player));
  item["playerId"] = text_value(key_text(player, false));
  item["season"] = count_value(found.record.season);
  item["counting"] = count_value(found.record.counting);
  item["taken"] = count_value(count.taken);
  item["granted"] = number_value(count.granted);
  plan.parts.put(std::move(item), as_found);
}

Task<Result<Value>> Boards::write(const SentRequest& sent, const request::Grant& request) {
  Player of{.sent = sent, .player = request.player, .wants_attempts = true};
  Planner planner = [&](const Found& found) {
    Plan plan;
    if (found.spec->attempts == 0) {
      plan.answer = counts_no_attempts(sent.target.board);
      return plan;
    }
    AttemptCount count = found.taken;
    if (const Status valid = check_grants(count.granted, request.more); !valid) {
      plan.answer = valid.refusal();
      return plan;
    }
    count.granted += request.more;
    put_attempts(found, request.player, count, plan);
    plan.answer = Value(count.left(found.spec->attempts));
    return plan;
  };
  co_return co_await change_player(of, std::move(planner));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Attempts& request) {
  Result<Spec> spec = with_mutable_fields(*scope.sent->target.spec, scope.record.spec);
  if (!spec) co_return Refusal(Code::unavailable, "{}", spec.refusal().message());
  if (spec->attempts == 0 || !scope.running) co_return Value(std::optional<AttemptsOf>());
  AttemptCount count;
  if (check_player(request.player)) {
    const std::string keep = scope.record.keep(scope.board);
    std::vector<Json> wanted = {item_key(keep, attempts_key(request.player))};
    const Reply reply = co_await client_.get_all(std::move(wanted), scope.deadline);
    if (reply.refusal) co_return *reply.refusal;
    const Json& items = items_of(reply.body);
    if (!items.empty()) count = attempts_in(items.front(), scope.record);
  }
  co_return Value(std::optional(AttemptsOf{count.taken, count.left(spec->attempts)}));
}

}  // namespace laurel::dynamodb
