#include "remote/redis/request_handler.h"

#include <algorithm>
#include <variant>

#include "base/steady_clock.h"
#include "base/text.h"
#include "remote/limits.h"
#include "remote/redis/scripts/script_arguments.h"
#include "remote/request/spec_codec.h"

namespace laurel::redis {

Refusal no_such_board(const std::string& name) {
  return {Code::unknown, "no board is called \"{}\"", escaped(name, 64)};
}

std::shared_ptr<RequestHandler::Board> RequestHandler::board(const std::string& name) {
  std::shared_ptr<Board>& known = boards_[name];
  if (!known) known = std::make_shared<Board>(ready_);
  return known;
}

// The board does not exist.
void RequestHandler::forget(const std::string& name, const std::shared_ptr<Board>& known) {
  const auto found = boards_.find(name);
  if (found != boards_.end() && found->second == known) boards_.erase(found);
}

void RequestHandler::Board::learn(BoardFacts fresh, Time asked) {
  if (fresh.spec != facts.spec) known_.reset();
  facts = std::move(fresh);
  read_at = asked;
}

const Result<std::shared_ptr<const Spec>>& RequestHandler::Board::overlay(
    const std::shared_ptr<const Spec>& spec) {
  if (known_ == spec) return remote_spec_;
  known_ = spec;
  remote_spec_ = spec;
  agrees_ = same_mutable_fields(text_of(*spec), facts.spec);
  if (agrees_) return remote_spec_;
  Result<Spec> there = with_mutable_fields(*spec, facts.spec);
  if (there) {
    remote_spec_ = std::make_shared<const Spec>(std::move(*there));
  } else {
    remote_spec_ = Refusal(Code::unavailable, "the board's spec in Redis cannot be read here: {}",
                           there.refusal().message());
  }
  return remote_spec_;
}

bool RequestHandler::Board::agrees_with(const std::shared_ptr<const Spec>& spec) {
  (void)overlay(spec);
  return agrees_;
}

Refusal RequestHandler::refusal_of(const Call& call, bool is_post) {
  return refusal_of(call.outcome, call.reply, call.why, is_post);
}

Refusal RequestHandler::refusal_of(CallOutcome outcome, const Reply& reply, std::string_view why,
                                   bool is_post) {
  if (outcome == CallOutcome::unknown && !is_post) {
    return {Code::unavailable, "outcome unknown: redis {}", why};
  }
  if (outcome == CallOutcome::answered) {
    return {Code::unavailable, "redis: {}", reply.text};
  }
  return {Code::unavailable, "redis {}", why};
}

Refusal season_kept_ending(const SentRequest& sent, bool is_unknown) {
  return {Code::unavailable, "{}board \"{}\": its season ended during every attempt",
          is_unknown ? "outcome unknown: " : "", escaped(sent.target.board, 64)};
}

// Ensures that the cached state of the board is recent, and ends a season that is due.
RequestHandler::Answered<Done> RequestHandler::present(Context& context) {
  Board& board = *context.board;
  const SentRequest& sent = context.sent;
  // If the server's spec disagrees with the cache, either may be outdated: read again.
  const auto is_known = [&] {
    if (!board.facts.exists || board.read_at <= context.moved_at) return false;
    if (board.read_at + kRedisFactsAgeMax <= steady_now()) return false;
    return board.read_at > context.begun ||
           (!context.is_past() && board.agrees_with(sent.target.spec));
  };
  const auto is_due = [&] { return board.facts.due && sent.now >= *board.facts.due; };
  if (!board.gate.is_open() || !is_known() || is_due()) {
    co_await board.gate.enter();
    Status status = Done{};
    if (!is_known()) {
      const Time asked = steady_now();
      Result<BoardFacts> facts = co_await read_facts(sent.target.board, sent.deadline);
      if (facts) {
        board.learn(std::move(*facts), asked);
      } else {
        status = facts.refusal();
      }
    }
    if (status && board.facts.exists && is_due()) {
      status = co_await end_due_season(sent, board);
    }
    board.gate.leave();
    if (!status) co_return status.refusal();
  }
  const BoardFacts& facts = board.facts;
  if (!facts.exists) {
    forget(sent.target.board, context.board);
    co_return no_such_board(sent.target.board);
  }
  const auto& spec = board.overlay(sent.target.spec);
  if (!spec) co_return spec.refusal();
  context.spec = *spec;
  context.season = facts.season.number;
  if (!context.is_past()) co_return Done{};
  context.season = sent.target.season;
  const KeptSeason* const kept = facts.find(context.season);
  if (kept == nullptr) {
    co_return Refusal(Code::unknown, "season {} of board \"{}\" is not kept", context.season,
                      escaped(sent.target.board, 64));
  }
  if (context.spec->ranking != kept->ranking) {
    Spec then = *context.spec;
    then.ranking = kept->ranking;
    context.spec = std::make_shared<const Spec>(std::move(then));
  }
  co_return Done{};
}

Refusal no_players() {
  return {Code::unsupported, "players and sessions live here or in DynamoDB, not in Redis"};
}

Refusal no_copies() {
  return {Code::unsupported, "ended seasons are archived in DynamoDB, not in Redis"};
}

// ---- dispatch

Task<Result<Value>> RequestHandler::answer(SentRequest sent) {
  if (sent.target.copy_of) co_return no_copies();
  const auto begin_what = [&](const auto& what) { return begin(sent, what); };
  co_return co_await std::visit(begin_what, sent.what);
}

template <typename What>
RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest& sent, const What&) {
  if constexpr (kIsOfPlayers<What>) {
    return refused(no_players());
  } else {
    return answer_in_season(sent, &RequestHandler::answer_as<What>);
  }
}

RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest&,
                                                      const request::CopySeason&) {
  return refused(no_copies());
}
RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest&,
                                                      const request::TakeCopy&) {
  return refused(no_copies());
}
RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest&,
                                                      const request::ReadCopy&) {
  return refused(no_copies());
}
RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest&,
                                                      const request::ForgetCopied&) {
  return refused(no_copies());
}

RequestHandler::Answered<Value> RequestHandler::refused(Refusal refusal) { co_return refusal; }

RequestHandler::Answered<Value> RequestHandler::answer_in_season(const SentRequest& sent,
                                                                 Handler handler) {
  if (!sent.target.spec) {
    co_return Refusal(Code::unavailable, "the spec of board \"{}\" is not known yet",
                      escaped(sent.target.board, 64));
  }
  Context context(sent, board(sent.target.board));
  for (int tries = 0; tries < kRedisSeasonTriesMax; ++tries) {
    context.moved = false;
    const Status status = co_await present(context);
    if (!status) co_return status.refusal();
    if (context.is_past() && writes(sent.what)) {
      co_return Refusal(Code::closed, "season {} of board \"{}\" has ended", context.season,
                        escaped(sent.target.board, 64));
    }
    Result<Value> answered = co_await (this->*handler)(context);
    if (!context.moved) co_return answered;
    context.roll = true;
  }
  co_return season_kept_ending(sent);
}

Call& RequestHandler::add_script(Batch& batch, const Context& context, Script script,
                                 const ShardCall& call) {
  const ShardKeys keys(context.sent.target.board, call.shard);
  Words named = {keys.state(), keys.scores(context.season), keys.players(context.season)};
  if (script == Script::write || script == Script::player) {
    named.insert(named.end(),
                 {keys.hidden(context.season), keys.banned(), keys.joined(), keys.servers()});
    if (script == Script::write) named.push_back(keys.ids());
    named.push_back(keys.attempts(context.season));
    named.push_back(keys.distinct(context.season));
  } else if (script == Script::attempts) {
    named.push_back(keys.attempts(context.season));
  } else if (script == Script::repeats) {
    named.push_back(keys.ids());
  } else if (script == Script::clear) {
    named.push_back(keys.hidden(context.season));
    named.push_back(keys.distinct(context.season));
  } else if (script != Script::distinct && context.has_distinct()) {
    named.push_back(keys.distinct(context.season));
  }
  if (call.names_past) {
    for (const KeptSeason& kept : context.board->facts.kept) {
      const std::string scores = keys.scores(kept.season.number);
      const bool is_dense = kept.ranking == Ranking::dense && context.shards() == 1;
      named.push_back(scores);
      named.push_back(keys.players(kept.season.number));
      named.push_back(is_dense ? keys.distinct(kept.season.number) : scores);
    }
  }
  Call& added = batch.add();
  added.script = script;
  added.slot = slot_of(named.front());
  added.deadline = context.sent.deadline;
  added.writes = writes(context.sent.what);
  added.words.reserve(1 + named.size() + kOfShard.size() + call.arguments.size());
  added.words.push_back(std::to_string(named.size()));
  for (std::string& key : named) added.words.push_back(std::move(key));
  const std::size_t first = added.words.size();
  added.words.resize(first + kOfShard.size());
  added.words[first + kOfShard["season"]] =
      context.is_past() ? "-" : std::to_string(context.season);
  added.words[first + kOfShard["roll"]] = context.roll ? "1" : "0";
  added.words[first + kOfShard["order"]] = context.form.order();
  added.words[first + kOfShard["at_mode"]] = context.form.at_mode();
  added.words[first + kOfShard["counting"]] = std::to_string(context.board->facts.counting);
  if (context.has_distinct()) added.words[first + kOfShard["dense"]] = "1";
  added.words.insert(added.words.end(), call.arguments.begin(), call.arguments.end());
  return added;
}

std::vector<RequestHandler::ShardCall> RequestHandler::to_all(const Context& context,
                                                              const Words& arguments) const {
  std::vector<ShardCall> calls;
  for (std::size_t shard = 0; shard < context.shards(); ++shard) {
    calls.push_back({shard, arguments, {}});
  }
  return calls;
}

RequestHandler::Answered<RequestHandler::Replies> RequestHandler::ask_shards(
    Context& context, Script script, std::vector<ShardCall> calls) {
  Batch batch;
  for (const ShardCall& call : calls) add_script(batch, context, script, call);
  co_await cluster_.run(batch);
  Replies replies;
  for (Call& call : batch.calls) {
    if (call.outcome != CallOutcome::answered || call.reply.is_error())
      co_return refusal_of(call, false);
    if (call.reply[0].text == "season") context.moved = true;
    replies.push_back(std::move(call.reply));
  }
  if (context.moved) {
    context.moved_at = steady_now();
    co_return Refusal(Code::unavailable, "the season ended meanwhile");
  }
  co_return replies;
}

std::shared_ptr<const Gathering::Head> RequestHandler::head(const Context& context, Script script,
                                                            const ShardCall& call) {
  const auto make = [&](const ShardCall& named) {
    Batch batch;
    Call& added = add_script(batch, context, script, named);
    return std::make_shared<const Gathering::Head>(
        Gathering::Head{script, std::move(added.words), added.slot});
  };
  if (script != Script::write) return make(call);
  Board::Heads& heads = context.board->heads;
  const std::uint64_t counting = context.board->facts.counting;
  if (heads.spec != context.spec || heads.season != context.season || heads.counting != counting ||
      heads.roll != context.roll) {
    heads = {context.spec, context.season, counting, context.roll, {}};
    heads.of.resize(context.shards());
  }
  std::shared_ptr<const Gathering::Head>& known = heads.of[call.shard];
  if (!known) known = make({call.shard, submission_head(context, call.shard), {}});
  return known;
}

RequestHandler::Answered<Reply> RequestHandler::write_shard(Context& context, Script script,
                                                            ShardCall call, bool is_post) {
  for (int tries = 0; tries < kRedisSeasonTriesMax; ++tries) {
    Gathering::Piece piece;
    piece.head = head(context, script, call);
    if (script == Script::write) piece.words = &call.arguments;
    piece.deadline = context.sent.deadline;
    piece.is_post = is_post;
    co_await gathering_.run(piece);
    if (piece.outcome != CallOutcome::answered || piece.reply.is_error()) {
      co_return refusal_of(piece.outcome, piece.reply, piece.why, is_post);
    }
    if (piece.reply[0].text != "season") co_return std::move(piece.reply);
    context.follow_season();
    const Status status = co_await present(context);
    if (!status) co_return status.refusal();
  }
  co_return season_kept_ending(context.sent);
}

}  // namespace laurel::redis
