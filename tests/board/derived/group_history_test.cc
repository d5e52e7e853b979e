// Boards of groups against an oracle that computes them again from their source and the attributes,
// over random histories: ties, bans, removals, changes of attributes, resets, restarts, and exports
// that are read again. The boards' past seasons are compared with what they were.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/derived/derived_history.h"
#include "long_form.h"

namespace laurel {

namespace {

const std::vector<std::pair<std::string_view, Fields>> kGroups = {
    {"sum", {{"group", "clan"}}},
    {"pairs", {{"group", "clan"}, {"least", 2.0}, {"ties", "latest"}, {"ranking", "dense"}}},
    {"mean",
     {{"group", "clan"},
      {"take", "mean"},
      {"decimals", 1.0},
      {"ties", "player"},
      {"archive", 3.0}}},
    {"fine", {{"group", "country"}, {"take", "mean"}, {"decimals", 5.0}, {"least", 3.0}}},
    {"best", {{"group", "clan"}, {"take", "best"}, {"ranking", "modified"}}},
    {"three", {{"group", "clan"}, {"best", 3.0}, {"ranking", "fractional"}}},
    {"mean of two",
     {{"group", "country"}, {"take", "mean"}, {"best", 2.0}, {"least", 2.0}, {"archive", 0.0}}},
};

class GroupHistory final : public DerivedHistory {
 public:
  GroupHistory(std::uint64_t seed, Fields source)
      : DerivedHistory(seed), source_(std::move(source)) {
    source_.emplace_back("keep", random_() % 2 == 0 ? "latest" : "sum");
    source_.emplace_back("order", random_() % 2 == 0 ? "desc" : "asc");
    source_.emplace_back("decimals", 2.0);
    if (random_() % 2 == 0) source_.emplace_back("segments", "clan");
    if (random_() % 2 == 0) source_.emplace_back("reset", "*/20 * * * *");
    make("week", source_);
    for (std::size_t i = 0; i < kGroups.size(); ++i) make_again();
    compare();
  }

  void step() {
    *now_ += static_cast<Time>(random_() % (20 * kSecond));
    switch (random_() % 64) {
      case 0: REQUIRE(board().ban(player())); break;
      case 1: REQUIRE(board().unban(player())); break;
      case 2: REQUIRE(registry_->ban(random_() % 2 == 0 ? player() : value())); break;
      case 3: REQUIRE(registry_->unban(random_() % 2 == 0 ? player() : value())); break;
      case 4:
        if (random_() % 4 == 0) REQUIRE(board().clear());
        break;
      case 5: reset(); break;
      case 6: forget(random_() % 4 == 0 ? value() : player()); break;
      case 7: rename(); break;
      case 8: restart(); break;
      case 9:
        if (random_() % 4 == 0) move();
        break;
      case 10: batch(); break;
      case 11: REQUIRE(board().set_data(player(), "new data")); break;
      case 12: make_again(); break;
      case 13: make("week", {{"segments", random_() % 2 == 0 ? "country" : "clan,country"}}); break;
      case 14: make("week", {{"segments", false}}); break;
      case 15: registry_->tick(); break;
      case 16:
        // The clock alone ends a season.
        if (random_() % 4 == 0) *now_ += 1200 * kSecond;
        break;
      case 17:
      case 18:
      case 19:
      case 20: REQUIRE(board().remove(player())); break;
      case 21:
      case 22:
      case 23:
      case 24:
      case 25:
      case 26:
      case 27:
      case 28: change_attribute(); break;
      case 29:
      case 30:
      case 31: write(WriteMode::set); break;
      case 32: write(WriteMode::add); break;
      default: write(WriteMode::submit); break;
    }
  }

  void compare() override {
    Board& week = board();
    for (const auto& each : kGroups) {
      const std::string_view name = each.first;
      const std::optional<BoardHandle> handle = registry_->find(name);
      if (!handle) continue;
      const Board& groups = *registry_->get(*handle);
      CAPTURE(name);
      compare_past(groups);
      past_[groups.name()][groups.season().number] =  // until it is another one
          require_rows(groups, expected_rows(groups));
      REQUIRE(groups.season().number == week.season().number);
      REQUIRE(groups.season().started == week.season().started);
      REQUIRE(groups.resets_at() == week.resets_at());
    }
  }

 private:
  // More than the groups, whose names some of them have.
  std::string player() override { return fmt::format("v{}", random_() % 24); }
  std::string value() { return fmt::format("v{}", random_() % 5); }

  // Drops a board of groups, or makes one, which has none of the seasons that ended before.
  void make_again() {
    const auto& [name, fields] = kGroups[random_() % kGroups.size()];
    past_.erase(std::string(name));
    Fields all = fields;
    all.emplace_back("engine", "groups");
    all.emplace_back("source", "week");
    drop_or_make(name, all);
  }

  Board& board() override { return *registry_->get(*registry_->find("week")); }

  // The clock may have ended a season since the last step: the oracle has to see the one that ends
  // now.
  void reset() {
    if (random_() % 4 != 0) return;
    compare();
    REQUIRE(board().reset());
  }
  void forget(const std::string& id) {
    REQUIRE(registry_->forget(id));
    attributes_.erase(id);
  }
  void rename() {
    const std::string from = player();
    const std::string to = player();
    const Result<bool> renamed = registry_->rename(from, to);
    if (!renamed || !*renamed) return;
    if (const auto moved = attributes_.extract(from)) attributes_[to] = moved.mapped();
  }
  void change_attribute() {
    const std::string id = player();
    const std::string name = random_() % 2 == 0 ? "country" : "clan";
    const bool is_off = random_() % 4 == 0;
    const std::string given = value();
    AttributeChanges changes;
    REQUIRE(changes.add(name, is_off ? std::nullopt : std::optional<std::string_view>(given)));
    REQUIRE(registry_->profiles().save(
        {.id = id, .name = {}, .email = {}, .attributes = changes.text()}, *now_));
    attributes_[id].erase(name);
    if (!is_off) attributes_[id][name] = given;
  }

  // ---- the oracle

  std::vector<Row> expected_rows(const Board& groups) {
    const Spec& spec = groups.spec();
    Entries entries;
    board().read(0, SIZE_MAX, entries);
    std::map<std::string, std::vector<Row>> members;  // in the source's order
    for (const Entry& entry : entries) {
      const auto known = attributes_.find(std::string(entry.player));
      if (known == attributes_.end() || !known->second.contains(spec.group)) continue;
      members[known->second.at(spec.group)].push_back(
          {std::string(entry.player), entry.score, entry.at});
    }
    std::vector<Row> rows;
    for (auto& [group, all] : members) {
      if (static_cast<double>(all.size()) < spec.least) continue;
      const std::size_t counted = spec.take == Take::best ? 1 : spec.best;
      if (counted != 0 && all.size() > counted) all.resize(counted);
      rows.push_back({group, expected_score(spec, all), all[0].at});
      for (const Row& member : all) rows.back().at = std::max(rows.back().at, member.at);
    }
    return rows;
  }

  static double expected_score(const Spec& spec, const std::vector<Row>& members) {
    if (spec.take == Take::best) return members[0].score;
    std::int64_t hundredths = 0;
    for (const Row& member : members) hundredths += *scaled_decimal(member.score, 2);
    if (spec.take == Take::sum) return static_cast<double>(hundredths) / 100;
    const auto count = static_cast<std::int64_t>(members.size());
    const int decimals = *spec.decimals;
    return static_cast<double>(naive_quotient(hundredths * power_of_ten(decimals), count * 100)) /
           static_cast<double>(power_of_ten(decimals));
  }

  // A season that ended is as the oracle had it last, and never changes.
  void compare_past(const Board& groups) {
    std::map<std::uint64_t, std::string>& past = past_[groups.name()];
    for (const std::uint64_t season : groups.seasons()) {
      if (season == groups.season().number) continue;
      REQUIRE(text(*groups.archived(season)) == past.at(season));
    }
    REQUIRE(groups.seasons().size() <= groups.spec().archive + 1);
  }

  Fields source_;
  std::map<std::string, std::map<std::string, std::string>> attributes_;
  std::map<std::string, std::map<std::uint64_t, std::string>> past_;
};

}  // namespace

TEST_CASE("a board of groups is at any moment what its source makes, also after restarts") {
  const std::vector<Fields> sources = {
      {{"ties", "earliest"}}, {{"engine", "sharded"}, {"shards", 3.0}, {"ties", "player"}}};
  for (std::uint64_t seed = 0; seed < short_or_long(20U, 2000U); ++seed) {
    CAPTURE(seed);
    GroupHistory history(seed, sources[seed % sources.size()]);
    for (int step = 0; step < short_or_long(150, 500); ++step) {
      CAPTURE(step);
      history.step();
      history.compare();
    }
  }
}

}  // namespace laurel
