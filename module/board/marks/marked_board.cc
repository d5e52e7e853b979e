// A board's marks. Out of line: few boards have any.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_guarantee.h"
#include "board/board.h"
#include "board/marks/board_marks.h"

namespace laurel {

void Board::keep_marks() {
  if (marks_) return;
  marks_ = std::make_unique<BoardMarks>(context_.part(space_), *spec_);
  follow_marks(marks_->version());
  note_told();
}

Status Board::load_marks(const Engine::LoadProgress& progress) {
  if (!spec_->marks && !BoardMarks::has_rows(space_)) return Done{};
  keep_marks();
  return marks_->load(*spec_, *engine_, [&](const Spec& spec, SpaceNumber first) {
    std::unique_ptr<Engine> engine = make_engine(spec, first, context_.timestamps.now());
    engine->load(progress);
    return engine;
  });
}

void Board::begin_marks(Time started) {
  keep_marks();
  marks_->follow(mark_schedule(*spec_), created_);
  marks_->begin_season(started);
}

void Board::move_mark(Time now) {
  const MemoryGuarantee guaranteed;
  if (marks_->move(*engine_, now, context_.timestamps.last())) touched();
}

Status Board::check_marks() const {
  if (has_marks(*spec_)) return Done{};
  return Refusal(Code::unsupported,
                 "a board has marks if its engine is \"ranked\", \"capped\", or \"sharded\" with "
                 "shards of \"ranked\"");
}

Result<Time> Board::mark() {
  if (const Status marked = check_marks(); !marked) return marked.refusal();
  if (const Status open = may_write(); !open) return open.refusal();
  const Time now = context_.timestamps.now();
  const MemoryGuarantee guaranteed;
  keep_marks();
  marks_->set(*engine_, now, context_.timestamps.last());
  touched();
  return now;
}

std::optional<Time> Board::marked_at() const { return marks_ ? marks_->time() : std::nullopt; }

Result<std::optional<Board::Since>> Board::since(std::string_view id) const {
  if (const Status marked = check_marks(); !marked) return marked.refusal();
  const std::optional<Entry> entry = get(id);
  if (!entry) return std::optional<Since>();
  Since since{.rank = entry->rank,
              .previous_rank = {},
              .score = entry->score,
              .previous = {},
              .mark = marked_at()};
  if (marks_) {
    const Player player = look_up(id);
    if (const std::optional<RowKey> was = marks_->find(*engine_, player)) {
      since.previous = form().score(was->score);
      since.previous_rank = marks_->rank(*engine_, player);
    }
  }
  return std::optional(since);
}

std::optional<Rank> Board::rank_at_mark(const Entry& entry) const {
  return marks_ ? marks_->rank_of_entry(*engine_, entry.player) : std::nullopt;
}

// A smaller capped board drops rows, and a larger one shows rows from its reserve.
void Board::configure_capped() {
  if (!marks_ || !marks_->hears()) {
    engine_->configure(*spec_);
    return;
  }
  const auto shown = [this] {
    std::unordered_map<std::string, RowKey> keys;
    Arena arena;
    std::vector<EngineRow> rows;
    engine_->read(0, engine_->size(), arena, rows);
    for (const EngineRow& row : rows) {
      keys.emplace(std::string(row.player), RowKey{row.score, row.at});
    }
    return keys;
  };
  const auto before = shown();
  engine_->configure(*spec_);
  const auto after = shown();
  for (const auto& [player, key] : before) {
    if (!after.contains(player)) marks_->changed(*engine_, look_up(player), key, std::nullopt);
  }
  for (const auto& [player, key] : after) {
    if (!before.contains(player)) marks_->changed(*engine_, look_up(player), std::nullopt, key);
  }
}

void Board::update_marks(const Spec& before) {
  if (spec_->marks) keep_marks();
  if (!marks_) return;
  marks_->rank_by(*engine_, spec_->ranking);
  if (same_mark_times(*spec_, before)) return;
  marks_->follow(mark_schedule(*spec_), context_.timestamps.now());
  touched();  // the publisher has to read next_change_at() again
}

void Board::forget_mark(std::string_view id) {
  if (marks_ && marks_->forget(*engine_, id)) touched();
}

void Board::rename_in_mark(std::string_view from, std::string_view to) {
  if (marks_ && marks_->rename(*engine_, from, to)) touched();
}

void Board::dismantle_marks() {
  if (marks_) marks_->dismantle();
}

}  // namespace laurel
