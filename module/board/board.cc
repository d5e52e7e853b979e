// Construction of a board, changes of its spec, and its end.
#include "board/board.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/hash.h"
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "board/marks/board_marks.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/board_segments.h"
#include "board/standings/derivation.h"
#include "board/validate.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

Board::Board(RegistryContext& context, SpaceNumber space, const BoardForm& form)
    : Standings(context.players, ScoreForm(form.running.spec.order, form.running.spec.decimals),
                form.running.spec.ties, form.running.spec.ranking, nullptr,
                form.running.spec.columns),
      context_(context),
      name_(form.name),
      spec_(context.specs.get(form.running.spec)),
      created_(form.created),
      epoch_(random_u64()),
      space_(*context.store, space),
      season_(form.running.season),
      written_(form.written) {
  // If the clock is behind, the window does not move back, as at run time.
  const Time now = context_.timestamps.now();
  const Time turned = std::max(now, form.turned.value_or(now));
  const SpaceNumber first = form.running.engine;
  swap_engine(first == 0 ? make_empty_engine(turned)
                         : PlacedEngine{make_engine(*spec_, first, turned), first, turned});
  season_clock_.resume(reset_schedule(*spec_), form.due);
  due_.move(season_clock_.due());
  follow_spec();
  rule_ = open_rule(*spec_);
  if (keeps_each_result()) keep_results();
}

Board::Board(RegistryContext& context, std::string name, const Spec& spec, Time created)
    : Board(context, ++context.last_space,
            {.name = std::move(name),
             .created = created,
             .running = {.season = {.number = 1, .started = created}, .spec = spec}}) {
  season_clock_.follow(reset_schedule(*spec_), created);
  due_.move(season_clock_.due());
  season_.started = start_of_season(created);
  if (spec_->marks) begin_marks(season_.started);
  begin_cohorts();
}

Board::~Board() {
  detach_cursors();
  if (listed_) context_.changed.remove(*this);
  if (segments_ || hears_attributes_) context_.segmented.remove(*this);
}

void Board::follow_spec() {
  // A derived board's writes are refused where those outside the hours are.
  has_hours_ = spec_->opens || spec_->closes || spec_->duration || is_derived(*spec_);
  follows_clock_ = spec_->reset || spec_->marks || rolling_ != nullptr || is_derived(*spec_);
}

void Board::dismantle() {
  detach_cursors();
  group_orders_.reset();
  replace_segments(nullptr);
  replace_cohorts(nullptr);
  context_.reclaimer.take(std::move(engine_));
  past_.dismantle();
  if (results_) results_->dismantle();
  dismantle_marks();
  space_.erase_some(kReclaimRowsPerTick);  // empty unless the store is durable
}

void Board::update(const Spec& spec) {
  const std::optional<RuleId> rule = open_rule(spec);
  SharedSpec next = context_.specs.get(spec);
  // Before anything changes, since it takes memory for all rows.
  const bool other_segments = spec.segments != spec_->segments;
  std::unique_ptr<BoardSegments> segments = other_segments ? make_segments(spec) : nullptr;
  const bool other_cohorts = spec.cohorts != spec_->cohorts;
  std::unique_ptr<BoardCohorts> cohorts = other_cohorts ? make_other_cohorts(spec) : nullptr;
  // A smaller capped board erases what it no longer holds.
  const MemoryGuarantee guaranteed((spec_->cap + spec_->reserve) * 2 * kPlayerBytesMax);
  if (spec.ranking != spec_->ranking) touched();  // every rank may change
  const bool other_size = spec.cap != spec_->cap || spec.reserve != spec_->reserve;
  const bool other_schedule = !same_resets(spec, *spec_);
  const bool other_duration = spec.duration != spec_->duration;
  const SharedSpec shared_before = std::exchange(spec_, std::move(next));
  const Spec& before = *shared_before;
  follow_spec();
  rank_by(spec_->ranking);
  if (other_size) {
    configure_capped();
    tell_all_changed();
    touched();
  }
  update_marks(before);
  if (other_segments) replace_segments(std::move(segments));
  if (segments_) segments_->rank_by(spec_->ranking);
  if (other_cohorts) {
    replace_cohorts(std::move(cohorts));
    list_changed();
  }
  if (cohorts_) cohorts_->rank_by(spec_->ranking);
  if (other_schedule) {
    season_clock_.follow(reset_schedule(*spec_), context_.timestamps.now());
    due_.move(season_clock_.due());
    tell_all_changed();
    touched();  // the publisher has to read next_change_at() again
  }
  if (spec_->meta != before.meta || spec_->closes != before.closes || other_duration) {
    list_changed();  // the publisher describes the board to clients
  }
  if (spec_->duration && (other_schedule || other_duration)) {
    season_.started = start_of_season(context_.timestamps.now());
  }
  past_.trim();
  rule_ = rule;
  if (keeps_each_result()) keep_results();
  if (results_) results_->configure(*spec_);
  save();
}

std::optional<RuleId> Board::open_rule(const Spec& spec) const {
  if (spec.rule.empty() || !context_.rules) return std::nullopt;
  return context_.rules->open(spec.rule);
}

Result<std::size_t> Board::clear() {
  if (const Status open = may_change(); !open) return open.refusal();
  const MemoryGuarantee guaranteed(membership_.hidden_bytes(), MemoryGuarantee::Frees::yes);
  PlacedEngine empty = make_empty_engine(context_.timestamps.now());
  membership_.drop_all_hidden();
  if (results_) results_->cleared();
  const std::size_t listed = size();
  const SpaceNumber space = engine_space_;
  std::unique_ptr<Engine> cleared = swap_engine(std::move(empty));
  if (marks_) marks_->put_aside(cleared, space, *spec_);
  if (cleared) context_.reclaimer.take(std::move(cleared));
  save();
  touched();
  return listed;
}

std::size_t Board::bytes() const {
  return sizeof *this + name_.capacity() + engine_->bytes() + past_.bytes() + judged_.bytes() +
         read_bytes() + membership_.bytes() + (results_ ? results_->bytes() : 0) +
         (marks_ ? marks_->bytes() : 0) + (segments_ ? segments_->bytes() : 0) +
         (cohorts_ ? cohorts_->bytes() : 0) + (derivation_ != nullptr ? derivation_->bytes() : 0);
}

}  // namespace laurel
