// Combined boards against an oracle that computes them again from their sources, over random
// histories: ties, bans, removals, `set`, resets, batches, dropped and new sources, restarts, and
// exports that are read again.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/derived/derived_history.h"
#include "board/spec/source_list.h"
#include "long_form.h"

namespace laurel {

namespace {

const std::vector<std::pair<std::string_view, Fields>> kSources = {
    {"a", {{"decimals", 2.0}, {"keep", "sum"}, {"history", 3.0}, {"marks", "*/7 * * * *"}}},
    {"b",
     {{"engine", "sharded"},
      {"shards", 3.0},
      {"decimals", 0.0},
      {"order", "asc"},
      {"keep", "latest"}}},
    {"c", {{"decimals", 3.0}, {"keep", "latest"}, {"reset", "*/10 * * * *"}, {"ties", "player"}}},
    {"d", {{"keep", "latest"}, {"ties", "latest"}}},
    {"cap",
     {{"engine", "capped"},
      {"cap", 3.0},
      {"reserve", 2.0},
      {"keep", "latest"},
      {"marks", "*/5 * * * *"}}},
    {"lap_1", {{"decimals", 1.0}, {"keep", "latest"}}},
};

const std::vector<std::pair<std::string_view, Fields>> kCombined = {
    {"sum", {{"sources", "a,b,c"}, {"weights", "2,-1,0.5"}, {"decimals", 2.0}}},
    {"plain", {{"sources", "a,c"}, {"order", "asc"}, {"ties", "latest"}}},
    {"ratio", {{"sources", "a,b"}, {"take", "ratio"}}},
    {"quotient",
     {{"sources", "d,a"},
      {"take", "ratio"},
      {"decimals", 4.0},
      {"least", 1.5},
      {"ranking", "modified"}}},
    {"count", {{"sources", "a,b,cap,d"}, {"take", "count"}}},
    {"firsts", {{"sources", "a,b,c,cap"}, {"take", "firsts"}, {"ties", "player_desc"}}},
    {"laps", {{"sources", "lap_*"}, {"decimals", 0.0}, {"ranking", "dense"}}},
    {"count_of_laps",
     {{"sources", "lap_*"}, {"take", "count"}, {"ties", "player"}, {"ranking", "fractional"}}},
};

class CombinedHistory final : public DerivedHistory {
 public:
  explicit CombinedHistory(std::uint64_t seed) : DerivedHistory(seed) {
    for (const auto& [name, fields] : kSources) make(name, fields);
    for (std::size_t i = 0; i < kCombined.size(); ++i) make_again();
  }

  void step() {
    *now_ += static_cast<Time>(random_() % (20 * kSecond));
    switch (random_() % 40) {
      case 0: REQUIRE(board().ban(player())); break;
      case 1: REQUIRE(board().unban(player())); break;
      case 2: REQUIRE(registry_->ban(player())); break;
      case 3: REQUIRE(registry_->unban(player())); break;
      case 4: REQUIRE(board().remove(player())); break;
      case 5: REQUIRE(board().leave(player())); break;
      case 6:
        if (random_() % 4 == 0) REQUIRE(board().clear());
        break;
      case 7:
        if (random_() % 4 == 0) REQUIRE(board().reset());
        break;
      case 8: REQUIRE(registry_->forget(player())); break;
      case 9: (void)registry_->rename(player(), player()); break;
      case 10: resize(); break;
      case 11: restart(); break;
      case 12:
      case 13: other_lap(); break;
      case 14:
      case 15: batch(); break;
      case 16: take_back(); break;
      case 17: submit_to_several(); break;
      case 18: REQUIRE(board().set_data(player(), "new data")); break;
      case 19: make_again(); break;
      case 20:
      case 21:
      case 22: write(WriteMode::set); break;
      case 23: write(WriteMode::add); break;
      case 24:
        if (random_() % 8 == 0) move();
        break;
      default: write(WriteMode::submit); break;
    }
  }

  void compare() override {
    for (const auto& combined : kCombined) {
      const std::string_view name = combined.first;
      const std::optional<BoardHandle> handle = registry_->find(name);
      if (!handle) continue;
      const Board& board = *registry_->get(*handle);
      CAPTURE(name);
      require_rows(board, expected_rows(board));
    }
  }

 private:
  std::string player() override { return fmt::format("p{}", random_() % 10); }

  // Drops a combined board, or makes one.
  void make_again() {
    const auto& [name, fields] = kCombined[random_() % kCombined.size()];
    Fields all = fields;
    all.emplace_back("engine", "combined");
    drop_or_make(name, all);
  }
  void other_lap() {
    drop_or_make(fmt::format("lap_{}", 1 + random_() % 4), {{"decimals", 1.0}, {"keep", "latest"}});
  }

  Board& board() override {
    std::vector<std::string> names;
    for (const std::string& name : registry_->names()) {
      if (!is_derived(registry_->get(*registry_->find(name))->spec())) names.push_back(name);
    }
    return *registry_->get(*registry_->find(names[random_() % names.size()]));
  }
  void submit_to_several() {
    const std::vector<std::string_view> names = {"a", "b", "c", "cap"};
    std::vector<std::optional<double>> held;
    const std::string id = player();
    (void)registry_->submit(names, result(id, score()), held);
  }
  void take_back() {
    Board& a = *registry_->get(*registry_->find("a"));
    const std::string id = player();
    const std::vector<PastResult> past = a.history(id, 3);
    if (past.empty()) return;
    (void)a.take_back(id, seconds_from_time(past[random_() % past.size()].at));
  }
  void resize() {
    make("cap", {{"cap", 1.0 + static_cast<double>(random_() % 4)},
                 {"reserve", static_cast<double>(random_() % 3)}});
  }

  // ---- the oracle

  struct Held {
    std::string source;
    std::size_t place = 0;
    std::size_t position = 0;
    double score = 0;
    std::int64_t scaled = 0;
    int decimals = 0;
    Time at = 0;
  };

  std::vector<Row> expected_rows(const Board& combined) {
    const SourceList sources = *SourceList::parse(combined.spec().sources);
    std::map<std::string, std::vector<Held>> held;
    std::size_t place = 0;
    std::vector<std::string> names = sources.names();
    if (sources.is_pattern()) {
      for (const std::string& name : registry_->names()) {
        if (name.starts_with("lap_")) names.push_back(name);
      }
    }
    for (const std::string& name : names) {
      const Board& source = *registry_->get(*registry_->find(name));
      Entries entries;
      source.read(0, SIZE_MAX, entries);
      const std::optional<int> decimals = source.spec().decimals;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        held[std::string(entries[i].player)].push_back(
            {.source = name,
             .place = place,
             .position = i,
             .score = entries[i].score,
             .scaled = decimals ? *scaled_decimal(entries[i].score, *decimals) : 0,
             .decimals = decimals.value_or(-1),
             .at = entries[i].at});
      }
      ++place;
    }
    std::vector<Row> rows;
    for (auto& [player, all] : held) {
      if (combined.spec().take == Take::firsts) {
        std::erase_if(all, [](const Held& each) { return each.position != 0; });
      }
      const std::optional<double> score = expected_score(combined.spec(), all);
      if (!score) continue;
      Row row{player, *score, all[0].at};
      for (const Held& each : all) row.at = std::max(row.at, each.at);
      rows.push_back(row);
    }
    return rows;
  }

  static std::optional<double> expected_score(const Spec& spec, const std::vector<Held>& held) {
    if (held.empty()) return std::nullopt;
    const int decimals = *spec.decimals;
    const auto unscaled = [&](std::int64_t scaled) {
      return static_cast<double>(scaled) / static_cast<double>(power_of_ten(decimals));
    };
    if (spec.take == Take::count || spec.take == Take::firsts) {
      return static_cast<double>(held.size());
    }
    if (spec.take == Take::ratio) {
      if (held.size() != 2 || held[1].score <= 0 || held[1].score < spec.least) return std::nullopt;
      if (held[0].decimals < 0 || held[1].decimals < 0) {
        return unscaled(*scaled_decimal(held[0].score / held[1].score, decimals));
      }
      return unscaled(
          naive_quotient(held[0].scaled * power_of_ten(held[1].decimals) * power_of_ten(decimals),
                         held[1].scaled * power_of_ten(held[0].decimals)));
    }
    // In thousandths of tenths.
    const std::vector<double> weights =
        spec.weights.empty() ? std::vector<double>(9, 1.0) : *parse_weights(spec.weights);
    std::int64_t sum = 0;
    for (const Held& each : held) {
      sum += each.scaled * power_of_ten(3 - each.decimals) *
             static_cast<std::int64_t>(weights[each.place] * 10);
    }
    return unscaled(naive_quotient(sum, power_of_ten(4 - decimals)));
  }
};

}  // namespace

TEST_CASE("a combined board is at any moment what its sources make, also after restarts") {
  for (std::uint64_t seed = 0; seed < short_or_long(30U, 2000U); ++seed) {
    CAPTURE(seed);
    CombinedHistory history(seed);
    for (int step = 0; step < short_or_long(150, 500); ++step) {
      CAPTURE(step);
      history.step();
      history.compare();
    }
  }
}

}  // namespace laurel
