// Batches of a board: results in order, on sharded boards from several threads at once.
#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>

#include "base/memory_guarantee.h"
#include "board/board.h"
#include "board/submission/judge.h"
#include "board/submission/lookup.h"
#include "engine/sharded/sharded_engine.h"

namespace laurel {

namespace {

// Splits `all` into equal groups of at most `most`. A small last group would hide little of its
// memory latency.
std::size_t evenly(std::size_t all, std::size_t most) {
  const std::size_t times = (all + most - 1) / most;
  return (all + times - 1) / times;
}

}  // namespace

// One batch on its way into the shards. It belongs to one thread. It shares with concurrent batches
// only the shards, each behind its lock, and the counters at the end.
class Board::ShardBatch {
 public:
  ShardBatch(Board& board, ShardedEngine& engine, std::span<const Submission> submissions)
      : board_(board), engine_(engine), submissions_(submissions) {
    const std::scoped_lock lock(board.context_.batches);
    moment_ = board.context_.timestamps.next(submissions.size());
    open_ = board.may_write();
  }

  std::size_t run(const RefusedResult& refused) {
    sort_by_shard();
    const MemoryGuarantee guaranteed;
    for (Part& part : parts_) part.lock().post(part);
    // Begins at the shard whose work this thread did first in its last batch, because that shard is
    // in its cache. Later shards do not count: two threads that finish together visit each other's
    // shards and would swap with every batch.
    static thread_local std::size_t begin = 0;
    const std::size_t last = begin % parts_.size();
    bool went_in = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t at = (last + i) % parts_.size();
      if (!parts_[at].lock().work() || went_in) continue;
      went_in = true;
      begin = at;
    }
    for (Part& part : parts_) part.lock().wait(part);
    return settle(refused);
  }

 private:
  // The results of one shard. The thread that holds the shard's lock submits them.
  class Part final : public FlatCombiningLock::Request {
   public:
    void consist_of(ShardBatch& batch, ShardedEngine::Shard& shard,
                    std::span<const std::size_t> indices) {
      batch_ = &batch;
      shard_ = &shard;
      indices_ = indices;
    }

    FlatCombiningLock& lock() { return shard_->lock(); }
    void run() noexcept override {
      try {
        submit_all();
      } catch (...) {
        thrown_ = std::current_exception();  // rethrown in the batch's own thread
      }
    }
    void rethrow() const {
      if (thrown_) std::rethrow_exception(thrown_);
    }
    std::size_t changed() const { return changed_; }
    std::vector<std::pair<std::size_t, Refusal>>& refused() { return refused_; }

   private:
    // The submissions with these indices.
    struct Chosen {
      std::span<const Submission> submissions;
      std::span<const std::size_t> indices;

      std::size_t size() const { return indices.size(); }
      const Submission& operator[](std::size_t i) const { return submissions[indices[i]]; }
    };

    void submit_all() {
      Arena arena;
      std::array<Lookup::Prefetched, ScoreEngine::kPrefetchMax> prefetched;
      const std::size_t at_once = evenly(indices_.size(), prefetched.size());
      for (std::size_t first = 0; first < indices_.size(); first += at_once) {
        const auto some = indices_.subspan(first, std::min(at_once, indices_.size() - first));
        Lookup(batch_->board_)
            .prefetch(shard_->players(), &shard_->engine(), Chosen{batch_->submissions_, some},
                      prefetched);
        for (std::size_t i = 0; i < some.size(); ++i) submit_one(some[i], prefetched[i], arena);
      }
    }

    void submit_one(std::size_t index, const Lookup::Prefetched& prefetched, Arena& arena) {
      if (!MemoryReserve::is_whole()) {
        refused_.emplace_back(index, no_memory());
        return;
      }
      Board& board = batch_->board_;
      const Submission& submission = batch_->submissions_[index];
      Decision decision(submission.at ? given_moment(*submission.at)
                                      : batch_->moment_ + static_cast<Time>(index));
      decision.player = board.look_up(submission.player);
      arena.clear();
      const Player player{
          submission.player,
          shard_->players().find(submission.player, prefetched.hash, prefetched.likely)};
      const Status decided = Judge(board).judge(
          {WriteMode::submit, submission, &shard_->engine(), player, arena, decision},
          batch_->open_);
      if (!decided) {
        refused_.emplace_back(index, decided.refusal());
      } else if (decision.changed) {
        put(player, decision);
        ++changed_;
      }
    }

    void put(const Player& player, const Decision& decision) {
      const EngineRow row{player.id, decision.score, decision.at, decision.data};
      Board& board = batch_->board_;
      if (!board.has_cursors()) return shard_->engine().put(player, row);
      const std::scoped_lock lock(board.context_.batches);
      board.change_row({player.id}, [&] { shard_->engine().put(player, row); });
    }

    ShardBatch* batch_ = nullptr;
    ShardedEngine::Shard* shard_ = nullptr;
    std::span<const std::size_t> indices_;  // of its results, in submissions_
    std::size_t changed_ = 0;
    std::vector<std::pair<std::size_t, Refusal>> refused_;
    std::exception_ptr thrown_;
  };

  // A counting sort: the results of each shard become adjacent, and keep their order.
  void sort_by_shard() {
    std::vector<std::size_t> ends(engine_.shards() + 1);
    std::vector<std::uint32_t> shard_of(submissions_.size());
    for (std::size_t i = 0; i < submissions_.size(); ++i) {
      shard_of[i] = static_cast<std::uint32_t>(engine_.shard_of(submissions_[i].player));
      ++ends[shard_of[i]];
    }
    const auto is_used = [](std::size_t results) { return results > 0; };
    const auto parts = static_cast<std::size_t>(std::count_if(ends.begin(), ends.end(), is_used));
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    // Backwards, so that each end becomes a beginning.
    std::vector<std::size_t>& begins = ends;
    order_.resize(submissions_.size());
    for (std::size_t i = submissions_.size(); i-- > 0;) order_[--begins[shard_of[i]]] = i;

    parts_memory_ = std::make_unique<Part[]>(parts);
    parts_ = {parts_memory_.get(), parts};
    auto part = parts_.begin();
    for (std::size_t shard = 0; shard < engine_.shards(); ++shard) {
      const std::size_t results = begins[shard + 1] - begins[shard];
      if (results == 0) continue;
      part++->consist_of(*this, engine_.shard(shard),
                         std::span(order_).subspan(begins[shard], results));
    }
  }

  std::size_t settle(const RefusedResult& refused) {
    std::size_t changed = 0;
    std::vector<std::pair<std::size_t, Refusal>> refusals;
    for (Part& part : parts_) {
      changed += part.changed();
      std::move(part.refused().begin(), part.refused().end(), std::back_inserter(refusals));
    }
    {
      const std::scoped_lock lock(board_.context_.batches);
      BoardSubmissions& counts = board_.counts_;
      counts.refused += refusals.size();
      counts.changed += changed;
      counts.unchanged += submissions_.size() - refusals.size() - changed;
      for (const auto& [index, refusal] : refusals) {
        board_.context_.submissions.count_reason(refusal.code());
      }
      if (changed > 0) {
        board_.mark_written();
        board_.touched();
      }
    }
    for (const Part& part : parts_) part.rethrow();
    std::sort(refusals.begin(), refusals.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [index, refusal] : refusals) refused(index, refusal);
    return changed;
  }

  Board& board_;
  ShardedEngine& engine_;
  std::span<const Submission> submissions_;
  Status open_ = Done{};            // may_write() when the batch began
  Time moment_ = 0;                 // of the first result; each later one has the next microsecond
  std::vector<std::size_t> order_;  // indices, grouped by shard
  std::unique_ptr<Part[]> parts_memory_;
  std::span<Part> parts_;  // of the shards that have results
};

bool Board::is_concurrent() const {
  return spec_->engine == EngineKind::sharded && spec_->of == EngineKind::ranked &&
         spec_->rule.empty() && !keeps_each_result() && !keeps_other_orders() &&
         listener() == nullptr;
}

// Ends the running season if it is due, and returns a lock that keeps it from ending.
std::shared_lock<std::shared_mutex> Board::enter_season() {
  for (;;) {
    std::shared_lock season(context_.batches_door);
    if (!season_clock_.is_due(context_.clock->now())) return season;
    season.unlock();
    const std::scoped_lock alone(context_.batches_door);
    present(context_.clock->now());  // checks again: another thread may have ended the season
  }
}

std::size_t Board::submit_all(std::span<const Submission> submissions,
                              const RefusedResult& refused) {
  if (submissions.empty()) return 0;
  if (is_concurrent()) {
    const auto has_id = [](const Submission& each) { return each.id.has_value(); };
    if (std::ranges::none_of(submissions, has_id)) {
      const std::shared_lock season = enter_season();
      return ShardBatch(*this, dynamic_cast<ShardedEngine&>(*engine_), submissions).run(refused);
    }
  }
  // It may have been found with Registry::peek.
  if (follows_clock()) present(context_.timestamps.now());
  const MemoryGuarantee guaranteed;
  const Lookup lookup(*this);
  const Judge judge(*this);
  std::size_t changed = 0;
  std::array<Lookup::Prefetched, ScoreEngine::kPrefetchMax> prefetched;
  const std::size_t at_once = evenly(submissions.size(), prefetched.size());
  for (std::size_t first = 0; first < submissions.size(); first += at_once) {
    const auto some = submissions.subspan(first, std::min(at_once, submissions.size() - first));
    lookup.prefetch(context_.players, scores_, some, prefetched);
    const bool more = lookup.wants_more();
    if (more) lookup.prefetch_more(some, prefetched);
    // One query of the store and of the clock for all of them.
    const Status open = may_write();
    const auto now = [](const Submission& submission) { return !submission.at; };
    const std::ptrdiff_t timestamps = std::count_if(some.begin(), some.end(), now);
    Time moment =
        timestamps > 0 ? context_.timestamps.next(static_cast<std::size_t>(timestamps)) : 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!MemoryReserve::is_whole()) {
        judge.count_refusal(Code::unavailable);
        refused(first + i, no_memory());
        continue;
      }
      Decision decision(some[i].at ? given_moment(*some[i].at) : moment++);
      if (some[i].id) [[unlikely]]
        keep_results();
      decision.player = {some[i].player, context_.players.find(some[i].player, prefetched[i].hash,
                                                               prefetched[i].likely)};
      if (more) decision.id = prefetched[i].id;
      if (const Status decided = judge.decide_found(WriteMode::submit, some[i], open, decision);
          !decided) {
        refused(first + i, decided.refusal());
        continue;
      }
      changed += apply(decision) && is_shown(decision.player.id) ? 1 : 0;
    }
  }
  return changed;
}

}  // namespace laurel
