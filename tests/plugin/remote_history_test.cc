// Compares the C interface's remote boards with local boards: the same calls, the same answers.
#include <cmath>
#include <limits>
#include <random>

#include "laurel/reads.h"
#include "plugin/remote_fixture.h"

using laurel::test::api;
using laurel::test::empty_spec;
using laurel::test::Host;
using laurel::test::remote;
using laurel::test::RemoteHost;
using laurel::test::shown;
using laurel::test::Told;

namespace {

constexpr int kHistories = 40;
constexpr int kSteps = 150;

std::string refused(laurel_code code, const std::string& text) {
  return fmt::format("{}: {}", code, text);
}

// A local and a remote board with the same spec, to which the same happens.
class Twins {
 public:
  explicit Twins(std::uint64_t seed) : random_(seed), shared_host_(weather(seed)) {
    laurel_spec spec = empty_spec();
    const laurel_field shards[] = {
        {"engine", "sharded", 0}, {"shards", nullptr, 3}, {"of", "ranked", 0}};
    if (seed % 2 == 0) {
      spec.fields = shards;
      spec.field_count = std::size(shards);
    }
    spec.order = pick({"desc", "asc"});
    spec.keep = pick({"best", "latest", "sum", "first"});
    spec.ties = pick({"earliest", "latest", "player", "player_desc"});
    spec.ranking = pick({"competition", "modified", "ordinal", "fractional"});
    spec.decimals = pick({nullptr, "0", "2"});
    spec.join = pick({"open", "open", "required"});
    local_ = local_host_.board("world", &spec);
    shared_ = shared_host_.board("world", spec);
  }

  void step() {
    shared_host_.tick();
    local_host_.now = *shared_host_.time.wall;
    const std::string player = fmt::format("p{}", random_() % 9);
    switch (random_() % 16) {
      case 0: remove(player); break;
      case 1: change(api().ban, remote().ban, player); break;
      case 2: change(api().unban, remote().unban, player); break;
      case 3: change(api().join, remote().join, player); break;
      case 4: change(api().leave, remote().leave, player); break;
      case 5: submit_all(); break;
      case 6:
        if (random_() % 4 == 0) reset();
        break;
      case 7: write(api().set, remote().set, player); break;
      case 8: write(api().add, remote().add, player); break;
      default: write(api().submit, remote().submit, player); break;
    }
  }

  // Compares everything that can be read.
  void compare() {
    const auto size = ask(remote().size);
    CHECK(size.size == api().size(local_host_.boards, local_));
    CHECK(ask(remote().season).number == api().season(local_host_.boards, local_));
    laurel_board_entry entries[16];
    const size_t all = api().top(local_host_.boards, local_, entries, 16);
    const std::string top = shown(entries, all);
    const Told told = shared_host_.top(shared_, 16);
    REQUIRE(told.entries == top);
    CHECK(told.size == size.size);
    compare_count(entries, all);
    for (int i = 0; i < 10; ++i) compare_player(fmt::format("p{}", i));
    const uint64_t first = random_() % 5;
    const size_t paged = api().page(local_host_.boards, local_, first, entries, 3);
    CHECK(shared_host_
              .ask([&](Told* asker) {
                return remote().page(shared_host_.boards, shared_, first, 3, Told::take, asker,
                                     nullptr);
              })
              .entries == shown(entries, paged));
    for (uint64_t season = 1; season < 4; ++season) compare_season(season);
  }

 private:
  static laurel::GameServer::Options weather(std::uint64_t seed) {
    laurel::GameServer::Options options;
    options.seed = seed;
    options.weather = {.delay_min = 0, .delay_max = 20'000};
    return options;
  }

  const char* pick(std::initializer_list<const char*> words) {
    return *(words.begin() + random_() % words.size());
  }

  template <typename Call>
  Told ask(Call call) {
    return shared_host_.ask([&](Told* told) {
      return call(shared_host_.boards, shared_, Told::take, told, &shared_host_.error);
    });
  }

  template <typename Here, typename There>
  void write(Here here, There there, const std::string& player) {
    laurel_details details{};
    details.struct_size = sizeof details;
    details.has_at = 1;
    details.at = local_host_.now + static_cast<int64_t>(random_() % 50) * 125'000;
    if (random_() % 3 == 0) {
      details.data = "some\0data";
      details.data_size = 9;
    }
    const double score = random_() % 20 == 0 ? NAN : static_cast<double>(random_() % 12);
    const char* const id = random_() % 20 == 0 ? "" : player.c_str();
    laurel_outcome outcome{};
    const laurel_code code =
        here(local_host_.boards, local_, id, score, &details, &outcome, &local_host_.error);
    const Told told = shared_host_.ask([&](Told* asker) {
      return there(shared_host_.boards, shared_, id, score, &details, Told::take, asker, nullptr);
    });
    REQUIRE(refused(told.code, told.text) == refused(code, local_host_.error.text));
    if (code != LAUREL_OK) return;
    CHECK(told.score == outcome.score);
    CHECK(told.changed == outcome.changed);
  }

  template <typename Here, typename There>
  void change(Here here, There there, const std::string& player) {
    const laurel_code code = here(local_host_.boards, local_, player.c_str(), &local_host_.error);
    const Told told = shared_host_.ask([&](Told* asker) {
      return there(shared_host_.boards, shared_, player.c_str(), Told::take, asker, nullptr);
    });
    REQUIRE(refused(told.code, told.text) == refused(code, local_host_.error.text));
  }

  void remove(const std::string& player) {
    const int32_t removed = api().remove(local_host_.boards, local_, player.c_str());
    const Told told = shared_host_.ask([&](Told* asker) {
      return remote().remove(shared_host_.boards, shared_, player.c_str(), Told::take, asker,
                             nullptr);
    });
    REQUIRE(told.code == LAUREL_OK);
    REQUIRE(told.changed == removed);
  }

  void submit_all() {
    std::vector<std::string> players;
    for (std::uint64_t i = random_() % 5; i > 0; --i) {
      players.push_back(random_() % 5 == 0 ? "" : fmt::format("p{}", random_() % 9));
    }
    std::vector<laurel_result> results;
    for (const std::string& player : players) {
      results.push_back({player.c_str(), static_cast<double>(random_() % 12), -1});
    }
    std::vector<laurel_result> local = results;
    const size_t changed = api().submit_all(local_host_.boards, local_, local.data(), local.size());
    const Told told = shared_host_.ask([&](Told* asker) {
      return remote().submit_all(shared_host_.boards, shared_, results.data(), results.size(),
                                 Told::take, asker, nullptr);
    });
    for (const laurel_result& result : results) CHECK(result.code == -1);
    REQUIRE(told.number == changed);
    REQUIRE(told.codes.size() == results.size());
    for (size_t i = 0; i < results.size(); ++i) CHECK(told.codes[i] == local[i].code);
  }

  void reset() {
    uint64_t ended = 0;
    REQUIRE(api().reset(local_host_.boards, local_, &ended, nullptr) == LAUREL_OK);
    CHECK(ask(remote().reset).number == ended);
  }

  void compare_count(const laurel_board_entry* entries, size_t all) {
    const double low = static_cast<double>(random_() % 12);
    uint64_t counted = 0;
    for (size_t i = 0; i < all; ++i) counted += entries[i].score >= low ? 1 : 0;
    const auto count = [&](double from) {
      return shared_host_
          .ask([&](Told* asker) {
            return remote().count(shared_host_.boards, shared_, from,
                                  std::numeric_limits<double>::infinity(), Told::take, asker,
                                  nullptr);
          })
          .number;
    };
    CHECK(count(low) == counted);
    CHECK(count(-std::numeric_limits<double>::infinity()) == all);
  }

  void compare_player(const std::string& player) {
    Told score;
    Told rank;
    Told around;
    const char* const id = player.c_str();
    const size_t n = random_() % 2;
    remote().score(shared_host_.boards, shared_, id, Told::take, &score, nullptr);
    remote().rank(shared_host_.boards, shared_, id, Told::take, &rank, nullptr);
    remote().around(shared_host_.boards, shared_, id, n, Told::take, &around, nullptr);
    for (int i = 0; i < 1'000 && score.times + rank.times + around.times < 3; ++i)
      shared_host_.tick();
    REQUIRE(score.times == 1);
    REQUIRE(rank.times == 1);
    REQUIRE(around.times == 1);

    double held = 0;
    CHECK(score.found == api().score(local_host_.boards, local_, id, &held));
    CHECK(score.score == held);
    uint64_t place = 0;
    uint64_t size = 0;
    CHECK(rank.found == api().rank(local_host_.boards, local_, id, &place, &size));
    CHECK(rank.rank == place);
    CHECK(rank.size == size);
    CHECK(score.rank == place);
    compare_places(place);
    laurel_board_entry entries[3];
    const size_t near = api().around(local_host_.boards, local_, id, n, entries);
    CHECK(around.entries == shown(entries, near));
  }

  // At a position, and around the score there.
  void compare_places(uint64_t position) {
    double score = 0;
    const int32_t found = api().reads->score_at(local_host_.boards, local_, 0, position, &score);
    const Told at = shared_host_.ask([&](Told* asker) {
      return remote().score_at(shared_host_.boards, shared_, position, Told::take, asker, nullptr);
    });
    CHECK(at.found == found);
    CHECK(at.score == score);
    laurel_board_entry entries[16];
    size_t count = 0;
    double rank = 0;
    api().reads->around_score(local_host_.boards, local_, 0, score, 2, entries, nullptr, &count,
                              &rank, nullptr);
    const Told around = shared_host_.ask([&](Told* asker) {
      return remote().around_score(shared_host_.boards, shared_, score, 2, Told::take, asker,
                                   nullptr);
    });
    CHECK(around.entries == shown(entries, count));
    CHECK(around.exact_rank == rank);
    const auto percent = static_cast<double>(random_() % 101);
    api().reads->top_percent(local_host_.boards, local_, 0, percent, entries, nullptr, 16, &count,
                             nullptr);
    const Told top = shared_host_.ask([&](Told* asker) {
      return remote().top_percent(shared_host_.boards, shared_, percent, Told::take, asker,
                                  nullptr);
    });
    CHECK(top.entries == shown(entries, count));
    int32_t any = 0;
    api().reads->score_at_percentile(local_host_.boards, local_, 0, percent, &any, &score, nullptr);
    const Told reached = shared_host_.ask([&](Told* asker) {
      return remote().score_at_percentile(shared_host_.boards, shared_, percent, Told::take, asker,
                                          nullptr);
    });
    CHECK(reached.found == any);
    if (any != 0) CHECK(reached.score == score);
  }

  void compare_season(uint64_t season) {
    laurel_board_entry entries[16];
    const size_t count = api().archived(local_host_.boards, local_, season, 1, entries, 16);
    const Told told = shared_host_.ask([&](Told* asker) {
      return remote().archived(shared_host_.boards, shared_, season, 1, 16, Told::take, asker,
                               nullptr);
    });
    if (told.code == LAUREL_UNKNOWN) {
      CHECK(count == 0);
    } else {
      CHECK(told.code == LAUREL_OK);
      CHECK(told.entries == shown(entries, count));
    }
  }

  std::mt19937_64 random_;
  Host local_host_;
  RemoteHost shared_host_;
  laurel_board local_{};
  laurel_board shared_{};
};

}  // namespace

TEST_CASE("a remote board answers as a local board does, over random histories") {
  for (std::uint64_t seed = 0; seed < kHistories; ++seed) {
    CAPTURE(seed);
    Twins twins(seed);
    for (int step = 0; step < kSteps; ++step) {
      CAPTURE(step);
      twins.step();
      if (step % 50 == 49) twins.compare();
    }
  }
}
