// capped_engine.h - a top list that forgets: the first `cap` rows are shown, the best `reserve`
// below them wait out of sight, and everything below those is gone.
//
//   shown     what every question of EngineView is about, ranks and counts included.
//   held      shown or in the reserve. put, erase, pack and merge know both: a row that is taken
//             off is replaced by the best of the reserve at once.
//   full      once cap + reserve rows are held, a newcomer comes in only by standing before the
//             last of them, and is shown only by standing before the last shown.
//   merge     joins sets of the same spec that were written apart. Merging is commutative,
//             associative and idempotent, so that servers may send their sets in any order and any
//             number of times: each player's better row is the larger of a total order, players
//             only ever rise, and who was cut off stands behind cap + reserve others for good.
//   memory    of cap + reserve rows, however many players tried.
//   cost      O(log(cap + reserve)); configure O(rows it cuts).
#pragma once

#include <cstddef>
#include <optional>

#include "engine/engine.h"
#include "engine/ranked_engine.h"

namespace laurel {

class CappedEngine final : public ScoreEngine {
 public:
  // REQUIRES: 1 <= cap <= kCapMax, reserve <= kCapMax.
  CappedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space);

  // The score of the last shown; nothing until `cap` are shown.
  std::optional<ScoreKey> lowest() const;
  // Another set's row of the player: of it and the held one the better stays, that of the better
  // score, then of the moment that `ties` prefers (the earlier, but for `latest`), then of the
  // greater data, none being the least. Whether another row of the player is held now.
  bool merge(const Player& player, const EngineRow& row);

  std::size_t size() const override;
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  void find_held(const Player& player, Arena& arena, std::optional<EngineRow>& row) const override;
  void put(const Player& player, const EngineRow& row) override;
  bool erase(const Player& player) override { return rows_.erase(player); }
  void load(const LoadProgress& progress) override;
  void configure(const EngineSpec& spec) override;
  void each_packed(const PackedVisitor& visit) const override { rows_.each_packed(visit); }
  bool dismantle(std::size_t rows) override { return rows_.dismantle(rows); }
  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const override;
  std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const override;
  std::size_t count_better(ScoreKey score) const override;
  std::size_t count_not_worse(ScoreKey score) const override;
  std::size_t distinct_better(ScoreKey score) const override;
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override {
    (void)read_ranked(first, n, arena, out);
  }
  std::optional<std::size_t> read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                         std::vector<EngineRow>& out) const override;
  std::size_t bytes() const override { return sizeof *this - sizeof rows_ + rows_.bytes(); }
  void check() const override;

 private:
  bool is_hopeless(const Player& player, const EngineRow& row) const;

  Players& players_;
  Ties ties_;
  RankedEngine rows_;  // all that are held
  std::size_t cap_;
  std::size_t held_max_;
};

}  // namespace laurel
