// Boards in a DynamoDB table compared with local ones: the same history, the same answers. Runs
// against Amazon's DynamoDB Local; skipped with a message if that cannot be fetched.
#include <random>

#include "board/board.h"
#include "local_engine.h"
#include "naive_order.h"
#include "sender.h"

using namespace laurel;

namespace {

// A local board and one in the table, with the same requests.
class Pair {
 public:
  Pair(const std::string& url, std::string name, Fields fields, std::uint64_t seed)
      : random_(seed), first_(url), second_(url) {
    for (const auto& field : fields) {
      if (field.first != "archive") stored_.push_back(field);
    }
    board_ = local_.open(name, fields);
    target_.board = name;
    target_.spec = std::make_shared<Spec>(board().spec());
    REQUIRE(first_.get<bool>(target_, request::WriteSpec{text_of(*target_.spec), 0}, *local_.now));
  }

  Board& board() { return *local_.registry->get(board_); }

  void step() {
    *local_.now += pick(0, 3) * kSecond;
    switch (pick(0, 19)) {
      case 0:
        return same(request::Remove{player()}, [&](auto& a) { return board().remove(a.player); });
      case 1:
        return same(request::Ban{player(), {}}, [&](auto& a) { return board().ban(a.player); });
      case 2:
      case 3:
        return same(request::Unban{player(), {}}, [&](auto& a) { return board().unban(a.player); });
      case 4:
        return same(request::Leave{player()}, [&](auto& a) { return board().leave(a.player); });
      case 5: return join();
      case 6:
        return same_count(pick(0, 9) > 0 ? Request(request::Forget{player(), {}})
                                         : Request(request::Clear{}));
      case 7:
        if (pick(0, 3) > 0) return write(WriteMode::set);
        return same_count(request::Reset{});
      case 8:
      case 9: return write(WriteMode::add);
      case 10: return report();
      default: return write(WriteMode::submit);
    }
  }

  void compare() {
    Board& oracle = board();
    CHECK(read<std::uint64_t>(request::Size{}) == oracle.size());
    CHECK(shown(page(0, 1000)) == shown([&](Entries& out) { oracle.read(0, 1000, out); }));
    const std::size_t first = static_cast<std::size_t>(pick(0, 12));
    const std::size_t n = static_cast<std::size_t>(pick(0, 6));
    CHECK(shown(page(first, n)) == shown([&](Entries& out) { oracle.read(first, n, out); }));
    CHECK(shown(read<Listed>(request::Bottom{n})) ==
          shown([&](Entries& out) { oracle.bottom(n, out); }));
    const std::string id = player();
    CAPTURE(id);
    CHECK(shown(read<Listed>(request::Around{id, n})) ==
          shown([&](Entries& out) { oracle.around(id, n, out); }));
    const ScoreRange range{static_cast<double>(pick(-2, 20)), static_cast<double>(pick(-2, 25))};
    CHECK(shown(read<Listed>(request::Between{range, n})) ==
          shown([&](Entries& out) { oracle.between(range, n, out); }));
    CHECK(read<std::uint64_t>(request::Count{range}) == oracle.count(range));
    const std::vector<std::string> ids = {player(), player(), player(), "nobody"};
    const std::vector<std::string_view> views(ids.begin(), ids.end());
    CHECK(shown(read<Listed>(request::Among{ids})) ==
          shown([&](Entries& out) { oracle.among(views, out); }));
    for (const Ranking ranking : kEveryRanking) {
      const auto there = read<std::optional<Standing>>(request::Rank{id, ranking});
      const auto here = oracle.rank(id, ranking);
      REQUIRE(there.has_value() == here.has_value());
      if (here) CHECK(std::pair(there->rank, there->size) == std::pair(here->rank, here->size));
    }
    const double score = pick(0, 20);
    CHECK(read<Rank>(request::RankOf{score}) == *oracle.rank_of(score));
    CHECK(read<std::optional<double>>(request::Percentile{id}) == oracle.percentile(id));
    CHECK(read<std::vector<std::string>>(request::Banned{}) == oracle.banned());
    CHECK(read<std::vector<std::uint64_t>>(request::Seasons{}) == oracle.seasons());
    const auto facts = read<SeasonFacts>(request::ReadSeason{});
    CHECK(facts.season.number == oracle.season().number);
    CHECK(facts.season.started == oracle.season().started);
    CHECK(facts.resets_at == oracle.resets_at());
    for (const std::uint64_t season : oracle.seasons()) {
      const ArchivedSeason* past = oracle.archived(season);
      if (past == nullptr) continue;
      Target target = target_;
      target.season = season;
      Listed list = sender().get<Listed>(target, request::Page{0, 1000}, *local_.now);
      CHECK(shown(list) == shown([&](Entries& out) { past->read(0, 1000, out); }));
      const auto ended = sender().get<SeasonFacts>(target, request::ReadSeason{}, *local_.now);
      CHECK(ended.season.ended == past->season().ended);
    }
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  // One of two servers at random.
  Sender& sender() { return pick(0, 1) == 0 ? first_ : second_; }
  std::string player() {
    static const std::vector<std::string> ids = {"alice", "bob",   "a#b", "~x", "zzzz",
                                                 "{a",    "émile", "p1",  "p2", "p3"};
    return ids[static_cast<std::size_t>(pick(0, 9))];
  }
  OwnedSubmission submission() {
    OwnedSubmission what{.player = player(), .score = static_cast<double>(pick(-1, 20))};
    if (target_.spec->decimals && *target_.spec->decimals > 0) what.score /= 4;
    if (pick(0, 20) == 0) what.score = 1e12;
    if (pick(0, 2) == 0) what.data = std::string(1, static_cast<char>(pick(0, 255)));
    what.at = 1000 + pick(0, 5);
    return what;
  }

  template <typename T>
  T read(Request what) {
    return sender().get<T>(target_, std::move(what), *local_.now);
  }
  Listed page(std::size_t first, std::size_t n) { return read<Listed>(request::Page{first, n}); }

  static std::string shown(const Entries& entries) {
    std::string text;
    for (const Entry& entry : entries) {
      text += fmt::format("{} {} {} {} {} {}\n", entry.rank, entry.player, entry.score, entry.at,
                          entry.data ? std::string(*entry.data) : "-", entry.overall);
    }
    return text;
  }
  static std::string shown(const Listed& list) { return shown(list.entries); }
  template <typename Read>
  requires std::is_invocable_v<Read, Entries&>
  static std::string shown(Read read) {
    Entries entries;
    read(entries);
    return shown(entries);
  }

  template <typename A, typename Here>
  void same(A what, Here here) {
    Result<Value> there = sender().ask(target_, what, *local_.now);
    const auto expected = here(what);
    REQUIRE(static_cast<bool>(there) == static_cast<bool>(expected));
    if (expected) {
      CHECK(std::get<bool>(*there) == *expected);
    } else {
      CHECK(there.refusal().text() == expected.refusal().text());
    }
  }
  void same_count(const Request& what) {
    std::uint64_t expected = 0;
    if (const auto* forget = std::get_if<request::Forget>(&what)) {
      expected = board().forget(forget->player);
    } else if (std::holds_alternative<request::Clear>(what)) {
      expected = *board().clear();
    } else {
      expected = *board().reset();
    }
    CHECK(read<std::uint64_t>(what) == expected);
  }
  void write(WriteMode how) {
    const request::Write what{.how = how, .what = submission(), .expected = {}, .post = {}};
    const Submission view = what.what.view();
    const Result<Outcome> here =
        how == WriteMode::set
            ? board().set(view)
            : board().submit(how == WriteMode::add ? WriteMode::add : WriteMode::submit, view);
    Result<Value> there = sender().ask(target_, what, *local_.now);
    CAPTURE(what.what.player);
    CAPTURE(what.what.score);
    if (!here || !there) {
      REQUIRE_FALSE(here);
      REQUIRE_FALSE(there);
      CHECK(there.refusal().text() == here.refusal().text());
      return;
    }
    const auto& written = std::get<Written>(*there);
    CHECK(written.score == here->score);
    CHECK(written.changed == here->changed);
  }
  void report() {
    const request::Write what{.what = submission(), .report = true, .expected = {}, .post = {}};
    const Result<Change> here = board().submit_report(what.what.view());
    Result<Value> there = sender().ask(target_, what, *local_.now);
    REQUIRE(static_cast<bool>(here) == static_cast<bool>(there));
    if (!here) return;
    const Change& change = *std::get<Written>(*there).change;
    CHECK(change.score == here->score);
    CHECK(change.previous == here->previous);
    CHECK(change.rank == here->rank);
    CHECK(change.previous_rank == here->previous_rank);
    CHECK(change.passed == here->passed);
    CHECK(change.at == here->at);
    CHECK(change.changed == here->changed);
  }
  void join() {
    const request::Join what{.what = submission(), .with_score = pick(0, 1) == 0, .expected = {}};
    const Result<bool> here = board().join(what.what.view(), what.with_score);
    Result<Value> there = sender().ask(target_, what, *local_.now);
    REQUIRE(static_cast<bool>(here) == static_cast<bool>(there));
    if (here) CHECK(std::get<Written>(*there).changed == *here);
  }

  std::minstd_rand random_;
  Fixture local_;
  BoardHandle board_;
  Fields stored_;
  Target target_;
  Sender first_;
  Sender second_;
};

void history(const std::string& name, const Fields& fields, int steps) {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(name);
  CAPTURE(seed);
  Pair pair(fresh_url(*endpoint), name, fields, seed);
  for (int i = 0; i < steps; ++i) {
    CAPTURE(i);
    pair.step();
    if (i % 4 == 0) pair.compare();
  }
}

}  // namespace

TEST_CASE("a padded board in DynamoDB answers as a local one") {
  history("season_3", {{"engine", "padded"}}, 150);
}

TEST_CASE("a padded board in DynamoDB with ties by time answers as a local one") {
  history("by time", {{"engine", "padded"}, {"ties", "earliest"}, {"keep", "latest"}}, 120);
}

TEST_CASE("an ascending board in DynamoDB with the latest tie first answers as a local one") {
  history("c#d", {{"engine", "padded"}, {"order", "asc"}, {"ties", "latest"}, {"keep", "first"}},
          120);
}

TEST_CASE("a padded board in DynamoDB with modified ranking answers as a local one") {
  history("turned", {{"engine", "padded"}, {"ties", "player"}, {"ranking", "modified"}}, 120);
}

TEST_CASE(
    "a DynamoDB board that sums decimals, with seasons and required joins, answers as a local "
    "one") {
  history("sums",
          {{"engine", "padded"},
           {"keep", "sum"},
           {"decimals", 2.0},
           {"join", "required"},
           {"reset", "* * * * *"},
           {"archive", 2.0},
           {"ranking", "ordinal"}},
          160);
}

TEST_CASE("a sharded board in DynamoDB answers as a local one") {
  history("shards",
          {{"engine", "sharded"},
           {"of", "padded"},
           {"shards", 3.0},
           {"ties", "earliest"},
           {"ranking", "dense"}},
          150);
}
