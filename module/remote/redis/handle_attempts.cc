// How many results of a player a season took, and grants.
#include <utility>

#include "base/checks.h"
#include "board/refusals.h"
#include "board/validate.h"
#include "remote/redis/request_handler.h"
#include "remote/redis/scripts/script_arguments.h"

namespace laurel::redis {

RequestHandler::ShardCall RequestHandler::attempts_call(const Context& context,
                                                        const std::string& player,
                                                        std::string more) const {
  ShardCall call{lane_of(*context.spec, player), Words(kOfAttempts.size()), {}};
  call.arguments[kOfAttempts["most_attempts"]] = std::to_string(context.spec->attempts);
  call.arguments[kOfAttempts["player"]] = player;
  call.arguments[kOfAttempts["more"]] = std::move(more);
  return call;
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Attempts& what) {
  if (context.spec->attempts == 0 || context.is_past()) {
    co_return Value(std::optional<AttemptsOf>());
  }
  std::vector<ShardCall> calls;
  calls.push_back(attempts_call(context, what.player, ""));
  const Result<Replies> replies = co_await ask_shards(context, Script::attempts, std::move(calls));
  if (!replies) co_return replies.refusal();
  const Reply& reply = replies->front();
  co_return Value(std::optional(AttemptsOf{count_of(reply[1]), count_of(reply[2])}));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Grant& what) {
  if (const Status valid = check_player(what.player); !valid) co_return valid.refusal();
  if (context.spec->attempts == 0) co_return counts_no_attempts(context.sent.target.board);
  if (const Status valid = check_grants(0, what.more); !valid) co_return valid.refusal();
  ShardCall call = attempts_call(context, what.player, std::to_string(what.more));
  const Result<Reply> reply =
      co_await write_shard(context, Script::attempts, std::move(call), false);
  if (!reply) co_return reply.refusal();
  if ((*reply)[1].text == "range") {
    co_return check_grants(kScaledMax + 1, kScaledMax).refusal();
  }
  co_return Value(count_of((*reply)[2]));
}

}  // namespace laurel::redis
