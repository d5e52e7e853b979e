// Lists of entries: tops, pages, bottoms, surroundings, ranges.
#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "board/standings/places.h"
#include "engine/gather/list_search.h"
#include "engine/gather/position_search.h"
#include "engine/sharded/fetch_size.h"
#include "remote/limits.h"
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
  gathered.distinct = known_count_of(reply[6]);
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

// The first rows of the slice in some shards.
RequestHandler::Answered<std::vector<RequestHandler::Gathered>> RequestHandler::read_rows(
    Context& context, const Slice& slice, const std::vector<RowsOfPart>& asked) {
  std::vector<ShardCall> calls;
  for (const auto& [shard, n] : asked) {
    calls.push_back({shard, slice_words(context, slice, shard, n), {}});
  }
  const Result<Replies> replies = co_await ask_shards(context, Script::rows, std::move(calls));
  if (!replies) co_return replies.refusal();
  std::vector<Gathered> parts;
  for (const Reply& reply : *replies) {
    Result<Gathered> part = rows_of(context.form, reply);
    if (!part) co_return part.refusal();
    parts.push_back(std::move(*part));
  }
  co_return parts;
}

// A shard of which more rows are needed is read from its start again, to see it at one moment.
RequestHandler::Answered<RequestHandler::Gathered> RequestHandler::gather(Context& context,
                                                                          Slice slice) {
  const auto before = [&](const Row& a, const Row& b) {
    return slice.from_worst ? context.form.before(b, a) : context.form.before(a, b);
  };
  Asking asking = fair_share(slice.n, context.shards());
  if (slice.each > 0) asking = {slice.each, 0};
  asking.first = std::max<std::size_t>(asking.first, 1);
  ListSearch<Row, decltype(before)> search(context.shards(), slice.n, asking, before);
  std::vector<Gathered> parts(context.shards());
  while (search.next()) {
    Result<std::vector<Gathered>> read = co_await read_rows(context, slice, search.questions());
    if (!read) co_return read.refusal();
    for (std::size_t i = 0; i < read->size(); ++i) {
      const std::size_t shard = search.questions()[i].part;
      Gathered& part = parts[shard] = std::move((*read)[i]);
      search.accept(shard, part.rows, part.first + part.rows.size() < part.size);
    }
    if (parts.size() == 1) co_return std::move(parts[0]);
  }
  Gathered gathered;
  gathered.certain = search.is_certain();
  for (const auto& [row, shard] : search.list()) gathered.rows.push_back(std::move(*row));
  for (const Gathered& part : parts) {
    gathered.size += part.size;
    gathered.first += part.first;
  }
  co_return gathered;
}

// Finds the start in each shard for a position of the whole board. The number of rows before the
// starts is the position, or slightly less.
RequestHandler::Answered<std::vector<std::size_t>> RequestHandler::select(Context& context,
                                                                          std::size_t position) {
  Words probe;
  const Result<Replies> sizes =
      co_await ask_shards(context, Script::counts, to_all(context, probe));
  if (!sizes) co_return sizes.refusal();
  std::vector<std::size_t> counts;
  for (const Reply& reply : *sizes) counts.push_back(count_of(reply[1]));
  const auto before = [&](const Row& a, const Row& b) { return context.form.before(a, b); };
  PositionSearch<Row, decltype(before)> search(counts, position, before);
  for (int step = 0; step < kRedisSelectionMax && search.next(); ++step) {
    Slice slice;
    slice.starts.resize(counts.size());
    std::vector<RowsOfPart> asked;
    for (const auto& [shard, at] : search.questions()) {
      slice.starts[shard] = at;
      asked.push_back({shard, 1});
    }
    Result<std::vector<Gathered>> read = co_await read_rows(context, slice, asked);
    if (!read) co_return read.refusal();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      for (Row& row : (*read)[i].rows) search.accept(asked[i].part, std::move(row));
    }
    const Row* const pivot = search.pivot();
    if (pivot == nullptr) break;
    probe.assign({number_text(pivot->stored), pivot->member});
    const Result<Replies> counted =
        co_await ask_shards(context, Script::counts, to_all(context, probe));
    if (!counted) co_return counted.refusal();
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = count_of((*counted)[i][4]);
    search.narrow(counts);
  }
  co_return search.starts();
}

// Leaves out the first rows. Only for lists of all rows from the best on.
void RequestHandler::skip_rows(Gathered& gathered, std::size_t n) {
  std::vector<Row>& rows = gathered.rows;
  n = std::min(n, rows.size());
  if (n < rows.size()) {
    std::uint64_t better = 0;
    for (std::size_t i = 0; i < n; ++i) better += rows[i].stored != rows[i + 1].stored ? 1 : 0;
    gathered.distinct = better;
  }
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n));
}

// Converts rows to entries; `first` is the position of the first row.
RequestHandler::Answered<Value> RequestHandler::list_from(Context& context, Gathered gathered,
                                                          std::size_t first) {
  const Ranking ranking = context.spec->ranking;
  const NeededCounts needed = needed_of_row(ranking);
  const std::vector<Row>& rows = gathered.rows;
  std::uint64_t better = first;
  std::uint64_t not_worse = first + rows.size();
  if (!rows.empty() && gathered.better) {
    better = *gathered.better;
    not_worse = *gathered.not_worse;
  } else if (!rows.empty() && (needed.not_worse || (needed.better && first > 0))) {
    std::vector<Probe> ends;
    ends.push_back({rows.front().stored, {}});
    ends.push_back({rows.back().stored, {}});
    const Result<Counted> counted = co_await count(context, std::move(ends), std::nullopt);
    if (!counted) co_return counted.refusal();
    better = counted->probes[0].better;
    not_worse = counted->probes[1].not_worse;
  }
  std::uint64_t distinct = gathered.distinct.value_or(0);
  if (needed.distinct_better && first > 0 && !rows.empty() && !gathered.distinct) {
    const Result<std::vector<std::uint64_t>> counted =
        co_await distinct_better(context, std::vector<double>(1, rows.front().stored));
    if (!counted) co_return counted.refusal();
    distinct = counted->front();
  }
  Listed listed;
  listed.size = gathered.size;
  listed.certain = gathered.certain;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].stored == rows[i].stored) ++end;
    RankCounts counts{.better = i == 0 ? better : first + i,
                      .not_worse = end == rows.size() ? not_worse : first + end,
                      .distinct_better = distinct++};
    for (; i < end; ++i) {
      counts.position = first + i;
      show(context.form, rows[i], listed.entries);
      listed.entries[i].rank = rank_of_row(ranking, counts);
    }
  }
  co_return Value(std::move(listed));
}

RequestHandler::Answered<Value> RequestHandler::list(Context& context, std::size_t first,
                                                     std::size_t n) {
  if (context.shards() == 1 || first == 0 || first + n <= kRedisPrefixMax) {
    const bool skips = context.shards() > 1;
    Slice slice;
    slice.n = skips ? first + n : n;
    if (!skips) slice.starts.push_back(first);
    Result<Gathered> gathered = co_await gather(context, std::move(slice));
    if (!gathered) co_return gathered.refusal();
    if (skips) skip_rows(*gathered, first);
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
  co_return co_await list(context, first, *whole);
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
  Result<Value> listed = co_await list_from(context, std::move(*gathered), first);
  if (!listed) co_return listed.refusal();
  Entries& entries = std::get<Listed>(*listed).entries;
  std::reverse(entries.begin(), entries.end());
  co_return listed;
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
  co_return co_await list_from(context, std::move(*gathered), 0);
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
    co_return co_await list_from(context, std::move(*gathered), first);
  }
  for (int tries = 0; tries < kRedisAroundTriesMax; ++tries) {
    const Result<PlacedPlayers> found =
        co_await find(context, Words(1, what.player), Ranking::ordinal);
    if (!found) co_return found.refusal();
    if (found->players.empty()) break;
    const std::size_t position = found->players[0].counts.position;
    const std::size_t size = std::max<std::size_t>(found->size, position + 1);
    const PositionRange range = positions_around(position, 1, n, size);
    if (range.count > kRedisListMax) co_return too_long(range.count);
    Result<Value> listed = co_await list(context, range.first, range.count);
    if (!listed) co_return listed.refusal();
    const bool exists =
        std::ranges::any_of(std::get<Listed>(*listed).entries,
                            [&](const Entry& entry) { return entry.player == what.player; });
    if (exists) co_return listed;
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
  co_return co_await list_from(context, std::move(*gathered), first);
}

}  // namespace laurel::redis
