// capped_engine.h - a top list of bounded size: the first `cap` rows are shown, the best `reserve`
// rows below them are held but not shown, and all others are dropped.
//
//   shown   all functions of EngineView, including ranks and counts, see only these rows.
//   held    shown or in the reserve. put, erase, pack and merge work on these. When a shown row is
//           removed, the best row of the reserve replaces it at once.
//   full    when cap + reserve rows are held, a new row is held only if it is before the last held
//           row, and shown only if it is before the last shown row.
//   merge   joins sets of the same spec that were written independently. Merging is commutative,
//           associative and idempotent, so servers may send their sets in any order and any number
//           of times: of two rows of a player the larger in a total order wins, players only ever
//           rise, and a dropped row is permanently behind cap + reserve others.
//   memory  for cap + reserve rows, however many players submit.
//   cost    O(log(cap + reserve)); configure O(rows that it removes).
#pragma once

#include <cstddef>
#include <optional>

#include "engine/engine.h"
#include "engine/ranked/ranked_engine.h"

namespace laurel {

class CappedEngine final : public ScoreEngine {
 public:
  // REQUIRES: 1 <= cap <= kCapMax, reserve <= kCapMax.
  CappedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space);

  // The score of the last shown row; nullopt until `cap` rows are shown.
  std::optional<ScoreKey> lowest() const;
  // Merges another set's row of the player with the held one. The better row stays: that with the
  // better score, then with the moment that `ties` prefers (the earlier one, except for `latest`),
  // then with the greater data; no data is the least. Returns true if the held row was replaced or
  // added.
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
  std::optional<Rank> rank(const Player& player, Ranking ranking) const override;
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const override;
  std::size_t count_better(ScoreKey score) const override;
  std::size_t count_not_worse(ScoreKey score) const override;
  std::size_t distinct_better(ScoreKey score) const override;
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override {
    (void)read_ranked(first, n, arena, out);
  }
  std::optional<std::size_t> read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                         std::vector<EngineRow>& out) const override;
  Players* players_of(std::string_view) const override { return &players_; }
  bool drops_rows() const override { return true; }
  std::size_t bytes() const override { return sizeof *this - sizeof rows_ + rows_.bytes(); }
  void check() const override;

 private:
  bool is_hopeless(const Player& player, const EngineRow& row) const;

  Players& players_;
  Ties ties_;
  RankedEngine rows_;  // all rows that are held
  std::size_t cap_;
  std::size_t held_max_;
};

}  // namespace laurel
