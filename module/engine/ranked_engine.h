// ranked_engine.h - everything, in memory, in a counted B+tree. Rank, position and count in O(log
// n).
#pragma once

#include <string>
#include <unordered_map>

#include "engine/engine.h"
#include "rank/counted_tree.h"

namespace laurel {

class RankedEngine final : public ScoreEngine {
 public:
  // `players` outlives the engine, which holds the player of every row.
  RankedEngine(Players& players, Ties ties);
  ~RankedEngine() override;
  RankedEngine(const RankedEngine&) = delete;
  RankedEngine& operator=(const RankedEngine&) = delete;

  std::size_t size() const override { return tree_.size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  void put(const Player& player, const EngineRow& row) override;
  bool erase(const Player& player) override;
  bool dismantle(std::size_t rows) override;
  // Takes off all rows but the first `size`.
  void cut(std::size_t size);
  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const override;
  std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
    return laurel::rank_of_newcomer(ranking, tree_, score);
  }
  std::size_t count_better(ScoreKey score) const override { return tree_.count_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return tree_.count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const override {
    return tree_.distinct_better(score);
  }
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  std::size_t bytes() const override;
  void check() const override { tree_.check(); }

 private:
  bool holds(const Player& player) const;
  void fill(EngineRow& out, const Row& row) const;
  void put_data(PlayerHandle player, std::optional<std::string_view> data);

  Players& players_;
  CountedTree tree_;
  std::unordered_map<PlayerHandle, std::string> data_;  // few entries carry any
};

}  // namespace laurel
