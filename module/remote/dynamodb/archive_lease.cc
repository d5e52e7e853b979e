// Leases for copies of a season that several servers could write.
//
//   turn     METADATA of the copy has the holder (`copier`), the time of its last request
//            (`copierAt`), and its progress (`copiedTo`). Rows are written in one transaction with
//            the next position, on condition of the holder and the previous position. So no row is
//            written twice, and `size` counts them.
//   forgets  a counter shared by all copies goes up with every forgotten player. The holder names
//            the value that it found when it took the turn, before it read any row.
#include <utility>

#include "remote/dynamodb/archive_items.h"
#include "remote/dynamodb/boards.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

Json forgets_key() { return item_key("ARCHIVE", "FORGETS"); }

// The value in a condition; null: the attribute is missing.
Json counted(std::uint64_t number) { return number == 0 ? Json() : whole_value(number); }
Json placed(std::string_view place) { return place.empty() ? Json() : any_text_value(place); }

}  // namespace

Task<Result<Value>> Boards::answer(const SentRequest& sent, const request::TakeCopy& request) {
  const std::string base = copy_base_of(sent.target);
  std::vector<Json> wanted = {item_key(base, kCopyMetadata), forgets_key()};
  const Reply reply = co_await client_.get_all(std::move(wanted), sent.deadline);
  if (reply.refusal) co_return *reply.refusal;
  CopyStand stand;
  std::optional<std::uint64_t> copier;
  std::optional<std::int64_t> copier_at;
  for (const Json& item : items_of(reply.body)) {
    if (text_at(item, "SK") != kCopyMetadata) {
      stand.forgets = whole_at(item, "count").value_or(0);
      continue;
    }
    stand.whole = truth_at(item, "whole");
    stand.to = any_text_at(item, "copiedTo").value_or("");
    copier = whole_at(item, "copier");
    copier_at = integer_at(item, "copierAt");
  }
  const bool is_free =
      !copier || *copier == request.token || sent.now - copier_at.value_or(0) >= kCopyTurn;
  if (stand.whole || !is_free) {
    stand.is_anothers = !stand.whole;
    co_return Value(std::move(stand));
  }
  Transaction parts;
  parts.update(item_key(base, kCopyMetadata),
               {.absent = false,
                .equal = {{"copier", copier ? whole_value(*copier) : Json()},
                          {"copiedTo", placed(stand.to)},
                          {"whole", Json()}}},
               {{"copier", whole_value(request.token)}, {"copierAt", number_value(sent.now)}}, {});
  const Reply done = co_await client_.transact(parts, sent.deadline);
  if (done.refusal) co_return *done.refusal;
  stand.is_anothers = !done.ok();
  co_return Value(std::move(stand));
}

Task<Result<Value>> Boards::copy_in_turn(const SentRequest& sent,
                                         const request::CopySeason& request) {
  const CopyTurn& turn = *request.turn;
  CopiedItems items = items_of_rows(sent.target, request.rows);
  Transaction parts;
  for (Json& pointer : items.pointers) parts.put(std::move(pointer));
  for (Json& score : items.scores) parts.put(std::move(score));
  auto set = copy_facts(sent.target, request, items.odd_ids);
  set.emplace_back("copierAt", number_value(sent.now));
  if (!turn.to.empty()) set.emplace_back("copiedTo", any_text_value(turn.to));
  parts.update(item_key(copy_base_of(sent.target), kCopyMetadata),
               {.absent = false,
                .equal = {{"copier", whole_value(turn.token)}, {"copiedTo", placed(turn.from)}}},
               set, {{"size", static_cast<std::int64_t>(request.rows.size())}});
  parts.check(forgets_key(), {.absent = false, .equal = {{"count", counted(turn.forgets)}}});
  const Reply done = co_await client_.transact(parts, sent.deadline);
  if (done.refusal) co_return *done.refusal;
  co_return Value(done.ok());
}

Task<Status> Boards::end_turns(Time deadline) {
  Transaction parts;
  parts.update(forgets_key(), {}, {}, {{"count", 1}});
  const Reply done = co_await client_.transact(parts, deadline);
  if (done.refusal) co_return *done.refusal;
  co_return Done{};
}

}  // namespace laurel::dynamodb
