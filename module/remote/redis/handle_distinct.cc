// Dense ranks: how many distinct scores are better.
//
//   one shard   with dense ranks: its set of distinct scores knows it, O(log n). If the ranking was
//               changed while the season had entries, the set is extended as far as a rank needs
//               it, in steps: together they cost what one scan costs.
//   otherwise   with several shards, which may have the same score, or for a rank in another mode
//               than the board's own: the distinct scores are read from the best on, in steps, and
//               merged. That takes time in proportion to their number; the request's deadline ends
//               it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "remote/limits.h"
#include "remote/redis/request_handler.h"
#include "remote/redis/scripts/script_arguments.h"

namespace laurel::redis {

namespace {

// The distinct scores of one shard, the best first.
struct ShardScores {
  std::string after;           // the last one that was read
  std::vector<double> scores;  // not merged yet
  bool has_more = true;
};

}  // namespace

RequestHandler::Answered<std::vector<std::uint64_t>> RequestHandler::distinct_better(
    Context& context, std::vector<double> stored) {
  if (stored.empty()) co_return std::vector<std::uint64_t>();
  if (!context.has_distinct()) co_return co_await scan_distinct(context, std::move(stored));
  const double worst = *std::ranges::max_element(
      stored, [&](double a, double b) { return context.form.better(a, b); });
  // It is repeated if a server that knew an older ranking has dropped the set meanwhile.
  for (int tries = 0; tries < kRedisSeasonTriesMax; ++tries) {
    const Status extended = co_await extend_distinct(context, worst);
    if (!extended) co_return extended.refusal();
    std::vector<Probe> probes;
    for (const double each : stored) probes.push_back({each, {}});
    const Result<Counted> counted = co_await count(context, std::move(probes), std::nullopt);
    if (!counted) co_return counted.refusal();
    const auto is_known = [](const DistinctBetter& each) { return each.has_value(); };
    if (!std::ranges::all_of(counted->distinct, is_known)) continue;
    std::vector<std::uint64_t> distinct;
    for (const DistinctBetter& each : counted->distinct) distinct.push_back(*each);
    co_return distinct;
  }
  co_return Refusal(Code::unavailable, "board \"{}\": its ranking changed during every attempt",
                    escaped(context.sent.target.board, 64));
}

// Until the set has all scores that are as good as `least`, or better.
RequestHandler::Answered<Done> RequestHandler::extend_distinct(Context& context, double least) {
  for (;;) {
    ShardCall call{0, Words(kOfExtend.size()), {}};
    call.arguments[kOfExtend["number_of_season"]] = std::to_string(context.season);
    call.arguments[kOfExtend["most"]] = std::to_string(kRedisDistinctAtOnce);
    const Result<Replies> replies =
        co_await ask_shards(context, Script::extend, std::vector<ShardCall>(1, std::move(call)));
    if (!replies) co_return replies.refusal();
    if (!context.form.better(number_of(replies->front()[1]), least)) co_return Done{};
  }
}

// Each round reads on in the shards of which little is left, and merges as far as all are known.
RequestHandler::Answered<std::vector<std::uint64_t>> RequestHandler::scan_distinct(
    Context& context, std::vector<double> stored) {
  const auto better = [&](double a, double b) { return context.form.better(a, b); };
  std::vector<std::size_t> asked(stored.size());  // the best score first
  std::iota(asked.begin(), asked.end(), std::size_t{0});
  std::ranges::sort(asked,
                    [&](std::size_t a, std::size_t b) { return better(stored[a], stored[b]); });
  const std::string till = number_text(stored[asked.back()]);
  std::vector<std::uint64_t> distinct(stored.size());
  std::uint64_t met = 0;
  std::size_t next = 0;  // of `asked`: not counted yet
  std::vector<ShardScores> parts(context.shards());
  for (ShardScores& part : parts) part.after = context.spec->order == Order::desc ? "+inf" : "-inf";
  std::vector<double> merged;
  for (bool has_more = true; has_more;) {
    std::vector<ShardCall> calls;
    for (std::size_t shard = 0; shard < parts.size(); ++shard) {
      const ShardScores& part = parts[shard];
      if (!part.has_more || part.scores.size() > kRedisDistinctAtOnce / 2) continue;
      ShardCall& call = calls.emplace_back(ShardCall{shard, Words(kOfDistinct.size()), {}});
      call.arguments[kOfDistinct["after"]] = part.after;
      call.arguments[kOfDistinct["till"]] = till;
      call.arguments[kOfDistinct["most"]] = std::to_string(kRedisDistinctAtOnce);
    }
    std::vector<std::size_t> read;
    for (const ShardCall& call : calls) read.push_back(call.shard);
    const Result<Replies> replies =
        co_await ask_shards(context, Script::distinct, std::move(calls));
    if (!replies) co_return replies.refusal();
    for (std::size_t i = 0; i < read.size(); ++i) {
      const Reply& reply = (*replies)[i];
      ShardScores& part = parts[read[i]];
      part.has_more = false;
      for (const Reply& score : reply[2].list) {
        const double number = number_of(score);
        if (std::isnan(number)) continue;  // of a server that is not what it should be
        part.scores.push_back(number);
        part.after = score.text;
        part.has_more = reply[1].integer == 1;
      }
    }
    // All scores are known up to the last one of the shard of which the least is known.
    has_more = false;
    std::optional<double> known;
    for (const ShardScores& part : parts) {
      if (!part.has_more) continue;
      has_more = true;
      if (!known || better(part.scores.back(), *known)) known = part.scores.back();
    }
    merged.clear();
    for (ShardScores& part : parts) {
      const auto end =
          known ? std::ranges::upper_bound(part.scores, *known, better) : part.scores.end();
      merged.insert(merged.end(), part.scores.begin(), end);
      part.scores.erase(part.scores.begin(), end);
    }
    std::ranges::sort(merged, better);
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    for (const double score : merged) {
      while (next < asked.size() && !better(score, stored[asked[next]])) {
        distinct[asked[next++]] = met;
      }
      ++met;
    }
  }
  while (next < asked.size()) distinct[asked[next++]] = met;
  co_return distinct;
}

}  // namespace laurel::redis
