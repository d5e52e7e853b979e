#include "remote/archive/local_archiver.h"

#include <utility>

#include "base/text.h"
#include "remote/limits.h"

namespace laurel {

namespace {

CopiedRow copied(const EngineRow& row) {
  CopiedRow copy{.player = std::string(row.player), .score = row.score, .at = row.at, .data = {}};
  if (row.data) copy.data = std::string(*row.data);
  return copy;
}

}  // namespace

LocalArchiver::LocalArchiver(PendingRequests& requests, Journal& journal, NamedRemote& remote)
    : requests_(requests),
      remote_(remote),
      forgetting_(
          requests, journal, remote, std::string(kNoBoard),
          [](std::string player) -> Request { return request::ForgetCopied{std::move(player)}; }),
      request_(requests) {}

// After a failure players are not forgotten at once either: rows that were sent may still arrive.
void LocalArchiver::tick() {
  if (!request_.is_due()) return;
  forgetting_.tick();
  if (forgetting_.pending() > 0) return;
  if (Board* const board = requests_.registry().board_to_copy()) send(*board);
}

void LocalArchiver::send(Board& board) {
  const ArchivedSeason& season = *board.past_seasons().next_to_copy();
  Sent sent{.board = board.name(),
            .created = board.created(),
            .season = season.season().number,
            .version = season.copy_version(),
            .to = *season.to_copy(),
            .last = false};
  Arena arena;
  std::vector<EngineRow> rows;
  season.engine().scan(sent.to, kCopyRows, arena, rows);
  request::CopySeason what{
      .season = season.season(), .size = season.size(), .rows = {}, .last = false};
  for (const EngineRow& row : rows) what.rows.push_back(copied(row));
  what.last = sent.last = rows.size() < kCopyRows;
  Target target{.board = sent.board,
                .spec = std::make_shared<const Spec>(season.spec()),
                .season = sent.season,
                .copy_of = sent.created};
  request_.send(
      remote_, std::move(target), std::move(what), requests_.steady() + kCopyWithin,
      [this, sent = std::move(sent)](const Result<Value>& value) { answered(sent, value); });
}

void LocalArchiver::answered(const Sent& sent, const Result<Value>& value) {
  if (!value && value.refusal().code() == Code::unavailable) return request_.fail();
  request_.succeed();
  const Registry& registry = requests_.registry();
  const std::optional<BoardHandle> handle = registry.find(sent.board);
  Board* const board = handle ? registry.peek(*handle) : nullptr;
  // The board may have been dropped and created again meanwhile.
  if (board == nullptr || board->created() != sent.created) return;
  if (!value) {
    registry.log().error("board \"{}\": season {} is not archived: {}", escaped(sent.board, 64),
                         sent.season, value.refusal().text());
    board->past_seasons().end_copy(sent.season);
  } else if (board->past_seasons().note_copied(sent.season, sent.version, sent.to) && sent.last) {
    board->past_seasons().end_copy(sent.season);
  }
}

}  // namespace laurel
