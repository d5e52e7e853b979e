// synthetic_rows.h - the rows that a store would load for an engine, without the store.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <random>

#include "engine/engine.h"
#include "members.h"

namespace laurel {

// The distribution of scores.
enum Spread : std::int64_t { kAnyDouble, kUpToAMillion, kAThousandTies };

inline ScoreKey score_of(std::mt19937_64& random, std::int64_t spread) {
  static const ScoreForm form(Order::desc, std::nullopt);
  switch (spread) {
    case kAnyDouble: return *form.key(static_cast<double>(random() >> 11));
    case kUpToAMillion: return *form.key(static_cast<double>(random() % 1'000'000));
    default: return *form.key(static_cast<double>(random() % 1000));
  }
}

// Generates rows when it is read. Written rows are discarded whenever their size reaches what a
// tick of a busy server writes.
class SyntheticBuffer final : public WriteBuffer {
 public:
  SyntheticBuffer(std::uint64_t rows, std::int64_t spread)
      : WriteBuffer("a prefix "), rows_(rows), spread_(spread) {}

  void each(const Visit& visit) const override {
    std::mt19937_64 random(1);
    char value[17] = {};
    for (std::uint64_t i = 0; i < rows_; ++i) {
      const ScoreKey score = score_of(random, spread_);
      const std::uint64_t at = random() >> 14;
      std::memcpy(value, &score, sizeof score);
      std::memcpy(value + 8, &at, sizeof at);
      visit(OrderedId(i, rows_), {value, sizeof value});
    }
  }
  std::optional<std::string_view> get_now(std::string_view) const override { return {}; }
  void retire() override {}

 private:
  void grown(std::size_t) override {
    if (open().bytes() > 256 * 1024) open().clear();
  }

  std::uint64_t rows_;
  std::int64_t spread_;
};

}  // namespace laurel
