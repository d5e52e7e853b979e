// Random histories, played on a padded engine and on a memory engine, which must always agree.
#include <cmath>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/padded/padded_engine.h"
#include "engine/ranked/ranked_engine.h"
#include "engine_fixture.h"

namespace laurel {

namespace {

// Ids that are easily confused: common prefixes, all bytes, '#', the longest.
std::string tricky_id(std::uint64_t number) {
  switch (number % 6) {
    case 0: return fmt::format("p{}", number);
    case 1: return fmt::format("p#{}", number);
    case 2: return fmt::format("{}{:03}", std::string(kPlayerBytesMax - 3, '\xff'), number);
    case 3: return fmt::format("zzz{}", number);
    case 4: return std::string(number % 40 + 1, '#');
    default: return fmt::format("{}{}", static_cast<char>(number % 255 + 1), number);
  }
}

class History {
 public:
  // `prepared`: the mode that ranks are prepared for during the history, if any.
  History(Order order, Ties ties, std::uint64_t seed, std::optional<Ranking> prepared)
      : random_(seed),
        prepared_(prepared),
        spec_{.engine = EngineKind::padded,
              .order = order,
              .ties = ties,
              .decimals = static_cast<int>(seed % 3)},
        form_(order, spec_.decimals),
        padded_(spec_, ground_.context(), 1, kBlockKeys),
        ranked_(ground_.players, ties),
        scores_(seed % 2 == 0 ? 4 : 1000),
        moments_(seed % 4 < 2 ? 3 : 100'000) {
    add_strangers();
  }

  void step() {
    if (prepared_ && random_() % 8 == 0) padded_.prepare_ranks(*prepared_, random_() % 9);
    const std::string id = tricky_id(random_() % 60);
    if (random_() % 5 == 0) {
      const bool erased = padded_.erase(ground_.player(id));
      REQUIRE(erased == ranked_.erase(ground_.player(id)));
      return;
    }
    const std::string data = fmt::format("d{}", random_() % 3);
    EngineRow row{.player = "ignored", .score = any_score(), .at = any_moment()};
    if (random_() % 3 == 0) row.data = data;
    padded_.put(ground_.player(id), row);
    ranked_.put(ground_.player(id), row);
  }

  void compare() const {
    padded_.check();
    require_same_answers(ground_, padded_, ranked_);
    const PaddedEngine reopened(spec_, const_cast<Ground&>(ground_).context(), padded_.space());
    REQUIRE(reopened.size() == padded_.size());
  }

 private:
  ScoreKey any_score() {
    const double edge = 9'999'999'999.0 / std::pow(10, *spec_.decimals);
    switch (random_() % 20) {
      case 0: return form_.key(0).value();
      case 1: return form_.key(edge).value();
      default: return form_.key(static_cast<double>(random_() % scores_) / 2).value();
    }
  }
  Time any_moment() { return static_cast<Time>(random_() % moments_) - 1; }

  // S3-12: rows of other kinds next to the board's rows in the same space must not count.
  void add_strangers() {
    const Space space(*ground_.store, padded_.space());
    Batch batch;
    for (const std::string_view key : {"A", "METADATA", "PLAYER", "SCORE", "SCORE\"9", "SCORE$",
                                       "SCORE$0000000001#x", "SCORES#0000000001#x", "z"}) {
      space.put(batch, key, "a stranger");
    }
    ground_.store->write(batch);
  }

  Ground ground_;
  static constexpr std::size_t kBlockKeys = 3;  // many blocks with few rows

  std::mt19937_64 random_;
  std::optional<Ranking> prepared_;
  EngineSpec spec_;
  ScoreForm form_;
  PaddedEngine padded_;
  RankedEngine ranked_;
  std::uint64_t scores_;
  std::uint64_t moments_;
};

}  // namespace

TEST_CASE("S3-12, X1: a padded board matches a memory engine in every order and tie rule") {
  for (const Order order : {Order::desc, Order::asc}) {
    for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc}) {
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(static_cast<int>(order));
        CAPTURE(static_cast<int>(ties));
        CAPTURE(seed);
        const std::optional<Ranking> prepared = seed <= 4   ? std::nullopt
                                                : seed <= 8 ? std::optional(Ranking::competition)
                                                            : std::optional(Ranking::dense);
        History history(order, ties, seed, prepared);
        history.compare();
        for (int i = 0; i < 300; ++i) {
          history.step();
          if (i < 20 || i % 40 == 0) history.compare();
        }
        history.compare();
      }
    }
  }
}

}  // namespace laurel
