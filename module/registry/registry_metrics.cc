// What a registry measures of itself, as text for Prometheus and in a file.
#include <memory>
#include <new>

#include "base/steady_clock.h"
#include "base/version.h"
#include "registry/metrics_file.h"
#include "registry/metrics_round.h"
#include "registry/registry.h"
#include "registry/tick_budget.h"

namespace laurel {

namespace {

// The value of the label for a refusal that is not a result's.
constexpr bool is_reason(Code code) { return code != Code::invalid; }

double number(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace

// Returns false if boards are left for a later call, when the slice is spent.
bool Registry::collect_boards(MetricsRound& round, TickSlice* slice) const {
  constexpr std::size_t kBoardsPerStep = 16;
  SubmissionCounts& submissions = context_.submissions;
  for (std::size_t looked_at = 1; round.next_slot < slots_.size(); ++looked_at) {
    const Slot& slot = slots_[round.next_slot++];
    if (!slot.board) continue;
    const Board& board = present(*slot.board);
    const std::string_view label = submissions.label(board.name());
    if (label == kOtherBoards) {
      ++round.others;
      round.players_of_others += board.size();
    } else {
      round.set.add(Family::board_players, {label}, number(board.size()));
      round.set.add(Family::board_season, {label}, number(board.season().number));
    }
    const std::uint64_t cached = board.cache_bytes();
    round.cache_bytes += cached;
    round.order_bytes += board.bytes() - cached;
    if (slice != nullptr && looked_at % kBoardsPerStep == 0 && slice->spent()) return false;
  }
  return true;
}

void Registry::collect_submissions(MetricSet& set) const {
  const SubmissionCounts& submissions = context_.submissions;
  submissions.each([&](std::string_view label, const BoardSubmissions& counts) {
    set.add(Family::submissions, {label, "changed"}, number(counts.changed));
    set.add(Family::submissions, {label, "unchanged"}, number(counts.unchanged));
    set.add(Family::submissions, {label, "refused"}, number(counts.refused));
  });
  for (std::size_t i = 0; i < kRefusalCodes; ++i) {
    const Code code = static_cast<Code>(i);
    if (is_reason(code)) set.add(Family::refusals, {word(code)}, number(submissions.reasons(code)));
  }
}

void Registry::collect_memory(MetricsRound& round) const {
  MetricSet& set = round.set;
  const Store& store = *context_.store;
  // In memory the store has the orders of some engines.
  const std::uint64_t stored = store.is_durable() ? 0 : store.bytes();
  set.add(Family::memory_bytes, {"players"}, number(context_.players.bytes()));
  const std::uint64_t orders = round.order_bytes + context_.specs.bytes() + stored;
  set.add(Family::memory_bytes, {"orders"}, number(orders));
  set.add(Family::memory_bytes, {"windows"}, 0);
  set.add(Family::memory_bytes, {"rules"}, 0);
  set.add(Family::memory_bytes, {"caches"}, number(round.cache_bytes + names_.bytes()));
}

void Registry::collect_disk(MetricSet& set) const {
  const Store& store = *context_.store;
  if (!store.is_durable()) return;
  const StoreProgress disk = store.progress();
  set.add(Family::disk_pending_bytes, number(disk.waiting_bytes));
  set.add(Family::disk_file_bytes, number(disk.file_bytes));
  set.add(Family::disk_failures, number(disk.failures));
  if (const Histogram* const times = store.commit_times()) {
    set.add(Family::commit_seconds, {}, *times);
  }
}

// Adds everything but boards and remotes.
void Registry::finish_round(MetricsRound& round, bool up) const {
  MetricSet& set = round.set;
  set.add(Family::up, up ? 1 : 0);
  set.add(Family::build_info, {kVersion, metrics_.lua}, 1);
  if (round.others > 0) {
    set.add(Family::board_players, {kOtherBoards}, number(round.players_of_others));
  }
  collect_submissions(set);
  if (const Histogram* const times = tick_times_.read()) {
    set.add(Family::tick_seconds, {}, *times);
  }
  collect_memory(round);
  collect_disk(set);
  if (context_.rules) context_.rules->collect(set);
  season_ends_.collect(set);
  for (const auto& [id, attached] : observers_) attached.observer->collect(set);
  set.add_counters(detached_);
}

std::string Registry::metrics() const {
  MetricsRound round;
  collect_boards(round, nullptr);
  if (remotes_) remotes_->collect(round.set);
  finish_round(round, true);
  return round.set.text();
}

void Registry::begin_metrics(MetricsOptions options, std::unique_ptr<MetricsFile> file) {
  metrics_ = std::move(options);
  metrics_file_ = std::move(file);
  if (metrics_file_) gather_metrics(nullptr);
}

void Registry::tick_metrics() {
  if (!metrics_round_ && steady_now() < metrics_due_) return;
  TickSlice slice(kMetricsNanoseconds);
  gather_metrics(&slice);
}

// Without memory the file stays as it is until the next time.
void Registry::gather_metrics(TickSlice* slice) {
  try {
    if (!metrics_round_) {
      metrics_due_ = steady_now() + metrics_.every;
      metrics_round_ = std::make_unique<MetricsRound>();
    }
    if (!collect_boards(*metrics_round_, slice)) return;
    if (remotes_) remotes_->collect(metrics_round_->set);
    finish_round(*metrics_round_, true);
    metrics_file_->post(std::move(metrics_round_->set));
  } catch (const std::bad_alloc&) {
  }
  metrics_round_.reset();
  if (const std::optional<Refusal> failure = metrics_file_->take_failure()) {
    context_.log.warn("metrics are not written: {}", failure->message());
  }
}

// The next two lose what they were to keep if there is no memory for it: nothing else may fail.
void Registry::keep_counters(const RegistryObserver& detached) {
  try {
    MetricSet last;
    detached.collect(last);
    detached_.add_counters(last);
  } catch (const std::bad_alloc&) {
  }
}

void Registry::collect_remotes(MetricsRound& last) const {
  if (!metrics_file_) return;
  try {
    remotes_->collect(last.set);
  } catch (const std::bad_alloc&) {
  }
}

// The destructor of the file waits until the text is written.
void Registry::end_metrics(MetricsRound& last) {
  if (!metrics_file_) return;
  try {
    collect_boards(last, nullptr);
    finish_round(last, false);
    metrics_file_->post(std::move(last.set));
  } catch (const std::bad_alloc&) {
  }
  metrics_file_.reset();
}

}  // namespace laurel
