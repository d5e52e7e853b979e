// Submissions, joins and bans.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/checks.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "board/refusals.h"
#include "board/validate.h"
#include "remote/limits.h"
#include "remote/redis/request_handler.h"
#include "remote/redis/scripts/script_arguments.h"
#include "remote/redis/submission_words.h"

namespace laurel::redis {

namespace {

// In an answer of `write` to a report: where the counts of the place before and after begin.
constexpr std::size_t kPlaceBefore = 9;
constexpr std::size_t kPlaceAfter = 13;

Time time_of(const Reply& reply) { return std::strtoll(reply.text.c_str(), nullptr, 10); }

}  // namespace

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Write& what) {
  return write(context, {.what = &what.what,
                         .how = what.how,
                         .joins = false,
                         .reports = what.report,
                         .expected = &what.expected,
                         .post = &what.post});
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Join& what) {
  if (!what.with_score) return join_only(context, what.what.player);
  return write(context, {.what = &what.what,
                         .how = what.how,
                         .joins = true,
                         .reports = false,
                         .expected = &what.expected,
                         .post = nullptr});
}

RequestHandler::Answered<bool> RequestHandler::repeats(Context& context, OwnedSubmission what) {
  const std::size_t shard = lane_of(*context.spec, what.player);
  std::vector<ShardCall> calls;
  calls.push_back({shard, {id_word(*context.spec, what, context.sent.now)}, {}});
  const Result<Replies> replies = co_await ask_shards(context, Script::repeats, std::move(calls));
  if (!replies) co_return replies.refusal();
  co_return (*replies)[0][1].integer == 1;
}

RequestHandler::Answered<Value> RequestHandler::write(Context& context, Submitting submitting) {
  const bool is_post = submitting.post != nullptr && *submitting.post;
  const std::string& player = submitting.what->player;
  if (!is_post) {
    if (const Status valid = check_player(player); !valid) co_return valid.refusal();
  }
  std::optional<Refusal> refused;
  const std::size_t shard = lane_of(*context.spec, player);
  ShardCall call{shard, words_of(context, submitting, refused), {}};
  const Result<Reply> reply =
      co_await write_shard(context, Script::write, std::move(call), is_post);
  if (!reply) co_return reply.refusal();
  const Reply& answer = (*reply)[1];
  Result<Written> written = written_of(context, submitting, refused, answer);
  if (!written) co_return written.refusal();
  if (submitting.reports && answer[0].text == "done") {
    // The other shards are read after the write. If that fails, the submission was written without
    // a report.
    const Status reported = co_await report(context, submitting, answer, *written);
    if (!reported) {
      context.moved = false;
      co_return Refusal(Code::unavailable, "outcome unknown: written, but {}",
                        reported.refusal().message());
    }
  }
  co_return Value(std::move(*written));
}

// Positions before and after on the whole board: those of its own shard as the script saw them,
// plus those of the other shards now.
RequestHandler::Answered<Done> RequestHandler::report(Context& context, Submitting submitting,
                                                      const Reply& reply, Written& written) {
  const std::string& player = submitting.what->player;
  const Ranking ranking = context.spec->ranking;
  Change change{.player = player, .board = context.sent.target.board};
  change.columns = context.spec->columns;
  change.score = written.score;
  change.changed = reply[2].integer == 1;
  change.at = time_of(reply[4]);
  if (!change.score) {  // the result was accepted before, and the entry is gone
    written.change = std::move(change);
    co_return Done{};
  }
  const bool was_held = !reply[5].text.empty();
  const double stored = number_of(reply[1]);
  const double stored_before = number_of(reply[5]);
  const auto counts_at = [&](std::size_t i) {
    return RankCounts{.better = count_of(reply[i + 1]),
                      .not_worse = count_of(reply[i + 2]),
                      .distinct_better = known_count_of(reply[i + 3]).value_or(0),
                      .position = count_of(reply[i])};
  };
  std::uint64_t size_before = count_of(reply[kPlaceBefore - 2]);
  RankCounts before = counts_at(kPlaceBefore);
  RankCounts after = counts_at(kPlaceAfter);
  if (context.shards() > 1) {
    std::vector<Probe> probes;
    probes.push_back({stored, context.form.member(player, change.at)});
    if (was_held) {
      probes.push_back({stored_before, context.form.member(player, time_of(reply[6]))});
    }
    const Result<Counted> others =
        co_await count(context, std::move(probes), lane_of(*context.spec, player));
    if (!others) co_return others.refusal();
    const auto add = [](RankCounts& sum, const RankCounts& more) {
      sum.better += more.better;
      sum.not_worse += more.not_worse;
      sum.position += more.position;
    };
    add(after, others->probes[0]);
    if (was_held) add(before, others->probes[1]);
    size_before += others->size;
  }
  const bool knows_distinct = known_count_of(reply[kPlaceAfter + 3]) &&
                              (!was_held || known_count_of(reply[kPlaceBefore + 3]));
  if (needed_of_row(ranking).distinct_better && !knows_distinct) {
    std::vector<double> scores = {stored};
    if (was_held) scores.push_back(stored_before);
    const Result<std::vector<std::uint64_t>> distinct =
        co_await distinct_better(context, std::move(scores));
    if (!distinct) co_return distinct.refusal();
    after.distinct_better = distinct->front();
    before.distinct_better = distinct->back();
    // Before, the board had the new score only if another entry has it.
    const bool is_new = after.not_worse - after.better == 1;
    if (is_new && context.form.better(stored, stored_before)) {
      before.distinct_better -= std::min<std::uint64_t>(before.distinct_better, 1);
    }
  }
  if (was_held) {
    change.previous = context.form.shown(stored_before);
    change.previous_rank = rank_of_row(ranking, before);
  } else {
    before.position = size_before;  // a new entry starts from the last position
  }
  change.rank = rank_of_row(ranking, after);
  change.passed = before.position - std::min(before.position, after.position);
  written.change = std::move(change);
  co_return Done{};
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::WriteAll& what) {
  struct Chunk {
    std::size_t shard = 0;
    std::vector<std::size_t> indices;
  };
  // The chunks of one shard are sent in sequence, those of different shards concurrently.
  std::vector<std::deque<Chunk>> chunks(context.shards());
  for (std::size_t i = 0; i < what.what.size(); ++i) {
    std::deque<Chunk>& own = chunks[lane_of(*context.spec, what.what[i].player)];
    if (own.empty() || own.back().indices.size() == kRedisAtOnceMax) {
      own.push_back({lane_of(*context.spec, what.what[i].player), {}});
    }
    own.back().indices.push_back(i);
  }
  WrittenAll all;
  for (int moves = 0; moves < kRedisSeasonTriesMax;) {
    Batch batch;
    std::vector<std::size_t> shards;
    std::vector<std::vector<std::optional<Refusal>>> refused;
    for (const std::deque<Chunk>& own : chunks) {
      if (own.empty()) continue;
      const Chunk& chunk = own.front();
      ShardCall call{chunk.shard, submission_head(context, chunk.shard), {}};
      std::vector<std::optional<Refusal>>& no = refused.emplace_back(chunk.indices.size());
      for (std::size_t j = 0; j < chunk.indices.size(); ++j) {
        const Submitting submitting{.what = &what.what[chunk.indices[j]]};
        Words words = words_of(context, submitting, no[j]);
        std::move(words.begin(), words.end(), std::back_inserter(call.arguments));
      }
      shards.push_back(chunk.shard);
      add_script(batch, context, Script::write, call);
    }
    if (shards.empty()) {
      std::sort(all.refused.begin(), all.refused.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      co_return Value(std::move(all));
    }
    co_await cluster_.run(batch);
    bool moved = false;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const Call& call = batch.calls[i];
      if (call.outcome != CallOutcome::answered || call.reply.is_error())
        co_return refusal_of(call, false);
      if (call.reply[0].text == "season") {
        moved = true;
        continue;
      }
      const Chunk chunk = std::move(chunks[shards[i]].front());
      chunks[shards[i]].pop_front();
      for (std::size_t j = 0; j < chunk.indices.size(); ++j) {
        const std::size_t index = chunk.indices[j];
        const Submitting submitting{.what = &what.what[index]};
        const Result<Written> written =
            written_of(context, submitting, refused[i][j], call.reply[1][j]);
        if (!written) {
          all.refused.emplace_back(index, written.refusal());
        } else if (written->changed) {
          ++all.changed;
        }
      }
    }
    if (!moved) continue;
    ++moves;
    context.follow_season();
    const Status status = co_await present(context);
    if (!status) co_return status.refusal();
  }
  co_return season_kept_ending(context.sent, true);
}

RequestHandler::Answered<Reply> RequestHandler::change_player(Context& context,
                                                              std::string_view what,
                                                              const std::string& player,
                                                              std::optional<PostNumber> post) {
  const std::size_t shard = lane_of(*context.spec, player);
  ShardCall call{shard, Words(kOfPlayer.size()), what == "forget"};
  call.arguments[kOfPlayer["what"]] = what;
  call.arguments[kOfPlayer["player"]] = player;
  call.arguments[kOfPlayer["part"]] = context.form.player_part(player);
  call.arguments[kOfPlayer["channel"]] = ShardKeys(context.sent.target.board, shard).channel();
  write_post<kOfPlayer>(post, call.arguments);
  co_return co_await write_shard(context, Script::player, std::move(call), post.has_value());
}

RequestHandler::Answered<Value> RequestHandler::changed_player(Context& context,
                                                               std::string_view what,
                                                               const std::string& player,
                                                               std::optional<PostNumber> post) {
  if (const Status valid = check_player(player); !valid) co_return valid.refusal();
  const Result<Reply> reply = co_await change_player(context, what, player, post);
  if (!reply) co_return reply.refusal();
  if ((*reply)[1].text == "gap") co_return post_missing(*post);
  const bool done = (*reply)[1].integer != 0;  // false for a post that was applied before
  if (what == "forget") co_return Value(count_of((*reply)[1]));
  co_return Value(done);
}

RequestHandler::Answered<Value> RequestHandler::join_only(Context& context,
                                                          const std::string& player) {
  if (const Status valid = check_player(player); !valid) co_return valid.refusal();
  const Result<Reply> reply = co_await change_player(context, "join", player, std::nullopt);
  if (!reply) co_return reply.refusal();
  if ((*reply)[1].text == "banned") {
    co_return banned(player, context.sent.target.board);
  }
  Written written;
  written.changed = (*reply)[1].integer == 1;
  if (const Reply& score = (*reply)[2]; !score.text.empty()) {
    written.score = context.form.shown(number_of(score));
  }
  co_return Value(std::move(written));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Remove& what) {
  return changed_player(context, "remove", what.player, {});
}
RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Leave& what) {
  return changed_player(context, "leave", what.player, {});
}
RequestHandler::Answered<Value> RequestHandler::answer(Context& context, const request::Ban& what) {
  return changed_player(context, "ban", what.player, what.post);
}
RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Unban& what) {
  return changed_player(context, "unban", what.player, what.post);
}
RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Forget& what) {
  return changed_player(context, "forget", what.player, what.post);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context, const request::Clear&) {
  std::uint64_t listed = 0;
  std::vector<std::size_t> pending(context.shards());
  for (std::size_t shard = 0; shard < pending.size(); ++shard) pending[shard] = shard;
  for (int moves = 0; moves < kRedisSeasonTriesMax; ++moves) {
    Batch batch;
    for (const std::size_t shard : pending) {
      const ShardKeys keys(context.sent.target.board, shard);
      add_script(batch, context, Script::clear, {shard, {keys.channel()}, {}});
    }
    co_await cluster_.run(batch);
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const Call& call = batch.calls[i];
      if (call.outcome != CallOutcome::answered || call.reply.is_error())
        co_return refusal_of(call, false);
      if (call.reply[0].text == "season") {
        moved.push_back(pending[i]);
      } else {
        listed += count_of(call.reply[1]);
      }
    }
    if (moved.empty()) co_return Value(listed);
    pending = std::move(moved);
    context.follow_season();
    const Status status = co_await present(context);
    if (!status) co_return status.refusal();
  }
  co_return season_kept_ending(context.sent, true);
}

}  // namespace laurel::redis
