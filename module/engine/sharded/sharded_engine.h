// sharded_engine.h - an order divided into shards: each player is in one of several engines that
// share nothing, chosen by a hash; reads gather from all shards.
//
//   shard    an engine with a Players table of its own. The registry's handles mean nothing in it:
//            each player is looked up again there. The shard depends only on the id and on the
//            number of shards; it is the same on each machine, and no update changes it.
//   hash     public, since the layout outlives the process. A client that chooses ids can put them
//            all into one shard: that loses the even spread, but no answer changes.
//   exact    each answer, except that of read_once, is as of one engine with all rows.
//   threads  one caller at a time, as for each engine. Also, while the engine itself is not in use,
//            several threads may work on its shards at once if these are `ranked`: a request at a
//            shard's lock is alone in the shard. Shards of other kinds share a store and the
//            counters of reads.
//   cost     p shards. A player's row: as in a shard, plus a second hash of the id. Counts, ranks
//            and lists: see gather.h; ordinal ranks and positions are counts of rows before a row.
//   errors   none of its own.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/gather/gather.h"
#include "engine/sharded/flat_combining_lock.h"

namespace laurel {

// Makes an engine in existing spaces (engine_factory.h).
using MakeEngine = std::unique_ptr<ScoreEngine> (*)(const EngineSpec& spec, EngineContext context,
                                                    SpaceNumber first);

class ShardedEngine final : public ScoreEngine {
 public:
  class Shard {
   public:
    Shard(const EngineSpec& spec, EngineContext context, SpaceNumber space, MakeEngine make,
          const HashSecret& secret);

    // Threads enter the shard through it.
    FlatCombiningLock& lock() { return lock_; }

    // The shard's own players.
    const Players& players() const { return players_; }
    // The player as the shard's engine knows it. Valid until the player's row is added or removed.
    Player look_up(std::string_view id) const { return {id, players_.find(id)}; }
    ScoreEngine& engine() { return *engine_; }
    const ScoreEngine& engine() const { return *engine_; }
    std::size_t bytes() const;

   private:
    FlatCombiningLock lock_;
    Players players_;
    std::unique_ptr<ScoreEngine> engine_;
  };

  // spec.shards engines of the kind spec.of, each in a space: `first` and those that follow.
  // `make` makes them. REQUIRES: 1 to kShardsMax shards; spec.of is neither `sharded` nor
  // `rolling`.
  ShardedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber first, MakeEngine make);

  ShardedEngine(const ShardedEngine&) = delete;
  ShardedEngine& operator=(const ShardedEngine&) = delete;

  std::size_t shards() const { return shards_.size(); }
  std::size_t shard_of(std::string_view id) const;
  Shard& shard(std::size_t number) { return *shards_[number]; }

  // Reads each shard once for its first fetch_size(n, shards(), confidence) rows, and appends the
  // best n of them. Returns true if these are certainly the best n of all. Otherwise better rows
  // may be missing; the probability of that is at most 1 - confidence, unless a client chose the
  // ids on purpose.
  bool read_once(std::size_t n, double confidence, Arena& arena, std::vector<EngineRow>& out) const;

  std::size_t size() const override { return gather_.size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  void find_held(const Player& player, Arena& arena, std::optional<EngineRow>& row) const override;
  void put(const Player& player, const EngineRow& row) override;
  bool erase(const Player& player) override;
  void each_packed(const PackedVisitor& visit) const override;
  bool fits(ScoreKey score) const override { return shards_.front()->engine().fits(score); }

  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<Rank> rank(const Player& player, Ranking ranking) const override;
  bool prepare_ranks(Ranking ranking, std::size_t rows) const override;
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
    return gather_.rank_of_newcomer(score, ranking);
  }
  std::size_t count_better(ScoreKey score) const override { return gather_.count_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return gather_.count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const override {
    return gather_.distinct_better(score);
  }
  std::size_t count_between(ScoreKey best, ScoreKey worst) const override;
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override {
    gather_.read(first, n, arena, out);
  }
  // Shards that find a place without counting are asked for it, each for n rows.
  void read_behind(const EngineRow* place, std::size_t first, std::size_t n, Arena& arena,
                   std::vector<EngineRow>& out) const override;
  Players* players_of(std::string_view player) const override {
    return shards_[shard_of(player)]->engine().players_of(player);
  }

  // Loads the shards one after the other: each has its own rows and players.
  void load(const LoadProgress& progress) override;
  // Writes the shards one after the other, each in its own batch.
  void write_back() override;
  void scan(std::string& place, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const override;
  void check() const override;

 private:
  using Shards = std::vector<std::unique_ptr<Shard>>;

  static Shards make_shards(const EngineSpec& spec, EngineContext context, SpaceNumber first,
                            MakeEngine make);
  static std::vector<const EngineView*> views_of(const Shards& shards);
  const Shard& home(const Player& player) const { return *shards_[shard_of(player.id)]; }
  Shard& home(const Player& player) { return *shards_[shard_of(player.id)]; }

  Shards shards_;
  bool is_padded_;
  Ties ties_;
  bool dismantling_ = false;
  std::vector<const EngineView*> views_;  // the shards' engines, for the gather
  Gather gather_;
};

}  // namespace laurel
