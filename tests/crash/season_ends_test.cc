// Each season's end is told exactly once, whenever the process is killed or the power fails: in a
// handler, in a tick, in a commit. Every end gives one reward on boards of three engines and in a
// player's profile; the rewards are counted after each kill.
//
// Kills are simulated: a life is played on a file whose writes are recorded, and the next life
// begins with what the file was at some moment.
#include <algorithm>
#include <array>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/spec/spec_change.h"
#include "crash_fixture.h"
#include "faults.h"
#include "long_form.h"
#include "power.h"

namespace laurel::crash {

namespace {

constexpr int kSeasonEndKills = 150;
constexpr int kSeasonEndKillsOfLong = 10'000;
constexpr int kLivesOfGame = 25;

struct SourceBoard {
  std::string_view name;
  std::string_view engine;
  std::string_view reset;
};
constexpr std::array kSources = {SourceBoard{"hourly", "ranked", "0 * * * *"},
                                 SourceBoard{"often", "padded", "*/20 * * * *"},
                                 SourceBoard{"by hand", "paged", ""}};
constexpr std::array kRewards = {SourceBoard{"gold", "ranked", ""},
                                 SourceBoard{"silver", "paged", ""},
                                 SourceBoard{"bronze", "sharded", ""}};

struct SeasonEndTally {
  int in_handlers = 0;  // kills
  int told = 0;
  int faults = 0;
};

// The lives of one registry, each in a directory of its own.
class Rewarded {
 public:
  Rewarded(std::uint64_t seed, SeasonEndTally& tally)
      : random_(seed),
        durability_(static_cast<Durability>(seed % kDurabilityWords.size())),
        now_(std::make_shared<Time>(1'000'000 * kSecond)),
        tally_(tally) {
    open();
    for (const SourceBoard& board : kSources) make(board, "best");
    for (const SourceBoard& board : kRewards) make(board, "sum");
    REQUIRE(registry_->flush());
  }

  void live() {
    begin();
    const auto steps = 4 + random_() % 40;
    for (std::uint64_t i = 0; i < steps && !killed_; ++i) step();
    if (!killed_) kill();
    registry_.reset();
    ++life_;
    std::filesystem::remove_all(scratch_.path(fmt::format("life {}", life_ - 1)));
    open();
    count();
  }

  // Without another kill every end is told.
  void finish() {
    may_fail_ = false;
    killed_ = false;
    for (int i = 0; i < 200 && !registry_->season_ends().unheard().empty(); ++i) {
      *now_ += kMinute;
      registry_->tick();
    }
    CHECK(registry_->season_ends().unheard().empty());
    count();
  }

 private:
  std::string path() const { return scratch_.path(fmt::format("life {}", life_)); }
  std::string file() const { return path() + "/laurel.mdb"; }

  void open() {
    Result<std::unique_ptr<Registry>> opened =
        open_registry({.path = path(), .durability = durability_, .now = now_, .log = &log_});
    if (!opened) FAIL(opened.refusal().text());
    registry_ = std::move(*opened);
    const auto listening = registry_->season_ends().listen(
        "rewards", nullptr,
        [this](const EndedSeason& ended, std::string& error) { return hear(ended, error); });
    REQUIRE(listening);
  }

  void make(const SourceBoard& board, std::string_view keep) {
    SpecChange change;
    REQUIRE(change.set("engine", board.engine));
    REQUIRE(change.set("keep", keep));
    if (!board.reset.empty()) REQUIRE(change.set("reset", board.reset));
    REQUIRE(change.set("archive", 0.0));
    REQUIRE(registry_->open(board.name, change));
  }

  Board& board(std::string_view name) const { return *registry_->get(*registry_->find(name)); }

  // ---- the file

  void begin() {
    killed_ = false;
    may_lose_power_ = durability_ != Durability::none && random_() % 2 == 0;
    first_ = bytes_of(file());
    disk_.emplace(file());
    events_.clear();
    faults::record();
  }

  void take_events() {
    for (Event& event : faults::events()) events_.push_back(std::move(event));
  }

  // Leaves the file as it was after a random number of its writes, for the next life.
  void kill() {
    killed_ = true;
    take_events();
    faults::stop_recording();
    (void)faults::end();
    const std::size_t until =
        random_() % 2 == 0 ? events_.size() : random_() % (events_.size() + 1);
    events_.resize(until);
    const std::string left = scratch_.path(fmt::format("life {}", life_ + 1));
    std::filesystem::create_directories(left);
    if (!may_lose_power_) {
      std::string bytes = first_;
      for (const Event& event : events_) {
        if (event.call != Call::pages && event.call != Call::head) continue;
        bytes.resize(std::max(bytes.size(), event.offset + event.bytes.size()));
        bytes.replace(event.offset, event.bytes.size(), event.bytes);
      }
      write_bytes(left + "/laurel.mdb", bytes);
      return;
    }
    disk_->take(events_);
    disk_->leave(left + "/laurel.mdb", random_);
  }

  // ---- playing

  void step() {
    switch (random_() % 8) {
      case 0: *now_ += static_cast<Time>(random_() % 40) * kMinute; break;
      case 1:
      case 2: registry_->tick(); break;
      case 3: (void)registry_->flush(); break;
      case 4: (void)board("by hand").reset(); break;
      case 5: break_disk(); break;
      default: {
        Board& source = board(kSources[random_() % kSources.size()].name);
        const std::string player = fmt::format("p{}", random_() % 5);
        (void)source.submit(WriteMode::submit, {.player = player, .score = 5});
        break;
      }
    }
    (void)registry_->commit();
  }

  void break_disk() {
    if (!may_lose_power_) return;
    if (random_() % 3 == 0) {
      (void)faults::end();
      return;
    }
    ++tally_.faults;
    // Not the head: power that is lost between what LMDB writes after a failed write of it, and
    // what replaced_head.h puts back, leaves a file that is refused.
    faults::arm({.call = random_() % 2 == 0 ? Call::pages : Call::sync,
                 .nth = 1 + random_() % 4,
                 .for_ever = random_() % 4 == 0,
                 .error = random_() % 2 == 0 ? ENOSPC : EIO,
                 .way = static_cast<Fault::Way>(random_() % 3)});
  }

  Hearing hear(const EndedSeason& ended, std::string& error) {
    if (killed_) return Hearing::returned;  // the file of the next life has been taken
    if (may_fail_ && random_() % 4 == 0) {
      error = "not now";
      return Hearing::raised;
    }
    const std::string player = fmt::format("{}/{}", ended.board, ended.season.number);
    const auto dies_before = may_fail_ && random_() % 4 == 0 ? random_() % 6 : 99;
    std::uint64_t writes = 0;
    const auto write = [&](auto act) {
      if (writes++ == dies_before && !killed_) {
        ++tally_.in_handlers;
        kill();
      }
      act();
      REQUIRE(registry_->commit());
    };
    for (const SourceBoard& reward : kRewards) {
      write([&] { REQUIRE(board(reward.name).submit(WriteMode::add, {player, 1})); });
    }
    write([&] {
      REQUIRE(registry_->sessions().record({.player = player, .game = "g", .score = 1},
                                           registry_->now()));
    });
    write([&] { CHECK(!registry_->flush()); });
    ++tally_.told;
    return Hearing::returned;
  }

  // ---- counting

  void count() {
    for (const SourceBoard& source : kSources) board(source.name);  // ends what is due
    const std::vector<UnheardEnd> unheard = registry_->season_ends().unheard();
    for (const SourceBoard& source : kSources) {
      const std::uint64_t running = board(source.name).season().number;
      for (std::uint64_t season = 1; season < running; ++season) {
        CAPTURE(source.name);
        CAPTURE(season);
        const bool waits = std::ranges::any_of(unheard, [&](const UnheardEnd& end) {
          return end.board == source.name && end.season == season;
        });
        const double rewards = waits ? 0 : 1;
        const std::string player = fmt::format("{}/{}", source.name, season);
        for (const SourceBoard& reward : kRewards) {
          REQUIRE(board(reward.name).score(player).value_or(0) == rewards);
        }
        const auto profile = registry_->profiles().get(player);
        REQUIRE((profile ? static_cast<double>(profile->games_played) : 0) == rewards);
      }
    }
  }

  std::mt19937_64 random_;
  Durability durability_;
  std::shared_ptr<Time> now_;
  SeasonEndTally& tally_;
  Scratch scratch_;
  std::vector<std::string> log_;
  faults::Cure cure_;
  std::unique_ptr<Registry> registry_;
  int life_ = 0;
  bool killed_ = false;
  bool may_fail_ = true;
  bool may_lose_power_ =
      false;           // in this life; if not, the disk does not fail, and has every write
  std::string first_;  // the file when the life began
  std::optional<PowerDisk> disk_;
  std::vector<Event> events_;
};

}  // namespace

TEST_CASE("each season's end is rewarded once, whatever is killed, and however the disk fails") {
  const int kills = short_or_long(kSeasonEndKills, kSeasonEndKillsOfLong);
  SeasonEndTally tally;
  int killed = 0;
  for (std::uint64_t seed = 1; killed < kills; ++seed) {
    CAPTURE(seed);
    Rewarded game(seed, tally);
    for (int life = 0; life < kLivesOfGame && killed < kills; ++life, ++killed) {
      CAPTURE(life);
      game.live();
    }
    game.finish();
  }
  MESSAGE(killed << " kills, " << tally.in_handlers << " of them in handlers, " << tally.faults
                 << " faults, " << tally.told << " ends told");
  CHECK(tally.in_handlers > kills / 20);
}

}  // namespace laurel::crash
