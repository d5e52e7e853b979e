// Lists of entries: tops, pages, bottoms, surroundings, ranges.
#include <algorithm>
#include <cstdlib>

#include "base/limits.h"
#include "base/text.h"
#include "engine/gather/row_merge.h"
#include "engine/sharded/fetch_size.h"
#include "remote/redis/request_handler.h"
#include "remote/redis/scripts/script_arguments.h"

namespace laurel::redis {

namespace {

Refusal too_long(std::size_t n) {
  return {Code::unsupported,
          "{} entries are too many for one answer: a board in Redis lists at"
          " most {} at once",
          n, kRedisListMax};
}

}  // namespace

void RequestHandler::show(const RowForm& form, const Row& row, Entries& entries) {
  Arena& arena = entries.arena();
  Entry& entry = entries.add();
  entry.player = arena.keep(row.player);
  entry.score = form.shown(row.stored);
  entry.at = row.at;
  if (row.data) entry.data = arena.keep(*row.data);
}

// Parses the answer of the script `rows`.
Result<RequestHandler::Gathered> RequestHandler::rows_of(const RowForm& form, const Reply& reply) {
  Gathered gathered;
  gathered.size = count_of(reply[1]);
  gathered.first = count_of(reply[2]);
  gathered.better = count_of(reply[3]);
  gathered.not_worse = count_of(reply[4]);
  const std::vector<Reply>& list = reply[5].list;
  for (std::size_t i = 0; i + 2 < list.size(); i += 3) {
    Row row;
    row.member = list[i].text;
    row.stored = std::strtod(list[i + 1].text.c_str(), nullptr);
    std::optional<std::string> player = form.player_of(row.member);
    if (!player || !RowForm::read_value(list[i + 2].text, row)) {
      return Refusal(Code::unavailable, "redis: an entry \"{}\" is damaged",
                     escaped(row.member, 64));
    }
    row.player = std::move(*player);
    gathered.rows.push_back(std::move(row));
  }
  return gathered;
}

Words RequestHandler::rows_words(const Context& context, std::string_view kind,
                                 std::string_view start, std::size_t n, std::string_view part) {
  Words words(kOfRows.size());
  words[kOfRows["side"]] = "b";
  words[kOfRows["kind"]] = kind;
  words[kOfRows["start"]] = start;
  words[kOfRows["rows"]] = std::to_string(n);
  words[kOfRows["part"]] = part;
  words[kOfRows["inverted"]] = context.form.inverts_id() ? "1" : "0";
  return words;
}

Words RequestHandler::slice_words(const Context& context, const Slice& slice, std::size_t shard,
                                  std::size_t n) {
  const std::size_t start = slice.starts.empty() ? 0 : slice.starts[shard];
  Words words = slice.from ? rows_words(context, "from", number_text(*slice.from), n)
                           : rows_words(context, "at", std::to_string(start), n);
  if (slice.from_worst) words[kOfRows["side"]] = "w";
  return words;
}

// Reads a little more than a fair share from each shard, and then more, until no shard can have
// further rows of the list.
RequestHandler::Answered<RequestHandler::Gathered> RequestHandler::gather(Context& context,
                                                                          Slice slice) {
  const std::size_t shards = context.shards();
  const auto before = [&](const Row& a, const Row& b) {
    return slice.from_worst ? context.form.before(b, a) : context.form.before(a, b);
  };
  const Asking asking = fair_share(slice.n, shards);
  std::vector<std::size_t> each(shards, slice.each > 0 ? slice.each
                                        : shards == 1  ? slice.n
                                                       : std::max<std::size_t>(1, asking.first));
  std::vector<Gathered> parts(shards);
  std::vector<std::size_t> pending(shards);
  for (std::size_t shard = 0; shard < shards; ++shard) pending[shard] = shard;
  for (;;) {
    std::vector<ShardCall> calls;
    for (const std::size_t shard : pending) {
      calls.push_back({shard, slice_words(context, slice, shard, each[shard]), {}});
    }
    const Result<Replies> replies = co_await ask_shards(context, Script::rows, std::move(calls));
    if (!replies) co_return replies.refusal();
    for (std::size_t i = 0; i < pending.size(); ++i) {
      Result<Gathered> part = rows_of(context.form, (*replies)[i]);
      if (!part) co_return part.refusal();
      parts[pending[i]] = std::move(*part);
    }
    if (shards == 1) co_return std::move(parts[0]);

    std::vector<const Row*> rows;
    for (const Gathered& part : parts) {
      for (const Row& row : part.rows) rows.push_back(&row);
    }
    std::sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) { return before(*a, *b); });
    if (rows.size() > slice.n) rows.resize(slice.n);
    pending.clear();
    for (std::size_t shard = 0; shard < shards; ++shard) {
      const Gathered& part = parts[shard];
      const bool has_more =
          part.rows.size() == each[shard] && part.first + part.rows.size() < part.size;
      if (!has_more || slice.n == 0) continue;
      if (rows.size() == slice.n && !before(part.rows.back(), *rows.back())) continue;
      pending.push_back(shard);
      each[shard] = std::min(slice.n, each[shard] * 2 + asking.again);
    }
    if (!pending.empty() && slice.each == 0) continue;

    Gathered gathered;
    gathered.certain = pending.empty();
    for (const Row* const row : rows) gathered.rows.push_back(*row);
    for (const Gathered& part : parts) {
      gathered.size += part.size;
      gathered.first += part.first;
    }
    co_return gathered;
  }
}

// Finds the start in each shard for a position of the whole board: by weighted medians of the
// shards' middle rows, as in engine/gather/selection.h. The number of rows before the starts is the
// position, or slightly less.
RequestHandler::Answered<std::vector<std::size_t>> RequestHandler::select(Context& context,
                                                                          std::size_t position) {
  const std::size_t shards = context.shards();
  std::vector<std::size_t> low(shards, 0);
  std::vector<std::size_t> high(shards, 0);
  const Result<Replies> sizes =
      co_await ask_shards(context, Script::counts, to_all(context, Words()));
  if (!sizes) co_return sizes.refusal();
  for (std::size_t shard = 0; shard < shards; ++shard) high[shard] = count_of((*sizes)[shard][1]);

  for (int step = 0; step < kRedisSelectionMax; ++step) {
    std::size_t open = 0;
    for (std::size_t shard = 0; shard < shards; ++shard) open += high[shard] - low[shard];
    if (open <= shards * kGatherSkipMax) break;

    Slice middle;
    std::vector<ShardCall> calls;
    for (std::size_t shard = 0; shard < shards; ++shard) {
      middle.starts.push_back(low[shard] + (high[shard] - low[shard]) / 2);
      if (high[shard] == low[shard]) continue;
      calls.push_back({shard, slice_words(context, middle, shard, 1), {}});
    }
    struct Median {
      Row row;
      std::size_t weight = 0;
    };
    std::vector<Median> medians;
    const std::vector<ShardCall> asked = calls;
    const Result<Replies> replies = co_await ask_shards(context, Script::rows, std::move(calls));
    if (!replies) co_return replies.refusal();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Result<Gathered> part = rows_of(context.form, (*replies)[i]);
      if (!part) co_return part.refusal();
      if (part->rows.empty()) continue;  // it has shrunk
      medians.push_back({std::move(part->rows[0]), high[asked[i].shard] - low[asked[i].shard]});
    }
    if (medians.empty()) break;
    std::sort(medians.begin(), medians.end(),
              [&](const Median& a, const Median& b) { return context.form.before(a.row, b.row); });
    std::size_t pivot = 0;
    for (std::size_t weight = medians[0].weight; weight * 2 < open && pivot + 1 < medians.size();) {
      weight += medians[++pivot].weight;
    }
    const Row& row = medians[pivot].row;
    Words probe;
    probe.push_back(number_text(row.stored));
    probe.push_back(row.member);
    const Result<Replies> counts =
        co_await ask_shards(context, Script::counts, to_all(context, probe));
    if (!counts) co_return counts.refusal();
    std::vector<std::size_t> before(shards);
    std::size_t total = 0;
    for (std::size_t shard = 0; shard < shards; ++shard) {
      before[shard] = count_of((*counts)[shard][4]);
      total += before[shard];
    }
    for (std::size_t shard = 0; shard < shards; ++shard) {
      if (total <= position) {
        low[shard] = std::max(low[shard], before[shard]);
      } else {
        high[shard] = std::min(high[shard], before[shard]);
      }
      high[shard] = std::max(high[shard], low[shard]);  // after concurrent writes
    }
    if (total == position) break;
  }
  co_return low;
}

// Converts rows to entries; `first` is the position of the first row.
RequestHandler::Answered<Listed> RequestHandler::list_from(Context& context, Gathered gathered,
                                                           std::size_t first) {
  const Ranking ranking = context.spec->ranking;
  const std::vector<Row>& rows = gathered.rows;
  std::uint64_t better = first;
  std::uint64_t not_worse = first + rows.size();
  if (!rows.empty() && gathered.better) {
    better = *gathered.better;
    not_worse = *gathered.not_worse;
  } else if (!rows.empty() &&
             (ranking == Ranking::modified || (ranking == Ranking::competition && first > 0))) {
    std::vector<Probe> ends;
    ends.push_back({rows.front().stored, {}});
    ends.push_back({rows.back().stored, {}});
    const Result<Counted> counted = co_await count(context, std::move(ends), std::nullopt);
    if (!counted) co_return counted.refusal();
    better = counted->probes[0].better;
    not_worse = counted->probes[1].not_worse;
  }
  Listed listed;
  listed.size = gathered.size;
  listed.certain = gathered.certain;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].stored == rows[i].stored) ++end;
    RankCounts counts{.better = i == 0 ? better : first + i,
                      .not_worse = end == rows.size() ? not_worse : first + end};
    for (; i < end; ++i) {
      counts.position = first + i;
      show(context.form, rows[i], listed.entries);
      listed.entries[i].rank = rank_of_row(ranking, counts);
    }
  }
  co_return listed;
}

RequestHandler::Answered<Listed> RequestHandler::list(Context& context, std::size_t first,
                                                      std::size_t n) {
  if (context.shards() == 1 || first == 0 || first + n <= kRedisPrefixMax) {
    const bool skips = context.shards() > 1;
    Slice slice;
    slice.n = skips ? first + n : n;
    if (!skips) slice.starts.push_back(first);
    Result<Gathered> gathered = co_await gather(context, std::move(slice));
    if (!gathered) co_return gathered.refusal();
    if (skips) {
      std::vector<Row>& rows = gathered->rows;
      rows.erase(rows.begin(),
                 rows.begin() + static_cast<std::ptrdiff_t>(std::min(first, rows.size())));
    }
    co_return co_await list_from(context, std::move(*gathered), first);
  }
  Result<std::vector<std::size_t>> starts = co_await select(context, first);
  if (!starts) co_return starts.refusal();
  std::size_t left_out = 0;
  for (const std::size_t start : *starts) left_out += start;
  const std::size_t skip = first - std::min(first, left_out);
  Slice slice;
  slice.starts = std::move(*starts);
  slice.n = n + skip;
  Result<Gathered> gathered = co_await gather(context, std::move(slice));
  if (!gathered) co_return gathered.refusal();
  std::vector<Row>& rows = gathered->rows;
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(skip, rows.size())));
  co_return co_await list_from(context, std::move(*gathered), first);
}

// If n exceeds the maximal answer, refuses it only if the board has that many entries.
RequestHandler::Answered<std::size_t> RequestHandler::length(Context& context, std::size_t first,
                                                             std::size_t n) {
  if (n <= kRedisListMax) co_return n;
  const Result<Counted> counted = co_await count(context, std::vector<Probe>(), std::nullopt);
  if (!counted) co_return counted.refusal();
  const std::size_t there = counted->size - std::min<std::size_t>(first, counted->size);
  if (there > kRedisListMax) co_return too_long(std::min(n, there));
  co_return there;
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Page& what) {
  const std::size_t first = std::min<std::size_t>(what.first, INT64_MAX / 4);  // beyond every board
  const Result<std::size_t> whole = co_await length(context, first, what.n);
  if (!whole) co_return whole.refusal();
  Result<Listed> listed = co_await list(context, first, *whole);
  if (!listed) co_return listed.refusal();
  co_return Value(std::move(*listed));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Bottom& what) {
  const Result<std::size_t> whole = co_await length(context, 0, what.n);
  if (!whole) co_return whole.refusal();
  Slice slice;
  slice.from_worst = true;
  slice.n = *whole;
  Result<Gathered> gathered = co_await gather(context, std::move(slice));
  if (!gathered) co_return gathered.refusal();
  std::reverse(gathered->rows.begin(), gathered->rows.end());
  const std::size_t first = gathered->size - gathered->rows.size();
  Result<Listed> listed = co_await list_from(context, std::move(*gathered), first);
  if (!listed) co_return listed.refusal();
  std::reverse(listed->entries.begin(), listed->entries.end());
  co_return Value(std::move(*listed));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::TopOnce& what) {
  if (context.spec->engine != EngineKind::sharded) {
    co_return no_other_engine("a confidence", "sharded");
  }
  if (const Status valid = check_confidence(what.confidence); !valid) co_return valid.refusal();
  const Result<std::size_t> whole = co_await length(context, 0, what.n);
  if (!whole) co_return whole.refusal();
  Slice slice;
  slice.n = *whole;
  slice.each = std::max<std::size_t>(1, fetch_size(slice.n, context.shards(), what.confidence));
  Result<Gathered> gathered = co_await gather(context, std::move(slice));
  if (!gathered) co_return gathered.refusal();
  Result<Listed> listed = co_await list_from(context, std::move(*gathered), 0);
  if (!listed) co_return listed.refusal();
  co_return Value(std::move(*listed));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Around& what) {
  const std::size_t n = std::min(what.n, kRedisListMax);
  if (context.shards() == 1) {
    std::vector<ShardCall> calls = to_all(
        context,
        rows_words(context, "around", what.player, n, context.form.player_part(what.player)));
    const Result<Replies> replies = co_await ask_shards(context, Script::rows, std::move(calls));
    if (!replies) co_return replies.refusal();
    Result<Gathered> gathered = rows_of(context.form, (*replies)[0]);
    if (!gathered) co_return gathered.refusal();
    const std::size_t first = gathered->first;
    Result<Listed> listed = co_await list_from(context, std::move(*gathered), first);
    if (!listed) co_return listed.refusal();
    co_return Value(std::move(*listed));
  }
  for (int tries = 0; tries < kRedisAroundTriesMax; ++tries) {
    const Result<PlacedPlayers> found = co_await find(context, Words(1, what.player), true);
    if (!found) co_return found.refusal();
    if (found->players.empty()) break;
    const std::size_t position = found->players[0].counts.position;
    const std::size_t size = std::max<std::size_t>(found->size, position + 1);
    const std::size_t whole = std::min(size, 2 * n + 1);
    if (whole > kRedisListMax) co_return too_long(whole);
    const std::size_t first = std::min(position - std::min(position, n), size - whole);
    Result<Listed> listed = co_await list(context, first, whole);
    if (!listed) co_return listed.refusal();
    const bool exists =
        std::any_of(listed->entries.begin(), listed->entries.end(),
                    [&](const Entry& entry) { return entry.player == what.player; });
    if (exists) co_return Value(std::move(*listed));
  }
  Listed nobody;
  const Result<Counted> counted = co_await count(context, std::vector<Probe>(), std::nullopt);
  if (!counted) co_return counted.refusal();
  nobody.size = counted->size;
  co_return Value(std::move(nobody));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::Between& what) {
  const auto bounds = context.form.bounds(what.range);
  std::vector<Probe> ends;
  if (bounds) {
    ends.push_back({bounds->best, {}});
    ends.push_back({bounds->worst, {}});
  }
  const Result<Counted> counted = co_await count(context, std::move(ends), std::nullopt);
  if (!counted) co_return counted.refusal();
  Listed none;
  none.size = counted->size;
  if (!bounds) co_return Value(std::move(none));
  const std::size_t inside = counted->probes[1].not_worse - counted->probes[0].better;
  Slice slice;
  slice.from = bounds->best;
  slice.n = std::min(what.limit, inside);
  if (slice.n > kRedisListMax) co_return too_long(slice.n);
  if (slice.n == 0) co_return Value(std::move(none));
  Result<Gathered> gathered = co_await gather(context, std::move(slice));
  if (!gathered) co_return gathered.refusal();
  std::vector<Row>& rows = gathered->rows;
  while (!rows.empty() && context.form.better(bounds->worst, rows.back().stored)) {
    rows.pop_back();           // left the range meanwhile
    gathered->better.reset();  // the count was for more rows
  }
  const std::size_t first = gathered->first;
  Result<Listed> listed = co_await list_from(context, std::move(*gathered), first);
  if (!listed) co_return listed.refusal();
  co_return Value(std::move(*listed));
}

}  // namespace laurel::redis
