// Reads: entries, ranks and counts, as in board/standings/standings.h.
#include <algorithm>
#include <cmath>

#include "base/checks.h"
#include "base/limits.h"
#include "base/text.h"
#include "board/spec/score_bounds.h"
#include "board/standings/places.h"
#include "engine/gather/row_merge.h"
#include "engine/sharded/fetch_size.h"
#include "remote/dynamodb/boards.h"

namespace laurel::dynamodb {

namespace {

void show(const EntryKeys& keys, const Row& row, Entries& out) {
  Entry& entry = out.add();
  entry.player = out.arena().keep(row.player);
  entry.score = keys.form().score(row.score);
  entry.at = row.at;
  if (row.data) entry.data = out.arena().keep(*row.data);
}

}  // namespace

Task<Result<std::optional<Row>>> Boards::row_of(const Scope& scope, std::string player) {
  if (!check_player(player)) co_return std::optional<Row>();
  std::vector<Json> wanted = {item_key(player_key(player), scope.base)};
  const Reply reply = co_await client_.get_all(std::move(wanted), scope.deadline);
  if (reply.refusal) co_return *reply.refusal;
  const Json& items = items_of(reply.body);
  if (items.empty()) co_return std::optional<Row>();
  co_return scope.keys->row_of(items.front());
}

// The needed counts of a score, without a position.
Task<Result<RankCounts>> Boards::counts_of(const Scope& scope, ScoreKey score,
                                           NeededCounts needed) {
  const PaddedKeys& padded = scope.keys->padded();
  RankCounts counts;
  if (needed.better) {
    KeyRange range = padded.better(score);
    const Result<std::uint64_t> counted = co_await scope.order.count(std::move(range));
    if (!counted) co_return counted.refusal();
    counts.better = *counted;
  }
  if (needed.not_worse) {
    KeyRange range = padded.not_worse(score);
    const Result<std::uint64_t> counted = co_await scope.order.count(std::move(range));
    if (!counted) co_return counted.refusal();
    counts.not_worse = *counted;
  }
  if (needed.distinct_better) {
    KeyRange range = padded.better(score);
    const Result<std::uint64_t> scores = co_await scope.order.distinct(std::move(range));
    if (!scores) co_return scores.refusal();
    counts.distinct_better = *scores;
  }
  co_return counts;
}

Task<Result<Rank>> Boards::rank_of(const Scope& scope, Row row, Ranking ranking) {
  const NeededCounts needed = needed_of_row(ranking);
  Result<RankCounts> counts = co_await counts_of(scope, row.score, needed);
  if (!counts) co_return counts.refusal();
  if (needed.position) {
    const Result<std::uint64_t> before = co_await scope.order.count_before(row);
    if (!before) co_return before.refusal();
    counts->position = *before;
  }
  co_return rank_of_row(ranking, *counts);
}

// Makes entries of consecutive rows, the first at position `first`. A rank is counted only if the
// rows do not determine it: for the first or the last run of equals.
Task<Result<Value>> Boards::listed(const Scope& scope, std::size_t first, std::vector<Row> rows,
                                   std::uint64_t size) {
  Listed list;
  list.size = size;
  for (const Row& row : rows) show(*scope.keys, row, list.entries);
  const NeededCounts needed = needed_of_row(scope.ranking);
  Rank rank;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].score == rows[i].score) ++end;
    const bool at_front = i == 0 && first > 0;
    const bool at_end = end == rows.size();
    if ((at_front && (needed.better || needed.distinct_better)) || (at_end && needed.not_worse)) {
      const Result<Rank> counted = co_await rank_of(scope, rows[i], scope.ranking);
      if (!counted) co_return counted.refusal();
      rank = *counted;
    } else {
      rank = rank_of_row(
          scope.ranking,
          {.better = first + i, .not_worse = first + end, .distinct_better = rank.whole()});
    }
    for (; i < end; ++i) {
      list.entries[i].rank = scope.ranking == Ranking::ordinal ? first + i + 1 : rank;
    }
  }
  co_return Value(std::move(list));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Size&) {
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  co_return Value(*size);
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Get& request) {
  const Result<std::optional<Row>> row = co_await row_of(scope, request.player);
  if (!row) co_return row.refusal();
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  Listed list;
  list.size = *size;
  if (*row) {
    const Result<Rank> rank = co_await rank_of(scope, **row, scope.ranking);
    if (!rank) co_return rank.refusal();
    show(*scope.keys, **row, list.entries);
    list.entries[0].rank = *rank;
  }
  co_return Value(std::move(list));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Held& request) {
  const Result<std::optional<Row>> row = co_await row_of(scope, request.player);
  if (!row) co_return row.refusal();
  HeldEntry seen;
  if (*row) {
    seen.score = scope.keys->form().score((*row)->score);
    seen.at = (*row)->at;
    seen.data = (*row)->data;
  }
  if (request.id) {
    const std::string keep = scope.record.keep(scope.board);
    std::vector<Json> wanted = {item_key(result_key(keep, *request.id), kResult)};
    const Reply reply = co_await client_.get_all(std::move(wanted), scope.deadline);
    if (reply.refusal) co_return *reply.refusal;
    const Json& items = items_of(reply.body);
    seen.repeats = !items.empty() && repeats(items.front(), scope.sent->now);
  }
  co_return Value(std::move(seen));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Rank& request) {
  const Result<std::optional<Row>> row = co_await row_of(scope, request.player);
  if (!row) co_return row.refusal();
  if (!*row) co_return Value(std::optional<Standing>());
  const Result<Rank> rank = co_await rank_of(scope, **row, request.ranking.value_or(scope.ranking));
  if (!rank) co_return rank.refusal();
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  co_return Value(std::optional(Standing{*rank, *size}));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::RankOf& request) {
  const double score = request.score;
  if (!std::isfinite(score)) co_return not_finite("the score", score);
  const std::optional<ScoreKey> key = scope.keys->key(score);
  if (!key) {
    co_return Refusal(Code::out_of_range, "the score {} is out of range for this board", score);
  }
  const Ties ties = scope.sent->target.spec->ties;
  const NeededCounts needed = needed_of_newcomer(scope.ranking, ties);
  const Result<RankCounts> counts = co_await counts_of(scope, *key, needed);
  if (!counts) co_return counts.refusal();
  co_return Value(rank_of_newcomer(scope.ranking, ties, *counts));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Page& request) {
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  std::vector<Row> rows;
  if (request.first < *size) {
    const std::size_t n = std::min<std::size_t>(request.n, *size - request.first);
    Order::Wanted wanted{.range = scope.keys->padded().all(), .skip = request.first, .n = n};
    Result<std::vector<Row>> read = co_await scope.order.read(std::move(wanted));
    if (!read) co_return read.refusal();
    rows = std::move(*read);
  }
  co_return co_await listed(scope, request.first, std::move(rows), *size);
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Bottom& request) {
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  Order::Wanted wanted{.range = scope.keys->padded().all(),
                       .best_first = false,
                       .n = std::min<std::size_t>(request.n, *size)};
  Result<std::vector<Row>> rows = co_await scope.order.read(std::move(wanted));
  if (!rows) co_return rows.refusal();
  std::reverse(rows->begin(), rows->end());
  const std::size_t first = *size - std::min<std::size_t>(rows->size(), *size);
  Result<Value> best_first = co_await listed(scope, first, std::move(*rows), *size);
  if (!best_first) co_return best_first.refusal();
  Entries& entries = std::get<Listed>(*best_first).entries;
  std::reverse(entries.begin(), entries.end());
  co_return best_first;
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::TopOnce& request) {
  const Spec& spec = *scope.sent->target.spec;
  if (spec.engine != EngineKind::sharded) co_return no_other_engine("a confidence", "sharded");
  if (const Status valid = check_confidence(request.confidence); !valid) co_return valid.refusal();
  if (scope.sent->target.copy_of) {  // it is in one partition
    const request::Page first{0, request.n};
    co_return co_await read(scope, first);
  }
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  const std::size_t n = std::min<std::size_t>(request.n, *size);
  const std::size_t each = fetch_size(n, spec.shards, request.confidence);
  Result<Order::Once> once = co_await scope.order.read_once(n, each);
  if (!once) co_return once.refusal();
  Result<Value> list = co_await listed(scope, 0, std::move(once->rows), *size);
  if (!list) co_return list.refusal();
  std::get<Listed>(*list).certain = once->certain;
  co_return list;
}

// Reads from the player in both directions. If one end has too few rows, reads more at the other.
Task<Result<Value>> Boards::read(const Scope& scope, const request::Around& request) {
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  const Result<std::optional<Row>> found = co_await row_of(scope, request.player);
  if (!found) co_return found.refusal();
  std::vector<Row> rows;
  if (!*found) co_return co_await listed(scope, 0, std::move(rows), *size);
  const Row row = **found;
  const std::size_t most = std::min<std::size_t>(request.n, *size);
  Order::Wanted above{
      .range = scope.order.from_row(row, false), .best_first = false, .n = most, .behind = &row};
  Order::Wanted below{.range = scope.order.from_row(row, true), .n = most, .behind = &row};
  Result<std::vector<Row>> up = co_await scope.order.read(above);
  if (!up) co_return up.refusal();
  if (up->size() < most) below.n = most + (most - up->size());
  Result<std::vector<Row>> down = co_await scope.order.read(below);
  if (!down) co_return down.refusal();
  if (down->size() < most && up->size() == most) {
    above.n = most + (most - down->size());
    up = co_await scope.order.read(above);
    if (!up) co_return up.refusal();
  }
  const Result<std::uint64_t> position = co_await scope.order.count_before(row);
  if (!position) co_return position.refusal();
  rows.assign(std::make_move_iterator(up->rbegin()), std::make_move_iterator(up->rend()));
  const std::size_t first = *position - std::min<std::size_t>(rows.size(), *position);
  rows.push_back(row);
  for (Row& each : *down) rows.push_back(std::move(each));
  co_return co_await listed(scope, first, std::move(rows), *size);
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Between& request) {
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  const std::optional<ScoreBounds> bounds = score_bounds(scope.keys->form(), request.range);
  std::vector<Row> none;
  if (!bounds || request.limit == 0) co_return co_await listed(scope, 0, std::move(none), *size);
  Order::Wanted wanted{.range = scope.order.between(bounds->best, bounds->worst),
                       .n = request.limit};
  Result<std::vector<Row>> rows = co_await scope.order.read(std::move(wanted));
  if (!rows) co_return rows.refusal();
  KeyRange better = scope.keys->padded().better(bounds->best);
  const Result<std::uint64_t> first = co_await scope.order.count(std::move(better));
  if (!first) co_return first.refusal();
  co_return co_await listed(scope, *first, std::move(*rows), *size);
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Count& request) {
  const std::optional<ScoreBounds> bounds = score_bounds(scope.keys->form(), request.range);
  if (!bounds) co_return Value(std::uint64_t{0});
  KeyRange inside = scope.order.between(bounds->best, bounds->worst);
  const Result<std::uint64_t> counted = co_await scope.order.count(std::move(inside));
  if (!counted) co_return counted.refusal();
  co_return Value(*counted);
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Percentile& request) {
  const Result<std::optional<Row>> row = co_await row_of(scope, request.player);
  if (!row) co_return row.refusal();
  if (!*row) co_return Value(std::optional<double>());
  const bool ordinal = scope.ranking == Ranking::ordinal;
  // The number of rows that are not worse, including the player.
  const Result<Rank> rank =
      co_await rank_of(scope, **row, ordinal ? Ranking::ordinal : Ranking::modified);
  if (!rank) co_return rank.refusal();
  const std::uint64_t not_worse = rank->whole();
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  if (*size == 0) co_return Value(std::optional<double>());
  co_return Value(std::optional(percentile_of(std::min(not_worse, *size), *size)));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Among& request) {
  std::vector<std::string> players = request.players;
  std::sort(players.begin(), players.end());
  players.erase(std::unique(players.begin(), players.end()), players.end());
  std::vector<Json> wanted;
  for (const std::string& player : players) {
    if (!player.empty() && player.size() <= kPlayerBytesMax) {
      wanted.push_back(item_key(player_key(player), scope.base));
    }
  }
  const Reply reply = co_await client_.get_all(std::move(wanted), scope.deadline);
  if (reply.refusal) co_return *reply.refusal;
  std::vector<Row> rows;
  for (const Json& item : items_of(reply.body)) {
    if (std::optional<Row> row = scope.keys->row_of(item)) rows.push_back(std::move(*row));
  }
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return stands_before(a.view(), b.view(), scope.keys->ties());
  });
  std::vector<Task<Result<Rank>>> tasks;
  for (const Row& row : rows) tasks.push_back(rank_of(scope, row, scope.ranking));
  const std::vector<Result<Rank>> overall = co_await all(tasks);
  const Result<std::uint64_t> size = co_await this->size(scope);
  if (!size) co_return size.refusal();
  Listed list;
  list.size = *size;
  std::uint64_t distinct = 0;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].score == rows[i].score) ++end;
    RankCounts counts{.better = i, .not_worse = end, .distinct_better = distinct++};
    for (; i < end; ++i) {
      if (!overall[i]) co_return overall[i].refusal();
      counts.position = i;
      show(*scope.keys, rows[i], list.entries);
      list.entries[i].rank = rank_of_row(scope.ranking, counts);
      list.entries[i].overall = *overall[i];
    }
  }
  co_return Value(std::move(list));
}

Task<Result<Value>> Boards::read(const Scope& scope, const request::Key& request) {
  if (scope.sent->target.spec->engine != EngineKind::padded) {
    co_return no_other_engine("a key", "padded");
  }
  const Result<std::optional<Row>> row = co_await row_of(scope, request.player);
  if (!row) co_return row.refusal();
  if (!*row) co_return Value(std::optional<std::string>());
  co_return Value(std::optional(scope.keys->padded().key((*row)->view())));
}

Task<Result<Value>> Boards::read(const Scope&, const request::ReadRows&) {
  co_return Refusal(Code::unsupported, "the seasons of a board in DynamoDB are not copied");
}

}  // namespace laurel::dynamodb
