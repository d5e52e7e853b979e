// Submissions, joins and bans.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/checks.h"
#include "base/limits.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "board/refusals.h"
#include "board/validate.h"
#include "remote/redis/request_handler.h"
#include "remote/redis/scripts/script_arguments.h"

namespace laurel::redis {

namespace {

// When a locally detected refusal applies: before admission is checked, or after it.
constexpr std::string_view kBefore = "1";
constexpr std::string_view kAfter = "2";

constexpr std::size_t kFirstPlace = 8;  // index of the first position in an answer of `write`

std::string_view keep_word(WriteMode how, Keep keep) {
  if (how == WriteMode::add) return "s";
  if (how == WriteMode::set) return "m";
  if (how == WriteMode::hold) return "l";
  switch (keep) {
    case Keep::best: return "b";
    case Keep::latest: return "l";
    case Keep::sum: return "s";
    case Keep::first: return "f";
  }
  return "b";
}

std::string data_word(const std::optional<std::string>& data) {
  return data ? "d" + *data : std::string();
}

Time time_of(const Reply& reply) { return std::strtoll(reply.text.c_str(), nullptr, 10); }

// `arguments` is the table of the words.
template <const auto& arguments>
void write_post(const std::optional<PostNumber>& post, Words& words) {
  if (!post) return;
  words[arguments["server"]] = std::to_string(post->server);
  words[arguments["number"]] = std::to_string(post->number);
  words[arguments["before"]] = std::to_string(post->before);
}

// An argument of scripts: how packed scores have the columns.
std::string columns_word(const ScoreColumns& columns) {
  std::string word;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ScoreColumns::PackedField field = columns.packed_field(i);
    word += fmt::format("{} {} {} {} {};", std::uint64_t{1} << field.shift,
                        std::uint64_t{1} << field.bits, field.min, field.max, field.turned ? 1 : 0);
  }
  return word;
}

// The refusal of a sum; `held` is the stored score, or "".
Refusal sum_refusal(const Spec& spec, const RowForm& form, const OwnedSubmission& what,
                    const Reply& held, const Reply& offered) {
  if (!spec.columns) {
    return out_of_range(ScoreForm(spec.order, spec.decimals),
                        fmt::format("the sum of {} and {}", form.shown(number_of(held)),
                                    form.shown(number_of(offered))));
  }
  std::optional<double> before;
  if (!held.text.empty()) before = form.shown(number_of(held));
  const Result<ColumnValues> differences = differences_of(*spec.columns, what);
  if (!differences) return differences.refusal();
  const Result<double> sum = spec.columns->sum(before, *differences);
  return sum ? Refusal(Code::out_of_range, "the sum of columns is out of range") : sum.refusal();
}

// An argument of scripts: the id of a result. On a board of several shards, which no script sees
// together, the id is its player's.
std::string id_word(const Spec& spec, const OwnedSubmission& what, Time now) {
  const bool is_sharded = spec.engine == EngineKind::sharded;
  return fmt::format("{} {}{}", now, is_sharded ? what.player + '\0' : "", *what.id);
}

Refusal post_missing(const std::optional<PostNumber>* post) {
  return {Code::unavailable, "post {}, which comes before it, is missing", (*post)->before};
}

}  // namespace

// The score or the differences that a submission offers, as an argument of scripts. Fails with
// out_of_range.
Result<std::string> RequestHandler::score_word(const Context& context,
                                               const Submitting& submitting) {
  const OwnedSubmission& what = *submitting.what;
  const Spec& spec = *context.spec;
  if (!spec.columns) {
    if (const auto stored = context.form.stored(what.score)) return number_text(*stored);
    return out_of_range(ScoreForm(spec.order, spec.decimals),
                        fmt::format("the score {}", what.score));
  }
  if (!adds(spec.keep, submitting.how)) {
    const Result<double> whole = whole_score_of(*spec.columns, what);
    if (!whole) return whole.refusal();
    return number_text(*context.form.stored(*whole));
  }
  const Result<ColumnValues> differences = differences_of(*spec.columns, what);
  if (!differences) return differences.refusal();
  std::string word;
  for (std::size_t i = 0; i < differences->count; ++i) {
    word += fmt::format("{};", spec.columns->scaled_value(i, differences->values[i]));
  }
  return word;
}

// The script's arguments for one submission. A submission that is refused locally is sent too: a
// post's number must be remembered, and a ban takes precedence.
Words RequestHandler::words_of(const Context& context, const Submitting& submitting,
                               std::optional<Refusal>& refused) const {
  const OwnedSubmission& what = *submitting.what;
  const Spec& spec = *context.spec;
  const Time now = context.sent.now;
  std::string_view where;
  const auto refuse = [&](const Refusal& why, std::string_view at) {
    if (refused) return;
    refused = why;
    where = at;
  };
  const Status identity = what.id ? check_identity(what.view()) : Done{};
  if (!identity) refuse(identity.refusal(), kBefore);
  if (const Status valid = check_submission(what.view()); !valid) refuse(valid.refusal(), kBefore);
  if (submitting.how != WriteMode::set) {
    const RunningSeason season = context.board->facts.running();
    const Status open = check_hours(spec, context.sent.target.board, season, now);
    if (!open) refuse(open.refusal(), kBefore);
  }
  std::string score = "0";
  if (!refused) {
    if (Result<std::string> word = score_word(context, submitting)) {
      score = std::move(*word);
    } else {
      refuse(word.refusal(), kAfter);
    }
  }
  Words words(kOfSubmission.size());
  words[kOfSubmission["player"]] = what.player;
  words[kOfSubmission["part"]] = context.form.player_part(what.player);
  words[kOfSubmission["keep"]] = keep_word(submitting.how, spec.keep);
  words[kOfSubmission["score"]] = std::move(score);
  words[kOfSubmission["refused"]] = where;
  if (!refused) {
    words[kOfSubmission["data"]] = data_word(what.data);
    if (what.at) {
      words[kOfSubmission["at"]] = std::to_string(time_from_seconds(*what.at).value_or(0));
    }
  }
  if (submitting.expected != nullptr && *submitting.expected) {
    const HeldEntry& seen = **submitting.expected;
    const auto judged = seen.score ? context.form.stored(*seen.score) : std::nullopt;
    words[kOfSubmission["judged"]] = judged ? number_text(*judged) : "-";
    words[kOfSubmission["judged_at"]] = std::to_string(seen.at);
    words[kOfSubmission["judged_data"]] = data_word(seen.data);
  }
  if (submitting.post != nullptr) write_post<kOfSubmission>(*submitting.post, words);
  words[kOfSubmission["joins"]] = submitting.joins ? "1" : "0";
  words[kOfSubmission["reports"]] = submitting.reports ? "1" : "0";
  if (what.id && identity) words[kOfSubmission["id"]] = id_word(spec, what, now);
  return words;
}

Words RequestHandler::submission_head(const Context& context, std::size_t shard) const {
  Words words(kOfWrite.size());
  if (context.spec->decimals) words[kOfWrite["limit"]] = std::to_string(kScaledMax);
  words[kOfWrite["required"]] = context.spec->join == Join::required ? "1" : "0";
  words[kOfWrite["channel"]] = ShardKeys(context.sent.target.board, shard).channel();
  words[kOfWrite["watched"]] = std::to_string(kWatchTopMax);
  const std::size_t shards = context.shards();
  words[kOfWrite["most_ids"]] = std::to_string((kResultIdsMax + shards - 1) / shards);
  const Spec& spec = *context.spec;
  if (spec.attempts != 0) words[kOfWrite["most_attempts"]] = std::to_string(spec.attempts);
  if (spec.capacity != 0) words[kOfWrite["capacity"]] = std::to_string(spec.capacity);
  if (spec.columns) words[kOfWrite["columns"]] = columns_word(*spec.columns);
  return words;
}

Result<Written> RequestHandler::written_of(const Context& context, const Submitting& submitting,
                                           const std::optional<Refusal>& refused,
                                           const Reply& reply) const {
  const std::string& word = reply[0].text;
  const std::string& player = submitting.what->player;
  const std::string& board = context.sent.target.board;
  Written written;
  if (word == "done") {
    if (!reply[1].text.empty()) written.score = context.form.shown(number_of(reply[1]));
    written.changed = reply[submitting.joins ? 3 : 2].integer == 1;
  } else if (word == "joined") {
    if (!reply[1].text.empty()) written.score = context.form.shown(number_of(reply[1]));
  } else if (word == "again") {
    written.again = true;
  } else if (word == "stale") {
    written.stale = true;
  } else if (word == "gap") {
    return post_missing(submitting.post);
  } else if (word == "banned") {
    return banned(player, board);
  } else if (word == "not_joined") {
    return not_joined(player, board);
  } else if (word == "exhausted") {
    return exhausted(player, board, context.spec->attempts);
  } else if (word == "full") {
    return full(board, context.spec->capacity);
  } else if (word == "refused" && refused) {
    return *refused;
  } else if (word == "sum") {
    return sum_refusal(*context.spec, context.form, *submitting.what, reply[1], reply[2]);
  } else {
    return Refusal(Code::unavailable, "redis: a script gave the unknown answer \"{}\"",
                   escaped(word, 64));
  }
  return written;
}

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
                      .position = count_of(reply[i])};
  };
  std::uint64_t size_before = count_of(reply[kFirstPlace - 1]);
  RankCounts before = counts_at(kFirstPlace + 1);
  RankCounts after = counts_at(kFirstPlace + 4);
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
    context.moved_at = steady_now();
    context.roll = true;
    const Status status = co_await present(context);
    if (!status) co_return status.refusal();
  }
  co_return Refusal(Code::unavailable,
                    "outcome unknown: board \"{}\": its season ended during every attempt",
                    escaped(context.sent.target.board, 64));
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
  if ((*reply)[1].text == "gap") co_return post_missing(&post);
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
    context.moved_at = steady_now();
    context.roll = true;
    const Status status = co_await present(context);
    if (!status) co_return status.refusal();
  }
  co_return Refusal(Code::unavailable,
                    "outcome unknown: board \"{}\": its season ended during every attempt",
                    escaped(context.sent.target.board, 64));
}

}  // namespace laurel::redis
