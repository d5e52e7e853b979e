// Random histories of rolling boards, compared with an oracle that adds up all amounts each time.
#include <map>
#include <memory>
#include <random>

#include <doctest/doctest.h>

#include "naive_order.h"
#include "rolling_fixture.h"
#include "rolling_oracle.h"
#include "store/kept_store.h"

namespace laurel {

namespace {

using Line = RollingOracle::Line;

// An engine and its oracle, which get the same history and must give the same answers.
class History {
 public:
  History(const EngineSpec& spec, int players, std::uint64_t seed)
      : random_(seed),
        players_(players),
        board_(std::make_unique<Rolling>(spec, 18281, store_)),
        oracle_(spec) {}

  void step() {
    if (random_() % 64 == 0) reopen();
    switch (random_() % 16) {
      case 0: erase(); break;
      case 1: hide(); break;
      case 2: show(); break;
      case 3:
      case 4: turn(); break;
      default: add(); break;
    }
  }

  void compare() {
    compare_board(board_->engine, board_->engine.running());
    const Bucket later = board_->engine.running() + below(board_->spec.window.buckets + 2);
    compare_board(*board_->engine.at_bucket(later), later);
    for (int i = 0; i < players_; ++i) compare_sum(name(i));
    board_->engine.check();
    compare_store();
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  static std::string name(std::int64_t i) { return fmt::format("{}{}", i % 3 == 0 ? "p" : "q", i); }
  std::string any_name() { return name(below(players_)); }

  void add() {
    const std::string id = any_name();
    if (hidden_.contains(id)) return;
    const int buckets = board_->spec.window.buckets;
    const Bucket running = board_->engine.running();
    const Bucket bucket = random_() % 3 == 0 ? running - below(buckets) : running;
    REQUIRE(board_->engine.in_window(bucket));
    const std::int64_t amount = below(12) - 3;
    const Time at = bucket * board_->spec.window.length + below(4);
    std::optional<std::string> data;
    if (random_() % 8 == 0) data = fmt::format("data{}", random_() % 100);
    const Activity activity{bucket, board_->key(static_cast<double>(amount)), at, data};
    const std::optional<ScoreKey> sum = board_->engine.sum_with(board_->player(id), activity);
    board_->engine.add(board_->player(id), activity);
    oracle_.add(id, running, bucket, amount, at, data);
    REQUIRE(sum == board_->key(static_cast<double>(oracle_.sum(id, running).value_or(0))));
  }

  void erase() {
    const std::string id = any_name();
    REQUIRE(board_->engine.erase(board_->player(id)) ==
            oracle_.erase(id, board_->engine.running()));
  }

  void hide() {
    const std::string id = any_name();
    const std::optional<std::string> packed = board_->engine.pack(board_->player(id));
    REQUIRE(packed.has_value() == oracle_.sum(id, board_->engine.running()).has_value());
    if (!packed) return;
    REQUIRE(board_->engine.erase(board_->player(id)));
    hidden_[id] = {*packed, oracle_.hide(id)};
  }

  void show() {
    if (hidden_.empty()) return;
    const auto [id, hidden] = *hidden_.begin();
    hidden_.erase(hidden_.begin());
    board_->engine.unpack(board_->player(id), hidden.packed);
    const bool undone = hidden.activity.amounts.rbegin()->first > board_->engine.running();
    if (!undone) oracle_.show(id, hidden.activity);
  }

  // The process ends; another one loads the rows, at the same time or later.
  void reopen() {
    const Bucket running = board_->engine.running();
    const int buckets = board_->spec.window.buckets;
    const Bucket today = running + (random_() % 4 == 0 ? below(2 * buckets + 2) : 0);
    const EngineSpec spec = board_->spec;
    board_.reset();
    board_ = std::make_unique<Rolling>(spec, today, store_);
    REQUIRE(board_->engine.running() == today);
    compare();
  }

  // There is a row for each held player, and possibly the one with the board's generation.
  void compare_store() {
    REQUIRE(store_->size() >= board_->players.size());
    REQUIRE(store_->size() <= board_->players.size() + 1);
  }

  // Moves the clock: usually forward by a little, sometimes by more than a window, sometimes back.
  void turn() {
    const Bucket running = board_->engine.running();
    const int buckets = board_->spec.window.buckets;
    switch (random_() % 12) {
      case 0: go_to(running + below(2 * buckets + 2)); break;
      case 1: go_to(running - below(buckets + 1)); break;
      case 2: go_to(random_() % 4 == 0 ? running - buckets - 1 - below(50) : running); break;
      default: go_to(running + below(buckets / 8 + 2)); break;
    }
  }

  void go_to(Bucket bucket) {
    const Bucket running = board_->engine.running();
    const bool far_back = bucket < running - board_->spec.window.buckets;
    if (far_back) oracle_.erase_all();
    const Advance expected = bucket > running   ? Advance::next
                             : far_back         ? Advance::restart
                             : bucket < running ? Advance::behind
                                                : Advance::none;
    REQUIRE(board_->turn(bucket) == expected);
    REQUIRE(board_->engine.running() == (far_back ? bucket : std::max(bucket, running)));
  }

  void compare_sum(const std::string& id) {
    const std::optional<ScoreKey> sum = board_->engine.sum(board_->player(id));
    const std::optional<std::int64_t> expected = oracle_.sum(id, board_->engine.running());
    REQUIRE(sum.has_value() == expected.has_value());
    if (sum) REQUIRE(*sum == board_->key(static_cast<double>(*expected)));
  }

  bool same(const EngineRow& row, const Line& line) const {
    return row.player == line.player && row.at == line.at && row.data == line.data &&
           row.score == board_->key(static_cast<double>(line.score));
  }

  void compare_board(const EngineView& view, Bucket bucket) {
    CAPTURE(bucket - board_->engine.running());
    const std::vector<Line> lines = oracle_.sorted(bucket);
    REQUIRE(view.size() == lines.size());
    compare_page(view, lines, 0, lines.size() + 1);
    compare_page(view, lines, random_() % (lines.size() + 2), random_() % 10);
    for (std::size_t i = 0; i < lines.size(); ++i) compare_player(view, lines, i);
    for (int score = -1; score < 12; ++score) compare_counts(view, lines, score * 3);
    Arena arena;
    const Player any = board_->player(any_name());
    const bool listed = view.find(any, arena).has_value();
    REQUIRE(view.position(any).has_value() == listed);
    REQUIRE(view.rank(any, Ranking::dense).has_value() == listed);
  }

  void compare_page(const EngineView& view, const std::vector<Line>& lines, std::size_t first,
                    std::size_t n) {
    Arena arena;
    std::vector<EngineRow> rows(1);  // existing rows must stay
    view.read(first, n, arena, rows);
    const std::size_t expected = first < lines.size() ? std::min(n, lines.size() - first) : 0;
    REQUIRE(rows.size() == expected + 1);
    for (std::size_t i = 0; i < expected; ++i) REQUIRE(same(rows[i + 1], lines[first + i]));
  }

  void compare_player(const EngineView& view, const std::vector<Line>& lines, std::size_t i) {
    CAPTURE(i);
    Arena arena;
    const Player player = board_->player(lines[i].player);
    const std::optional<EngineRow> row = view.find(player, arena);
    REQUIRE(row);
    REQUIRE(same(*row, lines[i]));
    REQUIRE(view.position(player) == i);
    for (const Ranking ranking : kEveryRanking) {
      REQUIRE(view.rank(player, ranking) == naive_rank(lines, i, ranking));
    }
  }

  void compare_counts(const EngineView& view, const std::vector<Line>& lines, std::int64_t score) {
    CAPTURE(score);
    RankCounts counts;
    const bool rising = board_->spec.order == Order::asc;
    std::optional<std::int64_t> last;
    for (const Line& line : lines) {
      const bool better = rising ? line.score < score : line.score > score;
      if (better) ++counts.better;
      if (better || line.score == score) ++counts.not_worse;
      if (better && line.score != last) ++counts.distinct_better;
      last = line.score;
    }
    const ScoreKey key = board_->key(static_cast<double>(score));
    REQUIRE(view.count_better(key) == counts.better);
    REQUIRE(view.count_not_worse(key) == counts.not_worse);
    REQUIRE(view.distinct_better(key) == counts.distinct_better);
    for (const Ranking ranking : kEveryRanking) {
      REQUIRE(view.rank_of_newcomer(key, ranking) ==
              rank_of_newcomer(ranking, board_->spec.ties, counts));
    }
  }

  struct Hidden {
    std::string packed;
    RollingOracle::Activity activity;
  };

  std::mt19937_64 random_;
  int players_;
  std::shared_ptr<KeptStore> store_ = std::make_shared<KeptStore>();
  std::unique_ptr<Rolling> board_;
  RollingOracle oracle_;
  std::map<std::string, Hidden> hidden_;
};

}  // namespace

TEST_CASE(
    "S2-1, S2-10, S2-11, S2-17, S2-18: a rolling board matches the oracle over random histories") {
  std::uint64_t seed = 0;
  for (const int buckets : {1, 2, 3, 7, 30, 366}) {
    for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc}) {
      CAPTURE(buckets);
      CAPTURE(++seed);
      EngineSpec spec = rolling_spec(buckets);
      spec.ties = ties;
      spec.order = seed % 3 == 0 ? Order::asc : Order::desc;
      if (seed % 2 == 0) spec.decimals = 2;
      if (seed % 5 == 0) spec.window.length = 7;
      History history(spec, 24, seed);
      for (int step = 0; step < 1200; ++step) {
        history.step();
        if (step % 12 == 0) history.compare();
      }
    }
  }
}

TEST_CASE("S2-4: a rolling board matches the oracle if spans have many players") {
  for (const int buckets : {3, 30}) {
    CAPTURE(buckets);
    History history(rolling_spec(buckets), 700, 77);
    for (int step = 0; step < 6000; ++step) {
      history.step();
      if (step % 1500 == 1499) history.compare();
    }
  }
}

}  // namespace laurel
