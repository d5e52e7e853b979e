// The set of distinct scores that boards of one shard with dense ranks have, and what boards
// without it pay.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../conformance/twins.h"
#include "long_form.h"
#include "poster.h"
#include "remote/limits.h"
#include "remote/redis/keys.h"
#include "shared_servers.h"

namespace laurel {

namespace {

// Members have no bytes of a time, so that redis-cli shows each on one line.
Spec spec_with(Fields fields) {
  fields.push_back({"ties", "player"});
  fields.push_back({"keep", "latest"});
  fields.push_back({"archive", 2.0});
  return *laurel::spec(fields).create();
}

request::Write write_of(std::string player, double score) {
  request::Write write;
  write.what = {.player = std::move(player), .score = score};
  return write;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What a shard has in Redis.
struct Shown {
  std::set<double> scores;            // of the entries
  std::set<double> distinct;          // in the set
  std::optional<double> complete_to;  // nothing: there is no such set
};

Shown look(const RedisServers& servers, const std::string& board, std::uint64_t season) {
  const redis::ShardKeys keys(board, 0);
  const auto pairs = [&](const std::string& key) {
    const auto lines = lines_of(servers.ask(0, "ZRANGE '" + key + "' 0 -1 WITHSCORES"));
    std::vector<std::pair<std::string, double>> found;
    for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
      found.emplace_back(lines[i], std::strtod(lines[i + 1].c_str(), nullptr));
    }
    return found;
  };
  Shown shown;
  for (const auto& [member, score] : pairs(keys.scores(season))) shown.scores.insert(score);
  for (const auto& [member, score] : pairs(keys.distinct(season))) {
    if (member == "to") {
      shown.complete_to = score;
    } else {
      CHECK(std::strtod(member.c_str(), nullptr) == score);
      CHECK(shown.distinct.insert(score).second);
    }
  }
  return shown;
}

std::string text_of(const std::set<double>& scores) {
  return fmt::format("{}", fmt::join(scores, " "));
}

std::uint64_t dense_rank(Poster& server, const std::string& player) {
  const Result<Value> rank = server.ask(request::Rank{player, Ranking::dense});
  if (!rank) FAIL(rank.refusal().text());
  const auto& standing = std::get<std::optional<Standing>>(*rank);
  return standing ? standing->rank.whole() : 0;
}

// Which commands ran, and how often, since the server's counters began: without ours, and without
// the look at the board that comes every second.
std::string commands_run(const RedisServers& servers) {
  std::string text;
  auto lines = lines_of(servers.ask(0, "INFO commandstats"));
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) {
    constexpr std::string_view kStart = "cmdstat_";
    constexpr std::string_view kCalls = ":calls=";
    const std::size_t calls = line.find(kCalls);
    if (!line.starts_with(kStart) || calls == std::string::npos) continue;
    const std::string name = line.substr(kStart.size(), calls - kStart.size());
    if (name == "info" || name == "config|resetstat" || name == "hgetall") continue;
    text += fmt::format("{} {}, ", name, std::atoi(line.c_str() + calls + kCalls.size()));
  }
  return text;
}

// Updates an entry whose former score another entry has, too, and returns the commands that ran.
std::string commands_of_update(const RedisServers& servers, const char* ranking) {
  const Spec spec = *laurel::spec({{"keep", "latest"}, {"ranking", ranking}}).create();
  Poster server(servers.url(), new_name(), spec);
  REQUIRE(server.create());
  REQUIRE(server.ask(write_of("p", 1)));
  REQUIRE(server.ask(write_of("q", 1)));
  servers.ask(0, "CONFIG RESETSTAT");
  REQUIRE(server.ask(write_of("p", 2)));
  return commands_run(servers);
}

std::string keys_like(const RedisServers& servers, const std::string& board) {
  const std::string base = redis::ShardKeys(board, 0).scores(0);
  return servers.ask(0, "KEYS '" + base.substr(0, base.find('}')) + "}*'");
}

}  // namespace

TEST_CASE("a board without dense ranks runs no command more, and has no set of distinct scores") {
  const auto servers = RedisServers::one();  // others would count, too
  if (!servers) return;
  CHECK(commands_of_update(*servers, "competition") ==
        "evalsha 1, exists 1, hincrby 1, hmget 2, hset 2, spublish 1, time 1, zadd 1, zmscore 1, "
        "zrem 1, zrevrange 1, ");
  CHECK(servers->ask(0, "KEYS '*distinct*'").find("distinct") == std::string::npos);
  // With dense ranks: whether another entry has the former score, and the new one in the set.
  CHECK(commands_of_update(*servers, "dense") ==
        "evalsha 1, exists 1, hincrby 1, hmget 2, hset 2, spublish 1, time 1, zadd 2, zcount 1, "
        "zmscore 1, zrem 1, zrevrange 1, ");
}

TEST_CASE("the set has exactly the scores of the entries, whatever was written") {
  RedisServers* const servers = one_redis();
  if (servers == nullptr) return;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const char* order : {"desc", "asc"}) {
    const std::string name = new_name();
    const Spec dense = spec_with({{"ranking", "dense"}, {"order", order}});
    Poster server(servers->url(), name, dense);
    REQUIRE(server.create());
    std::uint64_t season = 1;
    constexpr double kScores[] = {
        0.1, -0.1, 0.30000000000000004, 1e300, -1e300, 5e-324, 1.0 / 3, 0, 3, 3.5, 1e17};
    // A wrong score stays in the set. Looking takes longer than many writes: two programs a season.
    const int steps_per_look = long_form() ? 1 : 5;
    for (int step = 1; step <= 300; ++step) {
      CAPTURE(step);
      const std::string player = fmt::format("p{}", random() % 8);
      Request what = request::Remove{player};
      switch (random() % 16) {
        case 0: break;
        case 1: what = request::Ban{player, {}}; break;
        case 2:
        case 3: what = request::Unban{player, {}}; break;
        case 4: what = request::Forget{player, {}}; break;
        case 5: what = request::Leave{player}; break;
        case 6:
          if (random() % 4 == 0) {
            what = request::Reset{};
            ++season;
          }
          break;
        case 7:
          if (random() % 4 == 0) what = request::Clear{};
          break;
        case 8: {
          request::WriteAll all;
          for (int i = 0; i < 5; ++i) {
            const std::string each = fmt::format("p{}", random() % 8);
            all.what.push_back(write_of(each, kScores[random() % std::size(kScores)]).what);
          }
          what = std::move(all);
          break;
        }
        default: {
          request::Write write = write_of(player, kScores[random() % std::size(kScores)]);
          write.report = random() % 2 == 0;
          what = std::move(write);
        }
      }
      (void)server.ask(std::move(what));
      if (step % steps_per_look != 0) continue;
      for (std::uint64_t each = season > 2 ? season - 2 : 1; each <= season; ++each) {
        CAPTURE(each);
        const Shown shown = look(*servers, name, each);
        CHECK(text_of(shown.distinct) == text_of(shown.scores));
        if (shown.complete_to) CHECK(std::isinf(*shown.complete_to));
        if (!shown.scores.empty()) CHECK(shown.complete_to);
      }
    }
    CHECK(std::get<bool>(*server.ask(request::Drop{})));
    CHECK(keys_like(*servers, name).find("laurel") == std::string::npos);
  }
}

TEST_CASE("a ranking that becomes dense later is right at once, and reads make the set in steps") {
  RedisServers* const servers = one_redis();
  if (servers == nullptr) return;
  constexpr std::size_t kEntries = 5 * kRedisDistinctAtOnce;
  const std::string name = new_name();
  Poster server(servers->url(), name, spec_with({}));
  REQUIRE(server.create());
  request::WriteAll all;
  for (std::size_t i = 0; i < kEntries; ++i) {  // two entries for each score
    all.what.push_back(write_of(fmt::format("p{}", i), static_cast<double>(i / 2)).what);
  }
  REQUIRE(server.ask(all));
  const Spec dense = spec_with({{"ranking", "dense"}});
  Poster knows(servers->url(), name, dense);
  REQUIRE(std::get<bool>(*knows.ask(request::WriteSpec{text_of(dense), 1})));

  const auto rank_of_score = [&](std::size_t score) { return kEntries / 2 - score; };
  const std::size_t third = kEntries / 2 - 3;
  CHECK(dense_rank(knows, fmt::format("p{}", 2 * third)) == rank_of_score(third));
  Shown shown = look(*servers, name, 1);
  CHECK(shown.distinct.size() >= 3);
  CHECK(shown.distinct.size() < 2 * kRedisDistinctAtOnce);
  CHECK(*shown.complete_to == *shown.distinct.begin());
  // What is written meanwhile, on both sides of what is complete.
  REQUIRE(knows.ask(write_of("p0", 1e6)));
  REQUIRE(knows.ask(write_of("p2", 0.5)));
  REQUIRE(knows.ask(request::Remove{"p3"}));
  CHECK(dense_rank(knows, "p2") == kEntries / 2);  // 1e6, and all from 2 to the best
  CHECK(dense_rank(knows, "p1") == kEntries / 2 + 1);
  shown = look(*servers, name, 1);
  CHECK(text_of(shown.distinct) == text_of(shown.scores));
  CHECK(std::isinf(*shown.complete_to));
}

TEST_CASE("a server that does not know yet that ranks are dense cannot make them wrong") {
  RedisServers* const servers = one_redis();
  if (servers == nullptr) return;
  const std::string name = new_name();
  Poster old(servers->url(), name, spec_with({}));
  REQUIRE(old.create());
  REQUIRE(old.ask(write_of("p", 5)));
  REQUIRE(old.ask(write_of("q", 4)));
  const Spec dense = spec_with({{"ranking", "dense"}});
  Poster knows(servers->url(), name, dense);
  REQUIRE(std::get<bool>(*knows.ask(request::WriteSpec{text_of(dense), 1})));
  CHECK(dense_rank(knows, "q") == 2);
  CHECK(look(*servers, name, 1).complete_to);
  // `old` has read the spec less than a second ago, unless this machine is slow.
  REQUIRE(old.ask(write_of("r", 6)));
  CHECK(dense_rank(knows, "q") == 3);
  REQUIRE(old.ask(request::Remove{"r"}));
  CHECK(dense_rank(knows, "q") == 2);
  REQUIRE(knows.ask(write_of("r", 5)));
  REQUIRE(old.ask(request::Clear{}));
  REQUIRE(knows.ask(write_of("q", 1)));
  CHECK(dense_rank(knows, "q") == 1);
}

TEST_CASE("a ranking that is dense no longer ends the set with the next write") {
  RedisServers* const servers = one_redis();
  if (servers == nullptr) return;
  const std::string name = new_name();
  const Spec dense = spec_with({{"ranking", "dense"}});
  Poster server(servers->url(), name, dense);
  REQUIRE(server.create());
  REQUIRE(server.ask(write_of("p", 5)));
  REQUIRE(server.ask(write_of("q", 5)));
  REQUIRE(server.ask(write_of("r", 4)));
  REQUIRE(server.ask(request::Reset{}));
  REQUIRE(server.ask(write_of("p", 7)));
  const Spec other = spec_with({{"ranking", "competition"}});
  Poster changes(servers->url(), name, other);
  REQUIRE(std::get<bool>(*changes.ask(request::WriteSpec{text_of(other), 1})));
  REQUIRE(changes.ask(write_of("q", 8)));
  CHECK_FALSE(look(*servers, name, 2).complete_to);
  CHECK(look(*servers, name, 1).complete_to);  // a past season keeps its own ranking
  CHECK(dense_rank(changes, "p") == 2);        // also as a rank in another mode
}

TEST_CASE("dense ranks over several shards, and in another mode than the board's, are exact") {
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::vector<Fields> boards = {
      {{"engine", "sharded"}, {"shards", 3.0}, {"ranking", "dense"}},
      {{"engine", "sharded"}, {"shards", 3.0}, {"ranking", "dense"}, {"order", "asc"}},
      {{"ranking", "modified"}}};
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    for (const Fields& fields : boards) {
      Twins twins(candidate, ground, fields, Fixture::kStart);
      const std::size_t size = 5 * kRedisDistinctAtOnce;
      for (std::size_t first = 0; first < size; first += 1000) {
        request::WriteAll all;
        for (std::size_t i = first; i < first + 1000; ++i) {
          OwnedSubmission& each = all.what.emplace_back();
          each.player = fmt::format("p{}", i);
          each.score = static_cast<double>(random() % size);
          each.at = 1000.0 + static_cast<double>(i);
        }
        (void)twins.ask(std::move(all));
      }
      for (int i = 0; i < 4; ++i) {
        const std::string player = fmt::format("p{}", random() % size);
        (void)twins.ask(request::Rank{player, Ranking::dense});
        (void)twins.ask(request::Page{random() % size, 30});
        (void)twins.ask(request::Around{player, 3});
        (void)twins.ask(request::Get{player});
        (void)twins.ask(request::RankOf{static_cast<double>(random() % size)});
        (void)twins.ask(request::Among{{player, "p1", "p2", "p3"}});
        request::Write write = write_of(player, static_cast<double>(random() % size));
        write.what.at = 5000.0 + i;
        write.how = WriteMode::set;
        write.report = true;
        (void)twins.ask(std::move(write));
      }
    }
  });
}

}  // namespace laurel
