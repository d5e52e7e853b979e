// A board's batches: results in order, and on sharded boards from several threads at once.
#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>

#include "board/board.h"
#include "engine/sharded/sharded_engine.h"

namespace laurel {

namespace {

// What is no time is refused later.
Time given_moment(double seconds) { return time_from_seconds(seconds).value_or(0); }

// Looks at closed doors before waiting at one: some 100 us, several batches long.
constexpr int kLooksMax = 500;

}  // namespace

// One batch on its way into the shards. It belongs to one thread; what it shares with batches of
// others is each shard, behind its door, and what it counts in the end.
class Board::ShardBatch {
 public:
  ShardBatch(Board& board, ShardedEngine& engine, std::span<const Submission> submissions)
      : board_(board), engine_(engine), submissions_(submissions) {
    const std::scoped_lock lock(board.shared_.batches);
    moment_ = board.shared_.moments.next(submissions.size());
    open_ = board.may_write();
  }

  std::size_t run(const RefusedResult& refused) {
    sort_by_shard();
    // Whoever finds a shard's door closed takes another shard first, and looks again for about as
    // long as another batch is inside: being put to sleep and woken takes longer.
    for (int looks = 0; !waiting_.empty();) {
      const std::size_t before = waiting_.size();
      std::erase_if(waiting_, [this](std::size_t shard) { return try_submit_to(shard); });
      if (waiting_.size() < before) {
        looks = 0;
      } else if (++looks < kLooksMax) {
        std::this_thread::yield();
      } else {
        submit_to(waiting_.back());
        waiting_.pop_back();
        looks = 0;
      }
    }
    settle(refused);
    return changed_;
  }

 private:
  // A counting sort, so that the results of each shard lie together in the order they came.
  void sort_by_shard() {
    first_.assign(engine_.shards() + 1, 0);
    std::vector<std::uint32_t> shard_of(submissions_.size());
    for (std::size_t i = 0; i < submissions_.size(); ++i) {
      shard_of[i] = static_cast<std::uint32_t>(engine_.shard_of(submissions_[i].player));
      ++first_[shard_of[i] + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    order_.resize(submissions_.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < submissions_.size(); ++i) order_[next[shard_of[i]]++] = i;
    for (std::size_t shard = 0; shard < engine_.shards(); ++shard) {
      if (first_[shard] < first_[shard + 1]) waiting_.push_back(shard);
    }
  }

  bool try_submit_to(std::size_t index) {
    const std::unique_lock lock = engine_.shard(index).try_enter();
    if (!lock) return false;
    submit_all_of(index);
    return true;
  }

  void submit_to(std::size_t index) {
    const std::unique_lock lock = engine_.shard(index).enter();
    submit_all_of(index);
  }

  void submit_all_of(std::size_t index) {
    ShardedEngine::Shard& shard = engine_.shard(index);
    for (std::size_t i = first_[index]; i < first_[index + 1]; ++i) submit_one(shard, order_[i]);
  }

  void submit_one(ShardedEngine::Shard& shard, std::size_t index) {
    const Submission& submission = submissions_[index];
    Decision decision(submission.at ? given_moment(*submission.at)
                                    : moment_ + static_cast<Time>(index));
    decision.player = board_.look_up(submission.player);
    arena_.clear();
    const Player player = shard.look_up(submission.player);
    const Status decided =
        board_.judge(Act::submit, submission, open_, &shard.engine(), player, decision, arena_);
    if (!decided) {
      refused_.emplace_back(index, decided.refusal());
    } else if (decision.changed) {
      shard.engine().put(player, {player.id, decision.score, decision.at, decision.data});
      ++changed_;
    }
  }

  void settle(const RefusedResult& refused) {
    {
      const std::scoped_lock lock(board_.shared_.batches);
      board_.shared_.stats.submissions += submissions_.size();
      board_.shared_.stats.refused += refused_.size();
      board_.shared_.stats.changed += changed_;
      if (changed_ > 0) {
        board_.mark_written();
        board_.touched();
      }
    }
    std::sort(refused_.begin(), refused_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [index, refusal] : refused_) refused(index, refusal);
  }

  Board& board_;
  ShardedEngine& engine_;
  std::span<const Submission> submissions_;
  Status open_ = Done{};              // what the store says when the batch begins
  Time moment_ = 0;                   // of the first; each has the next microsecond
  std::vector<std::size_t> order_;    // indices, shard by shard
  std::vector<std::size_t> first_;    // where each shard's begin in order_
  std::vector<std::size_t> waiting_;  // shards with results not handed in yet
  std::vector<std::pair<std::size_t, Refusal>> refused_;
  std::size_t changed_ = 0;
  Arena arena_;
};

bool Board::is_concurrent() const {
  return spec_.engine == EngineKind::sharded && spec_.of == EngineKind::ranked &&
         spec_.rule.empty();
}

// The running season, which ends for nobody while the lock lives.
std::shared_lock<std::shared_mutex> Board::enter_season() {
  for (;;) {
    std::shared_lock season(shared_.batches_door);
    if (!season_clock_.is_due(shared_.clock->now())) return season;
    season.unlock();
    const std::scoped_lock alone(shared_.batches_door);
    present(shared_.clock->now());  // again a question: another thread may have been faster
  }
}

std::size_t Board::submit_all(std::span<const Submission> submissions,
                              const RefusedResult& refused) {
  if (is_concurrent()) {
    const std::shared_lock season = enter_season();
    return ShardBatch(*this, dynamic_cast<ShardedEngine&>(*engine_), submissions).run(refused);
  }
  std::size_t changed = 0;
  std::array<Expected, ScoreEngine::kExpectedMax> expected;
  for (std::size_t first = 0; first < submissions.size(); first += expected.size()) {
    const auto some =
        submissions.subspan(first, std::min(expected.size(), submissions.size() - first));
    expect(some, expected);
    // The store is asked once for all of them, and the clock too.
    const Status open = may_write();
    const auto now = [](const Submission& submission) { return !submission.at; };
    const std::ptrdiff_t moments = std::count_if(some.begin(), some.end(), now);
    Time moment = moments > 0 ? shared_.moments.next(static_cast<std::size_t>(moments)) : 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      Decision decision(some[i].at ? given_moment(*some[i].at) : moment++);
      decision.player = {some[i].player, shared_.players.find(some[i].player, expected[i].hash,
                                                              expected[i].likely)};
      if (const Status decided = decide_found(Act::submit, some[i], open, decision); !decided) {
        refused(first + i, decided.refusal());
        continue;
      }
      Outcome outcome;
      apply(decision, outcome);
      changed += outcome.changed ? 1 : 0;
    }
  }
  return changed;
}

}  // namespace laurel
