#include "base/limits.h"
#include "base/process/thread_time.h"
#include "registry/registry.h"

namespace laurel {

namespace {

// Sets a flag for its lifetime, also if an exception is thrown.
class ScopedFlag {
 public:
  explicit ScopedFlag(bool& flag) : flag_(flag) { flag_ = true; }
  ~ScopedFlag() { flag_ = false; }
  ScopedFlag(const ScopedFlag&) = delete;
  ScopedFlag& operator=(const ScopedFlag&) = delete;

 private:
  bool& flag_;
};

// Counts the time of a tick, from its beginning to its end.
class TickTimer {
 public:
  explicit TickTimer(CycleHistogram& times) : times_(times) {}
  ~TickTimer() { times_.observe(began_, ticks_now()); }
  TickTimer(const TickTimer&) = delete;
  TickTimer& operator=(const TickTimer&) = delete;

 private:
  CycleHistogram& times_;
  std::uint64_t began_ = ticks_now();
};

}  // namespace

void Registry::tick() {
  if (ticking_ || closed()) return;
  const TickTimer timer(tick_times_);
  const ScopedFlag ticking(ticking_);
  ++ticks_;
  if (context_.rules) context_.rules->reload_changed();
  if (remotes_) remotes_->tick();
  if (control_) control_->tick(*this);
  tell_season_ends();
  if (context_.rules) {
    rehearsals_.tick(*context_.rules, finder(), visitor());
    if (closed()) return;  // by a script that was told
    // A board with pending changes is always in this list.
    for (std::size_t i = 0; i < context_.changed.size(); ++i) context_.changed[i].deliver_changes();
  }
  TickBudget budget;
  if (watches_.size() > 0) {
    outdate_watches();
    budget.spend(1 + observers_.size() + reclaims(), [this](TickSlice& slice) {
      watches_.tick(
          [this](std::uint32_t slot, std::uint32_t generation) {
            return get({slot, generation});
          },
          names_of_players(), now(), slice);
    });
    outdate_watches();  // by callbacks; a board that is listed already is not listed again
  }
  show_changed(budget);
  if (reclaims() > 0) budget.spend(1, [this](TickSlice& slice) { reclaim(slice); });
  slices_put_off_ += budget.slices_put_off();
  begin_commit();
  if (metrics_file_) [[unlikely]]
    tick_metrics();
}

void Registry::tell_season_ends() {
  if (!season_ends_.is_used() || !season_ends_.has_work()) return;
  TickSlice slice(kSeasonEndsNanoseconds);
  const bool told = season_ends_.tick(slice);
  slices_put_off_ += slice.has_put_off() ? 1 : 0;
  if (told) (void)commit();  // a disk that fails is logged; the writes wait for it
}

void Registry::show_changed(TickBudget& budget) {
  const std::size_t changed = context_.changed.size();
  if (!observers_.empty()) {
    const auto listening = observers_;
    std::size_t kinds = listening.size() + reclaims();
    for (const auto& [id, attached] : listening) {
      if (!observers_.contains(id)) continue;
      RegistryObserver& observer = *attached.observer;
      budget.spend(kinds--, [&](TickSlice& slice) { observer.on_tick(*this, slice); });
    }
  }
  context_.changed.unlist(changed);
}

void Registry::outdate_watches() {
  for (std::size_t i = 0; i < context_.changed.size(); ++i) watches_.outdate(context_.changed[i]);
}

void Registry::reclaim(TickSlice& slice) {
  for (std::size_t rows = 0; rows < kReclaimRowsPerTick; rows += kReclaimRowsPerStep) {
    context_.reclaimer.work(kReclaimRowsPerStep);
    if (context_.reclaimer.waiting() == 0) return;
    if (slice.spent()) break;
  }
  slice.put_off();
}

}  // namespace laurel
