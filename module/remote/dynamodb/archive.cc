// Copies of past seasons of other boards: score items and pointers like those of a board in the
// table, under a base of their own, and a METADATA item.
#include <utility>

#include "base/checks.h"
#include "base/text.h"
#include "remote/dynamodb/archive_items.h"
#include "remote/dynamodb/boards.h"
#include "remote/limits.h"
#include "remote/request/spec_codec.h"

namespace laurel::dynamodb {

namespace {

// Puts all items, in concurrent batches.
Task<Status> put_all(Client& client, std::vector<Json> items, Time deadline) {
  std::vector<Task<Reply>> tasks;
  std::vector<Json> puts;
  for (Json& item : items) {
    puts.push_back(Json{{"PutRequest", {{"Item", std::move(item)}}}});
    if (puts.size() == kDynamoWriteMax) {
      tasks.push_back(client.write_all(std::exchange(puts, {}), deadline));
    }
  }
  if (!puts.empty()) tasks.push_back(client.write_all(std::move(puts), deadline));
  const std::vector<Reply> replies = co_await all(tasks);
  for (const Reply& reply : replies) {
    if (reply.refusal) co_return *reply.refusal;
  }
  co_return Done{};
}

}  // namespace

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::CopySeason& request) {
  return request.turn ? copy_in_turn(sent, request) : copy_season(sent, request);
}

// Pointers first, because forgetting a player follows them. METADATA last, so that a copy marked
// whole has all rows.
Task<Result<Value>> Boards::copy_season(const SentRequest& sent,
                                        const request::CopySeason& request) {
  CopiedItems items = items_of_rows(sent.target, request.rows);
  const Status pointed = co_await put_all(client_, std::move(items.pointers), sent.deadline);
  if (!pointed) co_return pointed.refusal();
  const Status scored = co_await put_all(client_, std::move(items.scores), sent.deadline);
  if (!scored) co_return scored.refusal();
  Transaction parts;
  auto set = copy_facts(sent.target, request, items.odd_ids);
  set.emplace_back("size", whole_value(request.size));
  parts.update(item_key(copy_base_of(sent.target), kCopyMetadata), {}, set, {});
  const Reply done = co_await client_.transact(parts, sent.deadline);
  if (done.refusal) co_return *done.refusal;
  co_return Value(true);
}

// The METADATA of a complete copy; null if it is not complete.
Task<Result<Json>> Boards::metadata_of_copy(const SentRequest& sent) {
  std::vector<Json> wanted = {item_key(copy_base_of(sent.target), kCopyMetadata)};
  const Reply reply = co_await client_.get_all(std::move(wanted), sent.deadline);
  if (reply.refusal) co_return *reply.refusal;
  const Json& items = items_of(reply.body);
  Json found;
  if (!items.empty() && truth_at(items.front(), "whole")) found = items.front();
  co_return std::move(found);
}

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::ReadCopy&) {
  const Result<Json> item = co_await metadata_of_copy(sent);
  if (!item) co_return item.refusal();
  KeptSpec kept;
  if (!item->is_null()) kept = {.exists = true, .spec = pairs_at(*item, "spec"), .revision = 1};
  co_return Value(std::move(kept));
}

Task<Result<Boards::Scope>> Boards::scope_of_copy(const SentRequest& sent) {
  const Target& target = sent.target;
  const Result<Json> found = co_await metadata_of_copy(sent);
  if (!found) co_return found.refusal();
  const Json& item = *found;
  if (item.is_null()) {
    co_return Refusal(Code::unknown, "season {} of board \"{}\" is not archived", target.season,
                      escaped(target.board, 64));
  }
  Record record;
  record.exists = true;
  record.created = *target.copy_of;
  record.past = {{.number = target.season,
                  .started = integer_at(item, "startsAt").value_or(0),
                  .ended = integer_at(item, "endsAt").value_or(0),
                  .clears = 0,
                  .ranking = target.spec->ranking}};
  const std::string base = copy_base_of(target);
  auto keys = std::make_shared<EntryKeys>(flat_spec(*target.spec), truth_at(item, "oddIds"));
  Order order(client_, *keys, base, sent.deadline);
  Scope scope{.record = std::move(record),
              .board = target.board,
              .base = base,
              .keys = std::move(keys),
              .order = std::move(order),
              .ranking = target.spec->ranking,
              .running = false,
              .deadline = sent.deadline,
              .size = whole_at(item, "size").value_or(0),
              .sent = &sent};
  co_return std::move(scope);
}

// Removes one row: the pointer, the score item that it names, and 1 from the copy's size. Returns
// whether the row existed.
Task<Result<bool>> Boards::forget_row(Json pointer, Time deadline) {
  const std::string base = text_at(pointer, "SK").value_or("");
  const std::string score_key = text_at(pointer, "scoreSK").value_or("");
  Transaction parts;
  parts.erase(item_key(text_at(pointer, "PK").value_or(""), base),
              {.absent = false, .equal = {{"scoreSK", text_value(score_key)}}});
  parts.erase(item_key(text_at(pointer, "scorePK").value_or(""), score_key), {});
  parts.update(item_key(base, kCopyMetadata), {}, {}, {{"size", -1}});
  const Reply done = co_await client_.transact(parts, deadline);
  if (done.refusal) co_return *done.refusal;
  co_return done.ok();
}

// Ends all turns first, so that rows of the player that were read before are not written any
// longer.
Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::ForgetCopied& request) {
  const std::string& player = request.player;
  if (const Status valid = check_player(player); !valid) co_return valid.refusal();
  const Status ended = co_await end_turns(sent.deadline);
  if (!ended) co_return ended.refusal();
  std::uint64_t rows = 0;
  Json next;
  do {
    Json query = pointers_query(player);
    const Reply reply = co_await client_.query(std::move(query), next, sent.deadline);
    if (reply.refusal) co_return *reply.refusal;
    for (const Json& pointer : items_of(reply.body)) {
      if (!is_copy_base(text_at(pointer, "SK").value_or(""))) continue;
      Json row = pointer;
      const Result<bool> gone = co_await forget_row(std::move(row), sent.deadline);
      if (!gone) co_return gone.refusal();
      rows += *gone ? 1 : 0;
    }
  } while (!next.is_null());
  co_return Value(rows);
}

}  // namespace laurel::dynamodb
