#include "engine/rolling/rolling_engine.h"

#include <algorithm>
#include <cassert>

#include "base/invariant.h"
#include "base/limits.h"
#include "engine/rolling/activity_codec.h"

namespace laurel {

RollingEngine::RollingEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space)
    : context_(context),
      rows_(Space(context.store, space).open_buffer()),
      ties_(spec.ties),
      window_(spec.window),
      zone_(spec.zone),
      sums_(spec),
      trees_(context.players, spec.ties, spec.window.buckets),
      table_(std::make_unique<ActivityTable>(context.players)) {
  assert(window_.length > 0 && "a bucket has a length");
}

// The clock.

Advance RollingEngine::advance(Time now) {
  const Advance turned = turn_to(bucket_of(now));
  free_some(kReclaimStepsPerCall);
  return turned;
}

Bucket RollingEngine::bucket_of(Time time) const {
  if (!zone_.is_utc()) return zone_.day(time);
  const Bucket whole = time / window_.length;
  return time % window_.length < 0 ? whole - 1 : whole;
}

bool RollingEngine::in_window(Bucket bucket) const {
  return started_ && bucket <= running_ && bucket > running_ - window_.buckets;
}

Advance RollingEngine::turn_to(Bucket bucket) {
  if (started_ && bucket == running_) return Advance::none;
  if (started_ && bucket < running_) {
    if (running_ - bucket <= window_.buckets) return Advance::behind;
    discard_all();
    running_ = bucket;
    return Advance::restart;
  }
  trees_.slide(running_, std::max(running_, bucket));
  running_ = bucket;
  started_ = true;
  return Advance::next;
}

// Activity.

// No amount is newer than the running bucket: activity must be in the window, and the window never
// moves back.
std::span<const Amount> RollingEngine::counting(const Player& player) const {
  const ActivityRecord* record = table_->find(player.handle);
  if (record == nullptr) return {};
  return sums_.counting(record->amounts, running_);
}

std::optional<ScoreKey> RollingEngine::sum(const Player& player) const {
  return sums_.sum(counting(player), running_);
}

std::optional<ScoreKey> RollingEngine::sum_with(const Player& player,
                                                const Activity& activity) const {
  assert(in_window(activity.bucket) && "activity is of the window");
  if (activity.amount == sums_.zero()) return sum(player).value_or(sums_.zero());
  const std::optional<std::vector<Amount>> amounts =
      sums_.with(counting(player), {activity.bucket, activity.amount});
  if (!amounts) return std::nullopt;
  return sums_.sum(*amounts, running_);
}

void RollingEngine::add(const Player& player, const Activity& activity) {
  assert(in_window(activity.bucket) && "activity is of the window");
  const std::span<const Amount> held = counting(player);
  const bool afresh = held.empty();
  PlayerHandle handle = player.handle;
  bool changed = false;
  if (activity.amount == sums_.zero()) {
    if (afresh) return;
  } else {
    auto amounts = sums_.with(held, {activity.bucket, activity.amount});
    assert(amounts && "the sums were found to be in range");
    const ActivityRecord* record = table_->find(handle);
    const Time at = afresh ? activity.at : std::max(activity.at, record->at);
    changed = afresh || at != record->at || *amounts != record->amounts;
    handle = replace(player, at, std::move(*amounts));
    if (afresh) table_->put_data(handle, std::nullopt);
  }
  if (activity.data && activity.data != table_->find(handle)->data_view()) {
    table_->put_data(handle, activity.data);
    changed = true;
  }
  if (changed) write_row(handle);
}

void RollingEngine::write_row(PlayerHandle player) {
  if (!rows_.keeps()) return;
  const IdText id = context_.players.id(player);
  rows_.put(id, *table_->find(player));
}

// A step begins when an amount falls out and ends before the next one does, independent of the
// running bucket. So a player's places follow from the amounts alone: this finds all existing rows;
// only spans that have ended are omitted.
void RollingEngine::list_places(std::span<const Amount> amounts, Places& out) const {
  out.clear();
  sums_.steps(amounts, [&](Bucket first, Bucket last, ScoreKey sum) {
    if (!sums_.positive(sum)) return;
    cover(first, last, [&](BucketSpan span) {
      if (span.last() >= running_) out.push_back({span, sum});
    });
  });
}

// Sets the player's amounts and moves those rows that differ from before. Amounts outside of the
// window are dropped.
PlayerHandle RollingEngine::replace(const Player& player, Time at, std::vector<Amount> amounts) {
  before_.clear();
  bool same_at = false;
  if (const ActivityRecord* record = table_->find(player.handle)) {
    list_places(record->amounts, before_);
    same_at = record->at == at;
  }
  list_places(amounts, after_);
  const PlayerHandle handle = table_->put(player, at, std::move(amounts));

  auto old = before_.begin();
  const auto take_off_behind = [&](Bucket first) {
    for (; old != before_.end() && old->span.last() >= first; ++old) {
      trees_.erase(old->span, handle);
    }
  };
  for (const Place& place : after_) {
    take_off_behind(place.span.last() + 1);
    const bool stays = old != before_.end() && old->span == place.span;
    const bool same = stays && same_at && old->sum == place.sum;
    if (stays) ++old;
    if (!same) trees_.put(place.span, {place.sum, at, handle});
  }
  take_off_behind(running_);
  free_some(after_.size());
  return handle;
}

std::unique_ptr<EngineView> RollingEngine::at_bucket(Bucket bucket) const {
  assert(bucket >= running_ && "boards of buckets that are over are not kept");
  return std::make_unique<RollingView>(view(bucket));
}

bool RollingEngine::erase(const Player& player) {
  const ActivityRecord* record = table_->find(player.handle);
  if (record == nullptr) return false;
  const bool counted = !counting(player).empty();
  list_places(record->amounts, before_);
  for (const Place& place : before_) trees_.erase(place.span, player.handle);
  rows_.erase(player.id);
  table_->erase(player.handle);
  return counted;
}

std::optional<std::string> RollingEngine::pack(const Player& player) const {
  const std::span<const Amount> amounts = counting(player);
  if (amounts.empty()) return std::nullopt;
  const ActivityRecord& record = *table_->find(player.handle);
  return pack_activity(record.at, amounts, record.data_view());
}

void RollingEngine::unpack(const Player& player, std::string_view packed) {
  assert(started_ && counting(player).empty() && "nothing is held of the player");
  const PackedActivity activity = unpack_activity(packed);
  // The clock was set back after pack(): what happened later is void, as for all other players.
  if (activity.amounts.back().bucket > running_) return;
  const PlayerHandle handle = restore(player, activity.at, activity.amounts, activity.data);
  if (handle != kNoPlayer) write_row(handle);
}

std::string RollingEngine::repacked(std::string_view packed,
                                    const std::optional<std::string_view>& data) const {
  const PackedActivity activity = unpack_activity(packed);
  return pack_activity(activity.at, activity.amounts, data);
}

PlayerHandle RollingEngine::restore(const Player& player, Time at, std::span<const Amount> amounts,
                                    std::optional<std::string_view> data) {
  const std::span<const Amount> held = sums_.counting(amounts, running_);
  if (held.empty()) return kNoPlayer;
  const PlayerHandle handle = replace(player, at, {held.begin(), held.end()});
  table_->put_data(handle, data);
  return handle;
}

void RollingEngine::each_packed(const PackedVisitor& visit) const {
  for (std::size_t i = 0; i < table_->size(); ++i) {
    const ActivityRecord& record = (*table_)[i];
    const std::span<const Amount> amounts = sums_.counting(record.amounts, running_);
    if (amounts.empty()) continue;
    const IdText id = context_.players.id(record.player);
    visit(id, pack_activity(record.at, amounts, record.data_view()));
  }
}

// What has ended.

void RollingEngine::discard_all() {
  trees_.drop_all();
  if (table_->size() == 0) return;
  rows_.start_over();
  discarded_.push_back(std::move(table_));
  table_ = std::make_unique<ActivityTable>(context_.players);
}

void RollingEngine::free_some(std::size_t steps) {
  steps -= trees_.free_some(steps);
  while (steps > 0 && !discarded_.empty()) {
    free_some_of(*discarded_.back(), steps, true);
    if (discarded_.back()->size() == 0) discarded_.pop_back();
  }
  free_some_of(*table_, steps, false);
}

// Frees the stalest players: all of them, or those of whom nothing counts. The player's
// written row is erased, unless it was written again after the board began again.
void RollingEngine::free_some_of(ActivityTable& table, std::size_t& steps, bool all) {
  for (; steps > 0; --steps) {
    const ActivityRecord* stalest = table.stalest();
    if (stalest == nullptr) return;
    if (!all && !sums_.counting(stalest->amounts, running_).empty()) return;
    const PlayerHandle player = stalest->player;
    const bool written_since = &table != table_.get() && table_->find(player) != nullptr;
    if (rows_.keeps() && !written_since) {
      const IdText id = context_.players.id(player);
      rows_.erase(id);
    }
    table.erase(player);
    ++players_freed_;
  }
}

bool RollingEngine::dismantle(std::size_t rows) {
  rows_.retire();
  discard_all();
  free_some(rows);
  return trees_.any_ended() || !discarded_.empty();
}

std::size_t RollingEngine::bytes() const {
  std::size_t bytes = sizeof *this - sizeof trees_ + trees_.bytes() + table_->bytes() +
                      (before_.capacity() + after_.capacity()) * sizeof(Place);
  for (const auto& table : discarded_) bytes += table->bytes();
  return bytes;
}

void RollingEngine::check() const {
  table_->check();
  std::size_t rows = 0;
  Places places;
  for (std::size_t i = 0; i < table_->size(); ++i) {
    const ActivityRecord& record = (*table_)[i];
    must(record.amounts.back().bucket <= running_, "activity is of a bucket to come");
    list_places(record.amounts, places);
    rows += places.size();
    for (const Place& place : places) {
      const SpanTree* tree = trees_.tree(place.span);
      const std::optional<Row> row = tree ? tree->rows().find(record.player) : std::nullopt;
      must(row && row->score == place.sum && row->at == record.at,
           "a player's row is not where its steps say");
    }
  }
  trees_.for_each([&](const SpanTree& tree) {
    tree.rows().check();
    must(tree.size() > 0 && tree.span().last() >= running_, "a span is kept for nothing");
    rows -= tree.size();
  });
  must(rows == 0, "a player is in a span that no step of it covers");
}

}  // namespace laurel
