// rolling_engine.h - the last N days without a cron job: for each bucket to come, the sum that will
// still count then.
//
//   bucket     floor(time / window.length), from 1970 on; days are those of UTC.
//   running    the bucket of the clock. The window is it and the N - 1 before it.
//   activity   an amount that a player gained in a bucket of the window, negative to take back. The
//              amounts of one bucket add up. No activity, an amount of 0 included, is no news.
//   sum        F[D], what a player's activity of the buckets D - N + 1 to D comes to. The board of
//              bucket D shows it to everybody with a positive one; a sum of 0 or less is remembered
//              and not listed.
//   at         of a player's row: the latest moment of activity since he was last without any. It
//              is the same in every bucket.
//
// Nothing happens at midnight. From now on F only changes where an amount falls out, so it is a
// step function of few steps. Each step is cut into aligned spans of 1, 2, 4, ... buckets, and the
// player stands, with the step's sum, in the ordered tree of each span. A bucket lies in one span
// of each level: its board is those few trees read as one (rolling_view.h). So the running bucket
// moves on by looking at other trees, and any bucket to come is asked as the running one is.
//
//   cost     n players, k buckets in which a player was active, N the window's, L = log2 N.
//            Rows of a player: at most N, and at most 2 L a step, so 2 L k; in practice L for
//            somebody active once, N for somebody active daily. A row takes some 30 bytes.
//            An activity moves the rows of its player: O(log n) each. Reads: see rolling_view.h.
//            N =    1    7    30   365
//            rows   1    4     6    13    of a player who is active in one bucket
//            rows   1    7    30   365    of one who is active in every bucket
//   advance  O(1), and into a later bucket O(spans that end), O(N) after a long time, whatever
//            stands in them. What ended is swapped out; each advance frees kReclaimStepsPerCall
//            rows and players of it, each activity as many as it placed.
//   memory   that of players who fell out of the window comes back that way, while anybody calls.
//   owner    the engine holds each player (Players::hold) once while anything is kept of him.
//   clock    never read here: the board hands the time to advance() before every other call.
//   durable  what counts of each player is a row of a log (activity_log.h), if there is one. It is
//            written again by whatever changes it, and erased when he is freed. An end of the
//            process leaves all rows behind, dismantle() none.
//   load     comes after the first advance(), and takes the clock as advance() does. Of rows of
//            which nothing counts any more nothing stays. Where the clock is behind the last
//            activity, by no more than a window, the running bucket is that activity's; farther
//            behind, all rows go.
//   threads  none of its own; one caller at a time.
//   source   leaderboards of the last N days by forward sums, one for each day to come; the cut of
//            steps into spans is that of a segment tree, J. Bentley, 1977
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rolling/activity_log.h"
#include "engine/rolling/activity_table.h"
#include "engine/rolling/rolling_trees.h"
#include "engine/rolling/rolling_view.h"

namespace laurel {

struct Activity {
  Bucket bucket = 0;
  ScoreKey amount = 0;
  Time at = 0;
  std::optional<std::string_view> data;  // nothing: the player's data stays
};

// What the clock did to the engine.
enum class Advance : std::uint8_t {
  none,    // the running bucket is still the clock's
  next,    // the running bucket moved on, and with it what the board shows; the first call too
  behind,  // the clock is behind the running bucket, by no more than a window: it stays
  anew,    // the clock is farther behind: the engine begins at the clock's bucket, empty, since
           // nothing that it held can count there
};

class RollingEngine final : public Engine {
 public:
  // REQUIRES: 1 to kBucketsMax buckets of at least a microsecond.
  RollingEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space);
  RollingEngine(const RollingEngine&) = delete;
  RollingEngine& operator=(const RollingEngine&) = delete;

  // Brings the engine to the clock, and frees a little of what has ended. Before the first call
  // nothing is held, and nothing but reads may be asked.
  Advance advance(Time now);
  Bucket running() const { return running_; }
  Bucket bucket_of(Time time) const;
  // Whether activity of this bucket counts now.
  bool in_window(Bucket bucket) const;

  // The sum of the running bucket; 0 or less too, nothing when no activity counts.
  std::optional<ScoreKey> sum(const Player& player) const;
  // What it would come to with this activity; nothing when that sum, or the one of any bucket to
  // come, is out of range. REQUIRES: in_window(activity.bucket).
  std::optional<ScoreKey> sum_with(const Player& player, const Activity& activity) const;
  // Counts the activity. Of one with an amount of 0 only the data is taken, if activity of the
  // player counts. REQUIRES: in_window(activity.bucket), sum_with(player, activity).
  void add(const Player& player, const Activity& activity);

  // The board as it will stand in that bucket if nothing more happens; behind the last bucket in
  // which anything counts it is empty. Valid until the next change, advance included.
  // REQUIRES: bucket >= running().
  std::unique_ptr<EngineView> at_bucket(Bucket bucket) const;

  // The engine itself is the board of the running bucket.
  std::size_t size() const override { return now().size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override {
    return now().find(player, arena);
  }
  std::optional<std::size_t> position(const Player& player) const override {
    return now().position(player);
  }
  std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const override {
    return now().rank(player, ranking);
  }
  std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
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

  // Whether any activity of the player counted.
  bool erase(const Player& player) override;
  // All activity that counts. Put back, only what still counts then is taken.
  std::optional<std::string> pack(const Player& player) const override;
  void unpack(const Player& player, std::string_view packed) override;
  void each_packed(const PackedVisitor& visit) const override;
  void load(const LoadProgress& progress) override;
  bool dismantle(std::size_t rows) override;

  // Rows placed, moved and freed, and players freed, ever: what all calls together have cost.
  std::uint64_t steps() const { return trees_.steps() + players_freed_; }
  std::size_t bytes() const override;
  void check() const override;

 private:
  // One of a player's rows: where it stands, and with what.
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
  // Takes what counts of these amounts, if anything does. REQUIRES: nothing is held of the player.
  PlayerHandle restore(const Player& player, Time at, std::span<const Amount> amounts,
                       std::optional<std::string_view> data);
  bool is_sound(std::span<const Amount> amounts) const;
  void log_put(PlayerHandle player);
  Advance turn_to(Bucket bucket);
  void discard_all();
  void free_some(std::size_t steps);
  void free_some_of(ActivityTable& table, std::size_t& steps, bool all);

  EngineContext context_;
  ActivityLog log_;
  Ties ties_;
  RollingWindow window_;
  WindowSums sums_;
  RollingTrees trees_;
  std::unique_ptr<ActivityTable> table_;
  std::vector<std::unique_ptr<ActivityTable>> discarded_;
  Bucket running_ = 0;
  bool started_ = false;
  std::uint64_t players_freed_ = 0;
  Places before_;  // kept for their memory
  Places after_;
};

}  // namespace laurel
