// Every remote that takes copies of past seasons answers from a copy as the local season did, for
// all engines and scores.
#include <random>

#include <doctest/doctest.h>

#include "base/hash.h"
#include "folder.h"
#include "remote/waiting_server.h"
#include "twins.h"

namespace laurel {

namespace {

RegistryOptions options_of(RemoteGround& ground, const std::string& path) {
  std::map<std::string, std::unique_ptr<Remote>> remotes;
  remotes.emplace("archive", ground.connect());
  return {.path = path,
          .clock = std::make_unique<TestClock>(Fixture::kStart + 400 * kDay),
          .remotes = std::make_unique<RemoteBoards>(std::move(remotes), 20 * kSecond),
          .secret = HashSecret::fixed(1)};
}

// A game server whose archive is the remote under test.
struct ArchivingServer : WaitingServer {
  ArchivingServer(RemoteGround& ground, const std::string& path)
      : WaitingServer(options_of(ground, path)) {}

  void copy_all() {
    tick_until([&] { return registry->board_to_copy() == nullptr; });
    REQUIRE(errors == std::vector<std::string>());
  }
  BoardHandle open(const Board& board, std::uint64_t season) {
    const KeptSpec kept = find_copy(board.name(), board.created(), season);
    REQUIRE(kept.exists);
    return *boards->open_copy(board.name(), board.created(), season, kept.spec);
  }
};

void each(const std::function<void(RemoteGround&)>& sentence) {
  each_remote([&](const RemoteCandidate&, RemoteGround& ground) {
    if (!ground.connect()->takes_copies()) return;
    sentence(ground);
  });
}

// Boards of every engine, with every form of score.
std::vector<Fields> all_fields() {
  return {{{"ties", "player"}},
          {{"order", "asc"}, {"ties", "latest"}, {"ranking", "dense"}},
          {{"order", "asc"}, {"ties", "player"}, {"ranking", "ordinal"}},
          {{"decimals", 2.0}, {"ties", "player_desc"}, {"ranking", "modified"}},
          {{"decimals", 0.0}, {"order", "asc"}, {"ties", "player_desc"}},
          {{"engine", "capped"}, {"cap", 7.0}, {"ranking", "modified"}},
          {{"engine", "padded"}},
          {{"engine", "padded"}, {"decimals", 3.0}, {"order", "asc"}, {"ties", "latest"}},
          {{"engine", "paged"}, {"ranking", "ordinal"}},
          {{"engine", "sharded"}, {"shards", 3.0}, {"ranking", "dense"}},
          {{"engine", "sharded"}, {"shards", 3.0}, {"of", "padded"}, {"ties", "player"}},
          {{"engine", "rolling"}, {"days", 7.0}}};
}

std::vector<std::string> players() {
  std::vector<std::string> ids = {"zzzz", "~x",       "\xc3\xa9mile", "{a", "a#b",
                                  "\xff", "\xff\xfe", "EMAIL#x",      "#"};
  for (int i = 0; i < 8; ++i) ids.push_back(fmt::format("p{}", i));
  ids.emplace_back(255, 'x');
  return ids;
}

double score_of(const Spec& spec, std::uint64_t draw) {
  if (keys_are_padded(spec)) return static_cast<double>(draw % 7) * 1000;
  if (spec.decimals) return (static_cast<double>(draw % 7) - 3) / 100;
  if (spec.engine == EngineKind::rolling) return static_cast<double>(draw % 5) + 0.1;
  constexpr double kScores[] = {
      0, 0.1, -0.1, 1e-300, -1e300, 1e300, 1.0 / 3, -7.25, 9007199254740993.0};
  return kScores[draw % std::size(kScores)];
}

void play(Board& board, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::string> ids = players();
  const bool adds = board.spec().engine == EngineKind::rolling;
  for (int i = 0; i < 60; ++i) {
    const std::string& id = ids[random() % ids.size()];
    const std::string data(random() % 3 == 0 ? 1024 : random() % 4, '\xfd');
    Submission submission{.player = id, .score = score_of(board.spec(), random())};
    if (random() % 2 == 0) submission.data = data;
    if (!adds && random() % 2 == 0) submission.at = 1000 + static_cast<double>(random() % 4) / 8;
    const Result<Outcome> outcome = board.submit(WriteMode::submit, submission);
    if (!outcome) FAIL(outcome.refusal().text());
  }
}

// A request, and the answer of the local season to it.
struct QueuedCall {
  Request what;
  std::function<Result<Value>(const Standings& season)> here;
};

template <typename Read>
std::function<Result<Value>(const Standings&)> listed(Read read) {
  return [read](const Standings& season) -> Result<Value> {
    Listed list;
    read(season, list.entries);
    list.size = season.size();
    for (Entry& entry : list.entries) {
      entry.player = list.entries.arena().keep(entry.player);
      if (entry.data) entry.data = list.entries.arena().keep(*entry.data);
    }
    return Value(std::move(list));
  };
}

void ask_about_player(const std::string& id, std::vector<QueuedCall>& all) {
  all.push_back({request::Get{id}, listed([id](const Standings& season, Entries& out) {
                   if (const auto entry = season.get(id)) out.add() = *entry;
                 })});
  for (const std::optional<Ranking> ranking :
       {std::optional<Ranking>(), std::optional(Ranking::modified), std::optional(Ranking::dense),
        std::optional(Ranking::ordinal), std::optional(Ranking::competition)}) {
    all.push_back({request::Rank{id, ranking},
                   [=](const Standings& season) { return Value(season.rank(id, ranking)); }});
  }
  all.push_back({request::Percentile{id},
                 [id](const Standings& season) { return Value(season.percentile(id)); }});
  for (const std::size_t n : {0, 2}) {
    all.push_back({request::Around{id, n}, listed([=](const Standings& season, Entries& out) {
                     season.around(id, n, out);
                   })});
  }
}

void ask_about_score(double score, std::vector<QueuedCall>& all) {
  all.push_back({request::RankOf{score}, [=](const Standings& season) -> Result<Value> {
                   const auto rank = season.rank_of(score);
                   if (!rank) return rank.refusal();
                   return Value(*rank);
                 }});
  all.push_back({request::AroundScore{score, 2}, [=](const Standings& season) -> Result<Value> {
                   Listed around;
                   const auto rank = season.around_score(score, 2, around.entries);
                   if (!rank) return rank.refusal();
                   around.size = season.size();
                   around.rank = *rank;
                   return Value(std::move(around));
                 }});
  const ScoreRange range{score, 1.0};
  all.push_back({request::Count{range}, [=](const Standings& season) {
                   return Value(std::uint64_t{season.count(range)});
                 }});
  all.push_back({request::Between{range, 5}, listed([=](const Standings& season, Entries& out) {
                   season.between(range, 5, out);
                 })});
}

std::vector<QueuedCall> calls(const Spec& spec) {
  std::vector<QueuedCall> all;
  all.push_back({request::Size{},
                 [](const Standings& season) { return Value(std::uint64_t{season.size()}); }});
  const std::vector<std::pair<std::size_t, std::size_t>> pages = {
      {0, SIZE_MAX}, {0, 3}, {2, 4}, {5, 100}, {100, 3}};
  for (const auto& each : pages) {
    const std::size_t first = each.first;
    const std::size_t n = each.second;
    all.push_back({request::Page{first, n}, listed([=](const Standings& season, Entries& out) {
                     season.read(first, n, out);
                   })});
  }
  all.push_back({request::Bottom{4},
                 listed([](const Standings& season, Entries& out) { season.bottom(4, out); })});
  for (const std::string_view id : {"a#b", "\xff", "\xc3\xa9mile", "p1", "p5"}) {
    ask_about_player(std::string(id), all);
  }
  ask_about_player("nobody", all);
  for (std::uint64_t draw = 0; draw < 9; ++draw) ask_about_score(score_of(spec, draw), all);
  all.push_back({request::Among{players()}, listed([](const Standings& season, Entries& out) {
                   const std::vector<std::string> ids = players();
                   season.among(std::vector<std::string_view>(ids.begin(), ids.end()), out);
                 })});
  if (spec.engine == EngineKind::sharded) {
    all.push_back({request::TopOnce{5, 0.5},
                   listed([](const Standings& season, Entries& out) { season.read(0, 5, out); })});
  }
  if (spec.engine == EngineKind::padded) {
    all.push_back({request::Key{"p1"}, [](const Standings& season) -> Result<Value> {
                     const auto key = season.key("p1");
                     if (!key) return key.refusal();
                     return Value(*key);
                   }});
  }
  return all;
}

std::vector<std::string> shown(const Standings& season, const std::vector<QueuedCall>& all) {
  std::vector<std::string> answers;
  for (const QueuedCall& each : all) answers.push_back(shown_answer(each.here(season)));
  return answers;
}

}  // namespace

TEST_CASE("S3-26: an archived season answers as the local one did, for all engines and scores") {
  each([](RemoteGround& ground) {
    const test::Folder folder;
    const std::string drawn = fmt::format("{:x}", random_u64());
    struct Ended {
      std::string name;
      std::vector<std::string> live;
      SeasonFacts facts;
    };
    std::vector<Ended> ended;
    {
      ArchivingServer server(ground, folder / "boards");
      for (Fields fields : all_fields()) {
        const std::string name = fmt::format("{} #{}", drawn, ended.size());
        fields.push_back({"archive", 0.0});
        const Result<BoardHandle> handle = server.registry->open(name, spec(fields));
        if (!handle) FAIL(handle.refusal().text());
        Board& board = *server.registry->get(*handle);
        play(board, ended.size());
        const std::size_t size = board.size();
        REQUIRE(size > 3);
        REQUIRE(board.reset());
        const ArchivedSeason& season = *board.archived(1);
        ended.push_back({name,
                         shown(season, calls(board.spec())),
                         {season.season(), board.created(), {}, size}});
      }
      server.copy_all();
      REQUIRE(server.registry->close());
    }
    ArchivingServer server(ground, folder / "boards");  // as after a restart
    for (const Ended& each : ended) {
      CAPTURE(each.name);
      const Board& board = *server.registry->get(*server.registry->find(each.name));
      REQUIRE(board.archived(1) == nullptr);
      const BoardHandle copy = server.open(board, 1);
      const std::vector<QueuedCall> all = calls(board.spec());
      for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(i);
        CHECK(shown_answer(server.ask(copy, all[i].what, 1)) == each.live[i]);
      }
      CHECK(shown_answer(server.ask(copy, request::ReadSeason{}, 1)) ==
            shown_answer(Value(each.facts)));
      CHECK(verdict(server.ask(copy, request::Write{.what = {.player = "p1", .score = 1}}, 1)) ==
            "closed");
    }
  });
}

TEST_CASE("S3-26: a season copied in several requests is complete, and cannot be read before") {
  each([](RemoteGround& ground) {
    ArchivingServer server(ground, "");
    const std::string name = fmt::format("{:x}", random_u64());
    const Result<BoardHandle> handle = server.registry->open(name, spec({{"archive", 0.0}}));
    REQUIRE(handle);
    Board& board = *server.registry->get(*handle);
    for (int i = 0; i < 450; ++i) {
      REQUIRE(board.submit(WriteMode::submit, result(fmt::format("{}/p{}", name, i), i % 50)));
    }
    REQUIRE(board.reset());
    const std::string live = table(*board.archived(1));
    server.tick_until([&] { return !board.past_seasons().next_to_copy()->to_copy()->empty(); });
    CHECK_FALSE(server.find_copy(board.name(), board.created(), 1).exists);
    server.copy_all();
    const BoardHandle copy = server.open(board, 1);
    const Result<Value> page = server.ask(copy, request::Page{0, 1000}, 1);
    REQUIRE(page);
    CHECK(table(std::get<Listed>(*page).entries) == live);

    // A forgotten player is removed from the copy and its size.
    REQUIRE(server.registry->forget(fmt::format("{}/p7", name)));
    server.tick_until([&] {
      const Result<Value> size = server.ask(copy, request::Size{}, 1);
      return size && std::get<std::uint64_t>(*size) == 449;
    });
    const Result<Value> after = server.ask(copy, request::Page{0, 1000}, 1);
    REQUIRE(after);
    CHECK(std::get<Listed>(*after).entries.size() == 449);
    CHECK(shown_answer(server.ask(copy, request::Get{fmt::format("{}/p7", name)}, 1)) ==
          "of 449: ");
  });
}

}  // namespace laurel
