// rolling_fixture.h - a rolling engine with a registry's players, and boards as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/rolling/rolling_engine.h"
#include "store/store.h"

namespace laurel {

inline EngineSpec rolling_spec(int buckets, std::optional<int> decimals = std::nullopt) {
  EngineSpec spec;
  spec.engine = EngineKind::rolling;
  spec.window.buckets = buckets;
  spec.decimals = decimals;
  return spec;
}

// A store for rolling boards without persistence: they write nothing.
class NoStore final : public Store {
 public:
  std::optional<std::string_view> get(std::string_view) const override { return std::nullopt; }
  std::unique_ptr<Cursor> cursor() const override { return nullptr; }
  std::size_t size() const override { return 0; }
  void write(const Batch&) override { FAIL("a rolling engine writes"); }
  bool erase_some(std::string_view, std::size_t) override { return false; }
  std::shared_ptr<const Reader> snapshot() const override { return nullptr; }
  std::size_t bytes() const override { return 0; }
};

struct Rolling {
  // `kept` may hold the rows of an earlier board.
  explicit Rolling(const EngineSpec& rolling, Bucket today = 18281,
                   std::shared_ptr<Store> kept = std::make_shared<NoStore>())
      : spec(rolling), form(spec.order, spec.decimals), store(std::move(kept)) {
    turn(today);
    engine.load([](std::size_t) {});
  }
  explicit Rolling(int buckets, Bucket today = 18281) : Rolling(rolling_spec(buckets), today) {}

  Advance turn(Bucket day) { return engine.advance(day * spec.window.length + 1); }

  Player player(std::string_view id) const { return {id, players.find(id)}; }
  ScoreKey key(double score) const { return form.key(score).value(); }

  // Adds activity in a bucket; each call has a later moment.
  void add(std::string_view id, Bucket bucket, double amount,
           std::optional<std::string_view> data = std::nullopt) {
    const Activity activity{bucket, key(amount), bucket * spec.window.length + ++moments, data};
    const std::optional<ScoreKey> sum = engine.sum_with(player(id), activity);
    REQUIRE(sum);
    engine.add(player(id), activity);
    REQUIRE(engine.sum(player(id)).value_or(key(0)) == *sum);
  }

  // The player's sums from the running bucket on, as the boards show them; "-" if the player is not
  // listed.
  std::string forward(std::string_view id, int buckets) const {
    std::string text;
    for (Bucket bucket = engine.running(); bucket < engine.running() + buckets; ++bucket) {
      Arena arena;
      const auto row = engine.at_bucket(bucket)->find(player(id), arena);
      text += text.empty() ? "" : " ";
      text += row ? fmt::format("{}", form.score(row->score)) : "-";
    }
    return text;
  }

  // A board as text: "bob 12, alice 5".
  std::string table(const EngineView& board) const {
    Arena arena;
    std::vector<EngineRow> rows;
    board.read(0, SIZE_MAX, arena, rows);
    std::string text;
    for (const EngineRow& row : rows) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", row.player, form.score(row.score));
    }
    return text;
  }
  std::string table() const { return table(engine); }

  EngineSpec spec;
  ScoreForm form;
  Players players{HashSecret::fixed(1)};
  std::shared_ptr<Store> store;
  SpaceNumber last_space = 0;
  EngineReads reads;
  RollingEngine engine{spec, {players, *store, last_space, reads}, 1};
  Time moments = 0;
};

}  // namespace laurel
