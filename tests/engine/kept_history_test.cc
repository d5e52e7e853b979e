// Random histories of engines on a durable store. The process ends again and again, and a new
// engine of the same spec must give the same answers from the stored rows.
#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/engine_factory.h"
#include "engine/gather/row_merge.h"
#include "engine/ranked/ranked_engine.h"
#include "engine_fixture.h"
#include "store/kept_store.h"

namespace laurel {

namespace {

struct Line {
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string> data;
};

class History {
 public:
  History(const EngineSpec& spec, std::uint64_t players, std::uint64_t seed)
      : random_(seed), spec_(spec), players_(players) {
    ground_ = std::make_unique<Ground>();
    ground_->store = std::make_unique<KeptStore>();
    open();
  }

  void step() {
    const std::string id =
        fmt::format("{}{}", random_() % 3 == 0 ? "p" : "q", random_() % players_);
    const Player player = ground_->player(id);
    switch (random_() % 8) {
      case 0: REQUIRE(engine_->erase(player) == (rows_.erase(id) > 0)); break;
      case 1: hide_and_show(id); break;
      default: put(id);
    }
  }

  void reopen() {
    engine_.reset();
    auto next = std::make_unique<Ground>();
    next->store = std::move(ground_->store);
    ground_ = std::move(next);
    open();
    std::size_t told = 0;
    engine_->load([&](std::size_t rows) { told += rows; });
    if (keeps_in_memory()) REQUIRE(told == rows_.size());
  }

  void compare() {
    engine_->check();
    const std::vector<std::string> order = sorted();
    Arena arena;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::optional<EngineRow> held = engine_->held(ground_->player(order[i]), arena);
      REQUIRE(held);
      REQUIRE(held->score == rows_[order[i]].score);
      REQUIRE(held->at == rows_[order[i]].at);
      REQUIRE(held->data == rows_[order[i]].data);
    }
    RankedEngine oracle(ground_->players, spec_.ties);
    for (std::size_t i = 0; i < std::min(order.size(), shown()); ++i) {
      oracle.put(ground_->player(order[i]), row(order[i]));
    }
    require_same_answers(*ground_, *engine_, oracle);
    if (keeps_in_memory()) REQUIRE(ground_->store->size() == rows_.size());
  }

  // Rows that are not shown must be right too: they appear when the rows before them are erased.
  void take_off_the_best() {
    const std::vector<std::string> order = sorted();
    for (const std::string& id : order) {
      REQUIRE(engine_->erase(ground_->player(id)));
      rows_.erase(id);
      REQUIRE(engine_->size() == std::min(rows_.size(), shown()));
    }
    REQUIRE(engine_->size() == 0);
  }

  void configure() {
    spec_.cap = 1 + random_() % 9;
    spec_.reserve = random_() % 9;
    engine_->configure(spec_);
    cut();
  }

  void dismantle() {
    while (engine_->dismantle(7)) {
    }
    engine_.reset();
    REQUIRE(ground_->store->size() == 0);
  }

 private:
  bool is_capped() const { return spec_.engine == EngineKind::capped; }
  bool keeps_in_memory() const {
    return spec_.engine != EngineKind::sharded || spec_.of == EngineKind::ranked;
  }
  std::size_t shown() const { return is_capped() ? spec_.cap : SIZE_MAX; }

  void open() { engine_ = make_score_engine(spec_, ground_->context(), 1); }

  EngineRow row(const std::string& id) const {
    const Line& line = rows_.at(id);
    EngineRow row{.player = id, .score = line.score, .at = line.at};
    if (line.data) row.data = *line.data;
    return row;
  }

  std::vector<std::string> sorted() const {
    std::vector<std::string> order;
    for (const auto& [id, line] : rows_) order.push_back(id);
    std::sort(order.begin(), order.end(), [this](const std::string& a, const std::string& b) {
      return stands_before(row(a), row(b), spec_.ties);
    });
    return order;
  }

  void put(const std::string& id) {
    Line line{*form_.key(static_cast<double>(random_() % 40)), static_cast<Time>(random_() % 5) - 2,
              std::nullopt};
    if (random_() % 4 == 0) line.data = std::string(random_() % 40, 'd');
    rows_[id] = line;
    engine_->put(ground_->player(id), row(id));
    cut();
  }

  void cut() {
    if (!is_capped()) return;
    const std::vector<std::string> order = sorted();
    for (std::size_t i = spec_.cap + spec_.reserve; i < order.size(); ++i) rows_.erase(order[i]);
  }

  void hide_and_show(const std::string& id) {
    const std::optional<std::string> packed = engine_->pack(ground_->player(id));
    REQUIRE(packed.has_value() == rows_.contains(id));
    if (!packed) return;
    REQUIRE(engine_->erase(ground_->player(id)));
    engine_->unpack(ground_->player(id), *packed);
  }

  std::mt19937_64 random_;
  EngineSpec spec_;
  ScoreForm form_{spec_.order, spec_.decimals};
  std::uint64_t players_;
  std::unique_ptr<Ground> ground_;
  std::unique_ptr<ScoreEngine> engine_;
  std::map<std::string, Line> rows_;
};

constexpr Ties kTies[] = {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc};

void play(EngineSpec spec, std::uint64_t players, int rounds) {
  std::uint64_t seed = 0;
  for (const Ties ties : kTies) {
    for (const Order order : {Order::desc, Order::asc}) {
      CAPTURE(static_cast<int>(ties));
      CAPTURE(static_cast<int>(order));
      CAPTURE(++seed);
      spec.ties = ties;
      spec.order = order;
      if (spec.of != EngineKind::padded) {
        spec.decimals = seed % 2 == 0 ? std::optional(2) : std::nullopt;
      }
      History history(spec, players, seed);
      std::mt19937_64 random(seed);
      for (int round = 0; round < rounds; ++round) {
        CAPTURE(round);
        for (std::uint64_t steps = random() % (2 * players); steps > 0; --steps) history.step();
        if (spec.engine == EngineKind::capped && round % 3 == 2) history.configure();
        history.reopen();
        history.compare();
        if (round % 4 == 3) history.reopen();  // no changes since the last reopen
      }
      history.compare();
      if (seed % 2 == 0) history.take_off_the_best();
      history.dismantle();
    }
  }
}

}  // namespace

TEST_CASE("a loaded ranked board answers as before") {
  play({.engine = EngineKind::ranked}, 12, 30);  // packed
  play({.engine = EngineKind::ranked}, 300, 8);  // a tree
}

TEST_CASE("a loaded capped board also has the rows that are not shown") {
  play({.engine = EngineKind::capped, .cap = 5, .reserve = 4}, 30, 30);
}

TEST_CASE("a loaded sharded board answers as before") {
  play({.engine = EngineKind::sharded, .shards = 5}, 60, 10);
  play({.engine = EngineKind::sharded, .decimals = 0, .shards = 3, .of = EngineKind::padded}, 40,
       6);
}

}  // namespace laurel
