// Single players, counts and ranks.
#include <algorithm>
#include <cmath>

#include "base/checks.h"
#include "base/text.h"
#include "board/refusals.h"
#include "board/standings/places.h"
#include "remote/redis/request_handler.h"
#include "remote/redis/scripts/script_arguments.h"

namespace laurel::redis {

namespace {

Refusal damaged(std::string_view player) {
  return {Code::unavailable, "redis: the record of player \"{}\" is damaged", escaped(player)};
}

}  // namespace

RequestHandler::Answered<RequestHandler::Counted> RequestHandler::count(
    Context& context, std::vector<Probe> probes, std::optional<std::size_t> without) {
  Words arguments;
  for (const Probe& probe : probes) {
    Words own(kOfProbe.size());
    own[kOfProbe["score"]] = number_text(probe.stored);
    own[kOfProbe["member"]] = probe.member;
    std::move(own.begin(), own.end(), std::back_inserter(arguments));
  }
  std::vector<ShardCall> calls = to_all(context, arguments);
  if (without) calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(*without));
  const Result<Replies> replies = co_await ask_shards(context, Script::counts, std::move(calls));
  if (!replies) co_return replies.refusal();
  Counted counted;
  counted.probes.resize(probes.size());
  counted.distinct.resize(probes.size());
  for (const Reply& reply : *replies) {
    counted.size += count_of(reply[1]);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      RankCounts& sum = counted.probes[i];
      sum.better += count_of(reply[2 + 4 * i]);
      sum.not_worse += count_of(reply[3 + 4 * i]);
      sum.position += count_of(reply[4 + 4 * i]);
      counted.distinct[i] = known_count_of(reply[5 + 4 * i]);
    }
  }
  co_return counted;
}

RequestHandler::Answered<RequestHandler::PlacedPlayers> RequestHandler::find(
    Context& context, std::vector<std::string> players, std::optional<Ranking> ranking) {
  std::vector<std::vector<std::size_t>> by_shard(context.shards());
  for (std::size_t i = 0; i < players.size(); ++i) {
    by_shard[lane_of(*context.spec, players[i])].push_back(i);
  }
  std::vector<ShardCall> calls;
  for (std::size_t shard = 0; shard < by_shard.size(); ++shard) {
    if (by_shard[shard].empty()) continue;
    ShardCall call{shard, {}, {}};
    for (const std::size_t i : by_shard[shard]) {
      Words own(kOfFound.size());
      own[kOfFound["player"]] = players[i];
      own[kOfFound["part"]] = context.form.player_part(players[i]);
      std::move(own.begin(), own.end(), std::back_inserter(call.arguments));
    }
    calls.push_back(std::move(call));
  }
  const std::vector<ShardCall> asked = calls;
  const Result<Replies> replies = co_await ask_shards(context, Script::find, std::move(calls));
  if (!replies) co_return replies.refusal();

  std::vector<std::optional<Placed>> found(players.size());
  bool knows_distinct = true;
  PlacedPlayers placed;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const Reply& reply = (*replies)[c];
    placed.size += count_of(reply[1]);
    const std::vector<std::size_t>& indices = by_shard[asked[c].shard];
    for (std::size_t j = 0; j < indices.size(); ++j) {
      const Reply& each = reply[2 + j];
      if (each.list.empty()) continue;
      const std::string& player = players[indices[j]];
      Placed one;
      one.row.player = player;
      one.row.stored = number_of(each[0]);
      if (!RowForm::read_value(each[1].text, one.row)) co_return damaged(player);
      one.row.member = context.form.member(player, one.row.at);
      one.counts = {.better = count_of(each[3]),
                    .not_worse = count_of(each[4]),
                    .position = count_of(each[2])};
      const DistinctBetter distinct = known_count_of(each[5]);
      knows_distinct = knows_distinct && distinct;
      one.counts.distinct_better = distinct.value_or(0);
      found[indices[j]] = std::move(one);
    }
  }
  for (std::optional<Placed>& each : found) {
    if (each) placed.players.push_back(std::move(*each));
  }
  if (!ranking) co_return placed;
  if (context.shards() > 1) {
    std::vector<Probe> probes;
    for (const Placed& each : placed.players) {
      probes.push_back({each.row.stored, each.row.member});
    }
    const Result<Counted> counted = co_await count(context, std::move(probes), std::nullopt);
    if (!counted) co_return counted.refusal();
    placed.size = counted->size;
    for (std::size_t i = 0; i < placed.players.size(); ++i) {
      placed.players[i].counts = counted->probes[i];
    }
  }
  if (needed_of_row(*ranking).distinct_better && !knows_distinct) {
    std::vector<double> scores;
    for (const Placed& each : placed.players) scores.push_back(each.row.stored);
    const Result<std::vector<std::uint64_t>> distinct =
        co_await distinct_better(context, std::move(scores));
    if (!distinct) co_return distinct.refusal();
    for (std::size_t i = 0; i < placed.players.size(); ++i) {
      placed.players[i].counts.distinct_better = (*distinct)[i];
    }
  }
  co_return placed;
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context, const request::Get& what) {
  const Result<PlacedPlayers> found =
      co_await find(context, Words(1, what.player), context.spec->ranking);
  if (!found) co_return found.refusal();
  Listed listed;
  listed.size = found->size;
  for (const Placed& each : found->players) {
    show(context.form, each.row, listed.entries);
    listed.entries[0].rank = rank_of_row(context.spec->ranking, each.counts);
  }
  co_return Value(std::move(listed));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Held& what) {
  const Result<PlacedPlayers> found = co_await find(context, Words(1, what.player), std::nullopt);
  if (!found) co_return found.refusal();
  HeldEntry seen;
  for (const Placed& each : found->players) {
    seen.score = context.form.shown(each.row.stored);
    seen.at = each.row.at;
    seen.data = each.row.data;
  }
  if (what.id) {
    OwnedSubmission asked{.player = what.player};
    asked.id = what.id;
    const Result<bool> repeated = co_await repeats(context, std::move(asked));
    if (!repeated) co_return repeated.refusal();
    seen.repeats = *repeated;
  }
  co_return Value(std::move(seen));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Rank& what) {
  const Ranking ranking = what.ranking.value_or(context.spec->ranking);
  const Result<PlacedPlayers> found = co_await find(context, Words(1, what.player), ranking);
  if (!found) co_return found.refusal();
  std::optional<Standing> standing;
  for (const Placed& each : found->players) {
    standing = Standing{rank_of_row(ranking, each.counts), found->size};
  }
  co_return Value(standing);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::RankOf& what) {
  const double score = what.score;
  if (const Status valid = check_score(score); !valid) co_return valid.refusal();
  const std::optional<double> stored = context.form.stored(score);
  if (!stored) {
    co_return Refusal(Code::out_of_range, "the score {} is out of range for this board", score);
  }
  std::vector<Probe> probes(1);
  probes[0].stored = *stored;
  const Result<Counted> counted = co_await count(context, std::move(probes), std::nullopt);
  if (!counted) co_return counted.refusal();
  RankCounts counts = counted->probes[0];
  if (counted->distinct[0]) {
    counts.distinct_better = *counted->distinct[0];
  } else if (context.spec->ranking == Ranking::dense) {
    const Result<std::vector<std::uint64_t>> distinct =
        co_await distinct_better(context, std::vector<double>(1, *stored));
    if (!distinct) co_return distinct.refusal();
    counts.distinct_better = distinct->front();
  }
  co_return Value(rank_of_newcomer(context.spec->ranking, context.spec->ties, counts));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Count& what) {
  const auto bounds = context.form.bounds(what.range);
  if (!bounds) co_return Value(std::uint64_t{0});
  std::vector<Probe> ends;
  ends.push_back({bounds->best, {}});
  ends.push_back({bounds->worst, {}});
  const Result<Counted> counted = co_await count(context, std::move(ends), std::nullopt);
  if (!counted) co_return counted.refusal();
  co_return Value(counted->probes[1].not_worse - counted->probes[0].better);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context, const request::Size&) {
  const Result<Counted> counted = co_await count(context, std::vector<Probe>(), std::nullopt);
  if (!counted) co_return counted.refusal();
  co_return Value(counted->size);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Percentile& what) {
  const Result<PlacedPlayers> found =
      co_await find(context, Words(1, what.player), Ranking::competition);
  if (!found) co_return found.refusal();
  std::optional<double> percentile;
  for (const Placed& each : found->players) {
    const std::uint64_t not_worse = context.spec->ranking == Ranking::ordinal
                                        ? each.counts.position + 1
                                        : each.counts.not_worse;
    percentile = percentile_of(std::min(found->size, not_worse), found->size);
  }
  co_return Value(percentile);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Among& what) {
  std::vector<std::string> distinct = what.players;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Result<PlacedPlayers> found = co_await find(context, std::move(distinct), context.spec->ranking);
  if (!found) co_return found.refusal();
  std::vector<Placed>& placed = found->players;
  std::sort(placed.begin(), placed.end(),
            [&](const Placed& a, const Placed& b) { return context.form.before(a.row, b.row); });
  // Among themselves they rank as a board of their own would rank them.
  Listed listed;
  listed.size = found->size;
  std::uint64_t runs = 0;
  for (std::size_t i = 0; i < placed.size();) {
    std::size_t end = i + 1;
    while (end < placed.size() && placed[end].row.stored == placed[i].row.stored) ++end;
    RankCounts counts{.better = i, .not_worse = end, .distinct_better = runs++};
    for (; i < end; ++i) {
      counts.position = i;
      show(context.form, placed[i].row, listed.entries);
      Entry& entry = listed.entries[i];
      entry.rank = rank_of_row(context.spec->ranking, counts);
      entry.overall = rank_of_row(context.spec->ranking, placed[i].counts);
    }
  }
  co_return Value(std::move(listed));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context, const request::Banned&) {
  Batch batch;
  for (std::size_t shard = 0; shard < context.shards(); ++shard) {
    const std::string key = ShardKeys(context.sent.target.board, shard).banned();
    Call& call = batch.add();
    call.words.emplace_back("SMEMBERS");
    call.words.push_back(key);
    call.slot = slot_of(key);
    call.deadline = context.sent.deadline;
  }
  co_await cluster_.run(batch);
  std::vector<std::string> banned;
  for (Call& call : batch.calls) {
    if (call.outcome != CallOutcome::answered || call.reply.is_error())
      co_return refusal_of(call, false);
    for (Reply& player : call.reply.list) banned.push_back(std::move(player.text));
  }
  std::sort(banned.begin(), banned.end());
  co_return Value(std::move(banned));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context&, const request::Key&) {
  co_return no_other_engine("a key", "padded");
}

}  // namespace laurel::redis
