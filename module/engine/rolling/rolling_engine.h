// rolling_engine.h - sums of the last N days without a scheduled job: for each future bucket, the
// sum that will still count then.
//
//   bucket     floor(time / window.length), from 1970 on; days are those of UTC. In another zone,
//              the local date in days since 1970 (Zone::day), which lasts 23 to 25 hours where
//              clocks change; a date that the zone left out is a bucket without activity.
//   running    the bucket of the clock. The window is this bucket and the N - 1 before it.
//   activity   an amount that a player gained in a bucket of the window; negative to take back.
//              Amounts of one bucket add up. An amount of 0 does not count as activity.
//   sum        F[D], the sum of a player's activity in the buckets D - N + 1 to D. The board of
//              bucket D lists players with a positive sum; a sum of 0 or less is stored but not
//              listed.
//   at         of a player's row: the latest moment of activity since the player last had none. It
//              is the same in all buckets.
//
// Nothing is computed at midnight. From now on F changes only when an amount falls out of the
// window, so it is a step function with few steps. Each step is divided into aligned spans of 1, 2,
// 4, ... buckets, and the player is, with the step's sum, in the ordered tree of each span. A
// bucket is in one span of each level, so its board is these few trees read as one
// (rolling_view.h). The running bucket advances by reading other trees, and future buckets are read
// in the same way.
//
//   cost     n players, k buckets in which a player was active, N of the window, L = log2 N.
//            Rows of a player: at most N, and at most 2 L a step, so 2 L k; in practice L for a
//            player active once, N for a player active daily. A row takes about 30 bytes.
//            An activity moves the rows of its player: O(log n) each. Reads: see rolling_view.h.
//            N =    1    7    30   365
//            rows   1    4     6    13    of a player who is active in one bucket
//            rows   1    7    30   365    of a player who is active in every bucket
//   advance  O(1); into a later bucket O(spans that end), after a long time O(N), independent of
//            the number of rows in them. Ended spans are set aside; each advance frees
//            kReclaimStepsPerCall of their rows and players, and each activity frees one for each
//            row that it placed.
//   memory   of players who fell out of the window is freed by these steps, so only while the
//            engine is called.
//   owner    the engine holds one reference to each player (Players::hold) of whom it keeps
//            anything.
//   clock    not read here: the board passes the time to advance() before each other call.
//   durable  each player's activity that counts is a row of the store (activity_rows.h). A row is
//            written again when it changes, and erased when the player is freed. When the
//            process ends all rows remain in the store; dismantle() erases them.
//   load     follows the first advance(), and takes the clock from it. Rows of which nothing counts
//            are erased. If the clock is behind the last activity by at most a window, the bucket
//            of that activity becomes the running one. If it is farther behind, all rows are
//            erased.
//   threads  not thread-safe; one caller at a time.
//   source   leaderboards of the last N days by forward sums, one for each future day; steps are
//            divided into spans as in a segment tree, J. Bentley, 1977
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rolling/activity.h"
#include "engine/rolling/activity_rows.h"
#include "engine/rolling/activity_table.h"
#include "engine/rolling/rolling_trees.h"
#include "engine/rolling/rolling_view.h"

namespace laurel {

// The effect of the clock on the engine.
enum class Advance : std::uint8_t {
  none,     // the running bucket is still the clock's
  next,     // the running bucket advanced, and so what the board shows; also at the first call
  behind,   // the clock is behind the running bucket by at most a window: the bucket stays
  restart,  // the clock is farther behind: the engine starts empty at the clock's bucket, since
            // nothing that it held can count there
};

class RollingEngine final : public Engine {
 public:
  // REQUIRES: 1 to kBucketsMax buckets of at least a microsecond.
  RollingEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space);
  RollingEngine(const RollingEngine&) = delete;
  RollingEngine& operator=(const RollingEngine&) = delete;

  // Advances to the clock's bucket, and frees a little of what has ended. Before the first call the
  // engine is empty, and only reads are allowed.
  Advance advance(Time now);
  Bucket running() const { return running_; }
  Bucket bucket_of(Time time) const;
  // True if activity of this bucket counts now.
  bool in_window(Bucket bucket) const;

  // The sum of the running bucket, also if it is 0 or less; nullopt if no activity counts.
  std::optional<ScoreKey> sum(const Player& player) const;
  // The sum with this activity added; nullopt if that sum, or the one of any future bucket, is out
  // of range. REQUIRES: in_window(activity.bucket).
  std::optional<ScoreKey> sum_with(const Player& player, const Activity& activity) const;
  // Adds the activity. If the amount is 0, only the data is replaced, if activity of the player
  // counts. REQUIRES: in_window(activity.bucket), sum_with(player, activity).
  void add(const Player& player, const Activity& activity);

  // The board as it will be in that bucket if nothing more happens; empty for buckets after the
  // last one in which anything counts. Valid until the next change, including advance(). REQUIRES:
  // bucket >= running().
  std::unique_ptr<EngineView> at_bucket(Bucket bucket) const;

  // The engine itself is the board of the running bucket.
  std::size_t size() const override { return now().size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override {
    return now().find(player, arena);
  }
  std::optional<std::size_t> position(const Player& player) const override {
    return now().position(player);
  }
  std::optional<Rank> rank(const Player& player, Ranking ranking) const override {
    return now().rank(player, ranking);
  }
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
    return now().rank_of_newcomer(score, ranking);
  }
  std::size_t count_better(ScoreKey score) const override { return now().count_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return now().count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const override {
    return now().distinct_better(score);
  }
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override {
    now().read(first, n, arena, out);
  }

  Players* players_of(std::string_view) const override { return &context_.players; }

  // Returns true if any activity of the player counted.
  bool erase(const Player& player) override;
  // All activity that counts. unpack() takes only what still counts then.
  std::optional<std::string> pack(const Player& player) const override;
  void unpack(const Player& player, std::string_view packed) override;
  std::string repacked(std::string_view packed,
                       const std::optional<std::string_view>& data) const override;
  void each_packed(const PackedVisitor& visit) const override;
  void load(const LoadProgress& progress) override;
  bool dismantle(std::size_t rows) override;

  // Rows placed, moved and freed, and players freed, since construction: the total cost of all
  // calls.
  std::uint64_t steps() const { return trees_.steps() + players_freed_; }
  std::size_t bytes() const override;
  void check() const override;

 private:
  // One of a player's rows: its span and its sum.
  struct Place {
    BucketSpan span;
    ScoreKey sum = 0;
  };
  using Places = std::vector<Place>;  // the latest span first

  RollingView now() const { return view(running_); }
  RollingView view(Bucket bucket) const {
    return {sums_, *table_, trees_, context_, ties_, bucket};
  }
  std::span<const Amount> counting(const Player& player) const;
  void list_places(std::span<const Amount> amounts, Places& out) const;
  PlayerHandle replace(const Player& player, Time at, std::vector<Amount> amounts);
  // Takes those of the amounts that count, if any. REQUIRES: nothing is held of the player.
  PlayerHandle restore(const Player& player, Time at, std::span<const Amount> amounts,
                       std::optional<std::string_view> data);
  bool is_sound(std::span<const Amount> amounts) const;
  void write_row(PlayerHandle player);
  Advance turn_to(Bucket bucket);
  void discard_all();
  void free_some(std::size_t steps);
  void free_some_of(ActivityTable& table, std::size_t& steps, bool all);

  EngineContext context_;
  ActivityRows rows_;
  Ties ties_;
  RollingWindow window_;
  Zone zone_;
  WindowSums sums_;
  RollingTrees trees_;
  std::unique_ptr<ActivityTable> table_;
  std::vector<std::unique_ptr<ActivityTable>> discarded_;
  Bucket running_ = 0;
  bool started_ = false;
  std::uint64_t players_freed_ = 0;
  Places before_;  // kept to reuse their memory
  Places after_;
};

}  // namespace laurel
