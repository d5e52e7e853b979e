// sharded_engine.h - an order in parts: every player in one of so many engines that share nothing,
// chosen by a hash; reads scatter over all and gather.
//
//   shard      an engine with players of its own, so that a registry's handles mean nothing in it:
//              each player is looked up there anew. Which one a player is in depends on the id and
//              the number of shards alone; it is the same on every machine, and no update moves it.
//   hash       public, since the layout outlives the process. Who chooses ids can fill one shard
//              with them: that costs the spreading and no answer.
//   exact      every answer but read_once's, as of one engine with all the rows.
//   threads    one caller at a time, as of any engine. Besides that, while nobody asks the engine
//              itself, several threads may work on its shards at once where these are `ranked`:
//              what an errand at a shard's door does there is alone in it. Shards of other kinds
//              share a store, and counters of reads.
//   cost       p shards. A player's row: as in a shard, and a second hash of the id. Counts, ranks
//              and lists: see gather.h; ordinal ranks and positions are counts of rows before a
//              row.
//   errors     none of its own.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/gather/gather.h"
#include "engine/sharded/shard_door.h"

namespace laurel {

class ShardedEngine final : public ScoreEngine {
 public:
  class Shard {
   public:
    Shard(const EngineSpec& spec, EngineContext context, SpaceNumber space,
          const HashSecret& secret);

    // Where threads come in.
    ShardDoor& door() { return door_; }

    // Its own.
    const Players& players() const { return players_; }
    // The player as the shard's engine knows it. Valid until the player's row comes or goes.
    Player look_up(std::string_view id) const { return {id, players_.find(id)}; }
    ScoreEngine& engine() { return *engine_; }
    const ScoreEngine& engine() const { return *engine_; }
    std::size_t bytes() const;

   private:
    ShardDoor door_;
    Players players_;
    std::unique_ptr<ScoreEngine> engine_;
  };

  // spec.shards engines of the kind spec.of, each in a space, `first` and those that follow.
  // REQUIRES: 1 to kShardsMax; neither `sharded` nor `rolling`.
  ShardedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber first);

  ShardedEngine(const ShardedEngine&) = delete;
  ShardedEngine& operator=(const ShardedEngine&) = delete;

  std::size_t shards() const { return shards_.size(); }
  std::size_t shard_of(std::string_view id) const;
  Shard& shard(std::size_t number) { return *shards_[number]; }

  // Appends the best n rows, or as many of them as fetch_size(n, shards(), confidence) rows a
  // shard, asked for once, hold; whether they are certainly the best n. If not, better rows may be
  // missing: with at most 1 - confidence as probability, unless somebody chose the ids.
  bool read_once(std::size_t n, double confidence, Arena& arena, std::vector<EngineRow>& out) const;

  std::size_t size() const override { return gather_.size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  void find_held(const Player& player, Arena& arena, std::optional<EngineRow>& row) const override;
  void put(const Player& player, const EngineRow& row) override;
  bool erase(const Player& player) override;
  bool fits(ScoreKey score) const override { return shards_.front()->engine().fits(score); }

  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const override;
  std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
    return gather_.rank_of_newcomer(score, ranking);
  }
  std::size_t count_better(ScoreKey score) const override { return gather_.count_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return gather_.count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const override {
    return gather_.distinct_better(score);
  }
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override {
    gather_.read(first, n, arena, out);
  }

  // One shard after the other: each has its own rows and players.
  void load(const LoadProgress& progress) override;
  // Shard by shard, each in a batch of its own.
  void write_back() override;
  void scan(std::string& place, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const override;
  void check() const override;

 private:
  using Shards = std::vector<std::unique_ptr<Shard>>;

  static Shards make_shards(const EngineSpec& spec, EngineContext context, SpaceNumber first);
  static std::vector<const EngineView*> views_of(const Shards& shards);
  const Shard& home(const Player& player) const { return *shards_[shard_of(player.id)]; }
  Shard& home(const Player& player) { return *shards_[shard_of(player.id)]; }

  Shards shards_;
  bool dismantling_ = false;
  std::vector<const EngineView*> views_;  // the shards' engines, for the gather
  Gather gather_;
};

}  // namespace laurel
