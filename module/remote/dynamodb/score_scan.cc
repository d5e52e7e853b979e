#include "remote/dynamodb/score_scan.h"

#include <algorithm>
#include <set>

#include "engine/gather/list_search.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

struct Order::Walk {
  std::string pk;
  KeyRange range;
  bool best_first = true;
  const Row* behind = nullptr;
  Json next;              // start of the next Query; null at first
  bool ended = false;     // all keys were read
  std::vector<Row> rows;  // in order, not taken yet
  std::string group;      // of the rows in `held`, which are in the order of their keys
  std::vector<Row> held;
};

bool Order::comes_before(const Row& a, const Row& b, bool best_first) const {
  return best_first ? stands_before(a.view(), b.view(), keys_->ties())
                    : stands_before(b.view(), a.view(), keys_->ties());
}

Json Order::query(const std::string& pk, const KeyRange& range) const {
  Json query;
  query["KeyConditionExpression"] = "PK = :pk AND SK BETWEEN :from AND :to";
  Json& values = query["ExpressionAttributeValues"];
  values[":pk"] = text_value(pk);
  values[":from"] = text_value(range.from);
  values[":to"] = text_value(range.to);
  query["ConsistentRead"] = true;
  return query;
}

std::vector<std::string> Order::partitions() const {
  std::vector<std::string> keys;
  const std::size_t count = std::max<std::size_t>(keys_->partitions(), 1);
  for (std::size_t i = 0; i < count; ++i) keys.push_back(keys_->partition(base_, i));
  return keys;
}

// ---- counting

Task<Result<std::uint64_t>> Order::count_in(std::string pk, KeyRange range) const {
  std::uint64_t count = 0;
  const Client::VisitPage add = [&](const Json& page) {
    const Json* counted = member(page, "Count");
    if (counted != nullptr && counted->is_number_unsigned()) {
      count += counted->get<std::uint64_t>();
    }
  };
  Json arguments = query(pk, range);
  arguments["Select"] = "COUNT";
  const Status read = co_await client_->query_all(std::move(arguments), deadline_, add);
  if (!read) co_return read.refusal();
  co_return count;
}

Task<Result<std::uint64_t>> Order::count(KeyRange range) const {
  if (range.from > range.to) co_return std::uint64_t{0};
  std::vector<Task<Result<std::uint64_t>>> tasks;
  for (const std::string& pk : partitions()) tasks.push_back(count_in(pk, range));
  const std::vector<Result<std::uint64_t>> counts = co_await all(tasks);
  std::uint64_t sum = 0;
  for (const Result<std::uint64_t>& each : counts) {
    if (!each) co_return each.refusal();
    sum += *each;
  }
  co_return sum;
}

// from_row() includes the row's own key, which is subtracted.
Task<Result<std::uint64_t>> Order::count_before(Row row) const {
  const PaddedKeys& padded = keys_->padded();
  if (!keys_->sorts_groups()) {
    KeyRange to_row = from_row(row, false);
    const Result<std::uint64_t> up_to = co_await count(std::move(to_row));
    if (!up_to) co_return up_to;
    co_return *up_to - std::min<std::uint64_t>(*up_to, 1);
  }
  const std::string key = padded.key(row.view());
  KeyRange before_group = padded.groups_before(key);
  const Result<std::uint64_t> groups = co_await count(std::move(before_group));
  if (!groups) co_return groups;
  const std::string group(padded.group(key));
  Wanted wanted{.range = {group, PaddedKeys::behind(group)}, .n = SIZE_MAX};
  const Result<std::vector<Row>> equals = co_await read(std::move(wanted));
  if (!equals) co_return equals.refusal();
  std::uint64_t before = *groups;
  for (const Row& each : *equals) before += comes_before(each, row, true) ? 1 : 0;
  co_return before;
}

Task<Result<std::uint64_t>> Order::distinct(KeyRange range) const {
  if (range.from > range.to) co_return std::uint64_t{0};
  std::set<std::string, std::less<>> scores;
  const Client::VisitPage add = [&](const Json& page) {
    for (const Json& item : items_of(page)) {
      const std::string key = text_at(item, "SK").value_or("");
      scores.emplace(keys_->padded().score(key));
    }
  };
  for (const std::string& pk : partitions()) {
    Json arguments = query(pk, range);
    arguments["ProjectionExpression"] = "SK";
    const Status read = co_await client_->query_all(std::move(arguments), deadline_, add);
    if (!read) co_return read.refusal();
  }
  co_return scores.size();
}

// ---- reading

void Order::add(Walk& walk, Row row) const {
  if (walk.behind != nullptr && !comes_before(*walk.behind, row, walk.best_first)) return;
  walk.rows.push_back(std::move(row));
}

void Order::release(Walk& walk) const {
  if (walk.held.size() > 1) {
    std::sort(walk.held.begin(), walk.held.end(),
              [&](const Row& a, const Row& b) { return comes_before(a, b, walk.best_first); });
  }
  for (Row& row : walk.held) add(walk, std::move(row));
  walk.held.clear();
}

void Order::take(Walk& walk, const Json& item) const {
  std::optional<Row> row = keys_->row_of(item);
  if (!row) return;  // of another tool, or damaged
  if (!keys_->sorts_groups()) return add(walk, std::move(*row));
  const std::string key = text_at(item, "SK").value_or("");
  const std::string_view group = keys_->padded().group(key);
  if (group != walk.group) {
    release(walk);
    walk.group = group;
  }
  walk.held.push_back(std::move(*row));
}

// Reads at least n rows, or all there are.
Task<Status> Order::fetch(Walk& walk, std::size_t n) const {
  for (std::size_t least = 0; !walk.ended && walk.rows.size() < n;
       least = std::min(2 * least + 1, kDynamoRowsMax)) {
    Json arguments = query(walk.pk, walk.range);
    arguments["ScanIndexForward"] = keys_->padded().backwards() != walk.best_first;
    // One more row shows that the group before it is complete. For large groups the limit doubles.
    const std::size_t lacking = std::max(n - walk.rows.size(), least);
    arguments["Limit"] = std::min(lacking, kDynamoRowsMax - 1) + 1;
    const Reply reply = co_await client_->query(std::move(arguments), walk.next, deadline_);
    if (reply.refusal) co_return *reply.refusal;
    for (const Json& item : items_of(reply.body)) take(walk, item);
    walk.ended = walk.next.is_null();
    if (walk.ended) release(walk);
  }
  co_return Done{};
}

std::vector<Order::Walk> Order::begin(const Wanted& wanted) const {
  std::vector<Walk> walks;
  for (std::string& pk : partitions()) {
    Walk walk;
    walk.pk = std::move(pk);
    walk.range = wanted.range;
    walk.best_first = wanted.best_first;
    walk.behind = wanted.behind;
    walk.ended = wanted.range.from > wanted.range.to;
    walks.push_back(std::move(walk));
  }
  return walks;
}

// Takes the next n rows of all walks, which they then no longer have.
Task<Result<Order::Once>> Order::gather(std::vector<Walk>& walks, std::size_t n,
                                        Asking asking) const {
  const bool best_first = walks.front().best_first;
  const auto before = [&](const Row& a, const Row& b) { return comes_before(a, b, best_first); };
  ListSearch<Row, decltype(before)> search(walks.size(), n, asking, before);
  while (search.next()) {
    std::vector<Task<Status>> fetches;
    for (const auto& [part, rows] : search.questions()) {
      fetches.push_back(fetch(walks[part], rows));
    }
    const std::vector<Status> fetched = co_await all(fetches);
    for (const Status& each : fetched) {
      if (!each) co_return each.refusal();
    }
    for (const auto& [part, rows] : search.questions()) {
      search.accept(part, walks[part].rows, !walks[part].ended);
    }
  }
  Once once;
  once.certain = search.is_certain();
  std::vector<std::ptrdiff_t> taken(walks.size());
  for (const auto& [row, part] : search.list()) {
    once.rows.push_back(std::move(*row));
    ++taken[part];
  }
  for (std::size_t i = 0; i < walks.size(); ++i) {
    std::vector<Row>& rows = walks[i].rows;
    rows.erase(rows.begin(), rows.begin() + taken[i]);
  }
  co_return once;
}

// A long list is read in several steps, so that rows to skip are not kept.
Task<Result<std::vector<Row>>> Order::read(Wanted wanted) const {
  std::vector<Row> out;
  std::vector<Walk> walks = begin(wanted);
  const std::size_t step = kDynamoRowsMax * walks.size();
  while (out.size() < wanted.n) {
    const std::size_t n = std::min(step, std::min(wanted.skip, step) + wanted.n - out.size());
    Result<Once> next = co_await gather(walks, n, fair_share(n, walks.size()));
    if (!next) co_return next.refusal();
    for (Row& row : next->rows) {
      if (wanted.skip == 0) out.push_back(std::move(row));
      wanted.skip -= wanted.skip > 0 ? 1 : 0;
    }
    if (next->rows.size() < n) break;
  }
  co_return std::move(out);
}

Task<Result<Order::Once>> Order::read_once(std::size_t n, std::size_t each) const {
  std::vector<Walk> walks = begin({.range = keys_->padded().all(), .n = n});
  co_return co_await gather(walks, n, {.first = std::max<std::size_t>(each, 1), .again = 0});
}

KeyRange Order::from_row(const Row& row, bool to_worst) const {
  const PaddedKeys& padded = keys_->padded();
  const KeyRange whole = padded.all();
  const std::string key = keys_->score_key(row);
  const std::string group(padded.group(key));
  const bool exact = !keys_->sorts_groups();
  const bool downwards = padded.backwards() == to_worst;  // towards smaller keys
  if (downwards) return {whole.from, exact ? key : PaddedKeys::behind(group)};
  return {exact ? key : group, whole.to};
}

KeyRange Order::between(ScoreKey best, ScoreKey worst) const {
  const PaddedKeys& padded = keys_->padded();
  if (padded.backwards()) return {padded.not_worse(worst).from, padded.better(best).from};
  return {padded.better(best).to, padded.not_worse(worst).to};
}

}  // namespace laurel::dynamodb
