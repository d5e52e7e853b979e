#include "remote/dynamodb/score_scan.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/limits.h"
#include "engine/gather/row_merge.h"

namespace laurel::dynamodb {

struct Order::Walk {
  std::string pk;
  KeyRange range;
  bool best_first = true;
  Json next;             // start of the next Query; null at first
  bool ended = false;    // all keys were read
  std::deque<Row> rows;  // in order, not taken yet
  std::string group;     // of the rows in `held`, which are in the order of their keys
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
  Json next;
  do {
    Json arguments = query(pk, range);
    arguments["Select"] = "COUNT";
    const Reply reply = co_await client_->query(std::move(arguments), next, deadline_);
    if (reply.refusal) co_return *reply.refusal;
    const Json* counted = member(reply.body, "Count");
    if (counted != nullptr && counted->is_number_unsigned()) {
      count += counted->get<std::uint64_t>();
    }
  } while (!next.is_null());
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
  for (const std::string& pk : partitions()) {
    Json next;
    do {
      Json arguments = query(pk, range);
      arguments["ProjectionExpression"] = "SK";
      const Reply reply = co_await client_->query(std::move(arguments), next, deadline_);
      if (reply.refusal) co_return *reply.refusal;
      for (const Json& item : items_of(reply.body)) {
        const std::string key = text_at(item, "SK").value_or("");
        scores.emplace(keys_->padded().score(key));
      }
    } while (!next.is_null());
  }
  co_return scores.size();
}

// ---- reading

void Order::release(Walk& walk) const {
  if (walk.held.size() > 1) {
    std::sort(walk.held.begin(), walk.held.end(),
              [&](const Row& a, const Row& b) { return comes_before(a, b, walk.best_first); });
  }
  for (Row& row : walk.held) walk.rows.push_back(std::move(row));
  walk.held.clear();
}

void Order::take(Walk& walk, const Json& item) const {
  std::optional<Row> row = keys_->row_of(item);
  if (!row) return;  // of another tool, or damaged
  if (!keys_->sorts_groups()) {
    walk.rows.push_back(std::move(*row));
    return;
  }
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
    walk.ended = wanted.range.from > wanted.range.to;
    walks.push_back(std::move(walk));
  }
  return walks;
}

Task<Result<std::vector<Row>>> Order::read(Wanted wanted) const {
  std::vector<Row> out;
  if (wanted.n == 0) co_return std::move(out);
  std::vector<Walk> walks = begin(wanted);
  const std::size_t whole =
      wanted.n > kDynamoRowsMax ? kDynamoRowsMax : wanted.n + std::min(wanted.skip, kDynamoRowsMax);
  const Asking asking = fair_share(whole, walks.size());
  std::size_t share = walks.size() == 1 ? whole : asking.first;
  while (out.size() < wanted.n) {
    // Every walk must have its next row, or have ended.
    std::vector<Task<Status>> fetches;
    for (Walk& walk : walks) {
      if (walk.rows.empty() && !walk.ended) fetches.push_back(fetch(walk, share));
    }
    const std::vector<Status> fetched = co_await all(fetches);
    for (const Status& each : fetched) {
      if (!each) co_return each.refusal();
    }
    share = std::max<std::size_t>(asking.again, 1);
    Walk* best = nullptr;
    while (out.size() < wanted.n) {
      best = nullptr;
      bool unknown = false;
      for (Walk& walk : walks) {
        if (walk.rows.empty()) {
          unknown = unknown || !walk.ended;
        } else if (best == nullptr ||
                   comes_before(walk.rows.front(), best->rows.front(), wanted.best_first)) {
          best = &walk;
        }
      }
      if (unknown || best == nullptr) {
        if (!unknown) co_return std::move(out);
        break;
      }
      Row row = std::move(best->rows.front());
      best->rows.pop_front();
      if (wanted.behind != nullptr && !comes_before(*wanted.behind, row, wanted.best_first)) {
        continue;
      }
      if (wanted.skip > 0) {
        --wanted.skip;
      } else {
        out.push_back(std::move(row));
      }
    }
  }
  co_return std::move(out);
}

Task<Result<Order::Once>> Order::read_once(std::size_t n, std::size_t each) const {
  Once once;
  Wanted wanted{.range = keys_->padded().all(), .n = n};
  std::vector<Walk> walks = begin(wanted);
  std::vector<Task<Status>> fetches;
  for (Walk& walk : walks) fetches.push_back(fetch(walk, std::max<std::size_t>(each, 1)));
  const std::vector<Status> fetched = co_await all(fetches);
  for (const Status& status : fetched) {
    if (!status) co_return status.refusal();
  }
  std::vector<Row> last_read;  // of partitions with more rows
  for (Walk& walk : walks) {
    const std::size_t taken = std::min(each, walk.rows.size());
    const bool has_more = !walk.ended || walk.rows.size() > taken;
    for (std::size_t i = 0; i < taken; ++i) once.rows.push_back(std::move(walk.rows[i]));
    if (has_more && taken > 0) last_read.push_back(once.rows.back());
    if (has_more && taken == 0) once.certain = n == 0;
  }
  std::sort(once.rows.begin(), once.rows.end(),
            [&](const Row& a, const Row& b) { return comes_before(a, b, true); });
  if (once.rows.size() > n) once.rows.resize(n);
  for (const Row& last : last_read) {
    const bool full = once.rows.size() == n;
    if (!full || (n > 0 && comes_before(last, once.rows.back(), true))) once.certain = false;
  }
  co_return std::move(once);
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
