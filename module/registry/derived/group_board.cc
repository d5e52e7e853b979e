#include "registry/derived/group_board.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/segments/board_segments.h"
#include "profile/attributes.h"
#include "profile/profiles.h"

namespace laurel {

GroupBoard::GroupBoard(RegistryContext& context, Board& board)
    : DerivedBoard(board),
      context_(context),
      group_(board.spec().group),
      take_(board.spec().take),
      counts_all_(take_ != Take::best && board.spec().best == 0),
      counted_(take_ == Take::best ? 1 : board.spec().best),
      members_least_(static_cast<std::size_t>(board.spec().least)) {}

GroupBoard::~GroupBoard() = default;

void GroupBoard::add(SourceBoard& source) {
  source_ = &source;
  if (take_ != Take::best) score_.emplace(board_.spec(), source.form());
  source.add(*this);
  rows_.follow_season(source.board().season());
  all_changed();
}

void GroupBoard::remove(const SourceBoard& source) {
  if (source_ != &source) return;
  source_ = nullptr;
  all_changed();
}

void GroupBoard::all_changed() {
  outdated_ = true;
  if (totals_) context_.reclaimer.take(std::unique_ptr<Reclaimable>(std::move(totals_)));
  rows_.outdate();
}

void GroupBoard::present(Time now) {
  if (source_ == nullptr) return;
  Board& source = source_->board();
  if (source.follows_clock()) source.present(now);
  rows_.follow_season(source.season());
  if (outdated_) make_anew();
}

Time GroupBoard::next_change_at() const {
  return source_ == nullptr ? std::numeric_limits<Time>::max() : source_->board().next_change_at();
}

std::size_t GroupBoard::bytes() const { return sizeof *this + (totals_ ? totals_->bytes() : 0); }

std::string_view GroupBoard::value_of(std::string_view attributes) const {
  return attribute_of(attributes, group_);
}

// ---- rows

std::optional<RowKey> GroupBoard::summed(std::string_view value, Wide sum, std::size_t members,
                                         Time at) {
  bool stopped = false;
  const RowKey row{score_->of(sum, members, stopped), at};
  if (stopped && !std::exchange(told_of_stop_, true)) {
    context_.log.warn(
        "board \"{}\": the score of group \"{}\" is beyond what a score holds, and stops there",
        escaped(board_.name(), 64), escaped(value, 64));
  }
  return row;
}

std::optional<RowKey> GroupBoard::row_of(std::string_view value, const SegmentRows& rows) {
  if (rows.size() < members_least_) return std::nullopt;
  const std::size_t members = std::min(counted_, rows.size());
  const CountedTree& tree = rows.tree();
  RowCursor cursor = tree.from(0, members);
  Wide sum = 0;
  Time at = std::numeric_limits<Time>::min();
  for (std::size_t i = 0; i < members; ++i, cursor.next()) {
    const Row row = tree.order().row(cursor.place());
    if (take_ == Take::best) return RowKey{row.score, row.at};
    sum += score_->scaled(row.score);
    at = std::max(at, row.at);
  }
  return summed(value, sum, members, at);
}

std::optional<RowKey> GroupBoard::row_of(GroupTotals::GroupNumber group) {
  const std::size_t members = totals_->members(group);
  if (members < members_least_) return std::nullopt;
  return summed(totals_->value(group), totals_->sum(group), members, totals_->latest(group));
}

void GroupBoard::refresh(GroupTotals::GroupNumber group) {
  if (group == GroupTotals::kNoGroup) return;
  // While the group has a row, that holds its handle.
  PlayerHandle& handle = totals_->handle(group);
  const std::string_view value = totals_->value(group);
  if (handle == kNoPlayer) handle = context_.players.find(value);
  if (const std::optional<RowKey> row = row_of(group)) {
    rows_.put({value, handle}, *row);
    if (handle == kNoPlayer) handle = context_.players.find(value);
  } else {
    rows_.erase({value, handle});
    handle = kNoPlayer;
  }
  totals_->settle(group);
}

void GroupBoard::tell_full() {
  if (std::exchange(told_full_, true)) return;
  context_.log.warn(
      "full: the players of board \"{}\" have {} values of \"{}\", the most allowed; players with "
      "other values are in no group of board \"{}\"",
      escaped(source_->board().name(), 64), kSegmentValuesMax, escaped(group_, 64),
      escaped(board_.name(), 64));
}

// ---- what the source tells, if all members count

void GroupBoard::prefetch_player(const SourceBoard&, PlayerHandle player) const {
  if (totals_) totals_->prefetch_player(player);
}

void GroupBoard::prefetch_row(const SourceBoard&, PlayerHandle player) const {
  if (totals_) totals_->prefetch_member(player);
}

void GroupBoard::player_will_change(const SourceBoard&, const Player& player, const RowKey&) {
  if (totals_ && totals_->has(player.handle)) totals_->prefetch_neighbours(player.handle);
}

// A member is held, and keeps the handle.
void GroupBoard::player_changed(const Player& changed) {
  if (!totals_) return;
  Player player = changed;
  if (player.handle == kNoPlayer) player.handle = context_.players.find(player.id);
  arena_.clear();
  const std::optional<RowKey> row = key_of(source_->board().find_row(player, arena_));
  const bool is_member = totals_->has(player.handle);
  if (row && is_member) {
    refresh(totals_->put(player.handle, score_->scaled(row->score), row->at));
  } else if (row) {
    const std::string_view attributes =
        context_.profiles == nullptr ? "" : context_.profiles->attributes_of(player.id);
    refresh(totals_->add(player, value_of(attributes), score_->scaled(row->score), row->at));
    if (totals_->was_full()) tell_full();
  } else if (is_member) {
    refresh(totals_->erase(player.handle));
  }
}

void GroupBoard::attributes_changed(std::string_view id, std::string_view attributes) {
  if (!totals_) return;
  const PlayerHandle player = context_.players.find(id);
  if (!totals_->has(player)) return;
  const auto [before, after] = totals_->move(player, value_of(attributes));
  if (totals_->was_full()) tell_full();
  if (before == after) return;
  refresh(before);
  refresh(after);
}

// ---- what the source's orders tell, if only the first members count

void GroupBoard::segment_changed(std::string_view value, const SegmentRows& rows, const Row* before,
                                 const Row* after) {
  if (outdated_) return;
  // A member that moves behind those that count changes nothing.
  if (before != nullptr && after != nullptr && rows.size() > counted_ &&
      rows.tree().count_up_to(*before) >= counted_ && rows.tree().count_up_to(*after) > counted_) {
    return;
  }
  const Player group{value, context_.players.find(value)};
  if (const std::optional<RowKey> row = row_of(value, rows)) {
    rows_.put(group, *row);
  } else {
    rows_.erase(group);
  }
}

// ---- seasons

void GroupBoard::season_will_end() {
  if (outdated_) make_anew();
}

void GroupBoard::season_ended(Time ended) { rows_.end_season(ended, source_->board().season()); }

// ---- making it again

// In the order of moments, so that the lists have all members.
std::unique_ptr<GroupTotals> GroupBoard::add_up() {
  struct Found {
    Time at;
    ScoreKey score;
    std::string_view player;
  };
  constexpr std::size_t kRowsAtOnce = 256;
  constexpr std::size_t kMemberBytesMax = 1024;  // in a group of its own with the longest value
  const Board& source = source_->board();
  Arena arena;
  std::vector<EngineRow> some;
  std::vector<Found> found;
  found.reserve(source.size());
  for (std::size_t first = 0; first < source.size(); first += kRowsAtOnce) {
    some.clear();
    source.rows_from(first, kRowsAtOnce, arena, some);
    for (const EngineRow& row : some) found.push_back({row.at, row.score, row.player});
  }
  std::ranges::stable_sort(found, {}, &Found::at);
  auto totals = std::make_unique<GroupTotals>(context_.players);
  for (std::size_t first = 0; first < found.size(); first += kRowsAtOnce) {
    const std::size_t end = std::min(first + kRowsAtOnce, found.size());
    const MemoryGuarantee guaranteed((end - first) * kMemberBytesMax);
    for (std::size_t i = first; i < end; ++i) {
      const auto& [at, score, id] = found[i];
      const std::string_view attributes =
          context_.profiles == nullptr ? "" : context_.profiles->attributes_of(id);
      totals->add({id, context_.players.find(id)}, value_of(attributes), score_->scaled(score), at);
    }
  }
  if (totals->was_full()) tell_full();
  return totals;
}

void GroupBoard::make_anew() {
  std::unique_ptr<ScoreEngine> rows = rows_.make();
  const auto take = [&](std::string_view value, const std::optional<RowKey>& row) {
    if (!row) return;
    rows->put({value, context_.players.find(value)}, {value, row->score, row->at, std::nullopt});
  };
  if (counts_all_) {
    totals_ = add_up();
    totals_->each(
        [&](GroupTotals::GroupNumber group) { take(totals_->value(group), row_of(group)); });
  } else {
    source_->order();
    source_->board().orders_by_attribute()->each_segment(
        group_, [&](std::string_view value, const SegmentRows& members) {
          take(value, row_of(value, members));
        });
  }
  rows_.replace(std::move(rows));
  outdated_ = false;
}

}  // namespace laurel
