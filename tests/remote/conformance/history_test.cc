// Random histories on a remote board and its local twin: their answers never differ.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "twins.h"

namespace laurel {

namespace {

// And of seasons and attempts.
Fields fields_of_history(const RemoteCandidate& candidate, std::uint64_t draw) {
  Fields fields = random_fields(candidate, draw);
  std::mt19937_64 random(draw);
  random.discard(20);
  const auto pick = [&](std::initializer_list<std::string_view> words) {
    return *(words.begin() + random() % words.size());
  };
  if (random() % 2 == 0) {
    fields.push_back({"reset", pick({"0 */7 * * *", "30 20 * * *"})});
    fields.push_back({"zone", pick({"UTC", "Europe/Berlin", "Australia/Lord_Howe"})});
    if (random() % 2 == 0) fields.push_back({"duration", 5.0 * 3600});
  }
  if (random() % 2 == 0) fields.push_back({"attempts", static_cast<double>(2 + random() % 4)});
  const Spec bare = *laurel::spec(candidate.engines[draw % candidate.engines.size()]).create();
  if (random() % 2 == 0 && candidate.counts_players(bare)) fields.push_back({"capacity", 4.0});
  return fields;
}

class History {
 public:
  History(const RemoteCandidate& candidate, RemoteGround& ground, std::uint64_t seed)
      : random_(seed),
        owned_ids_(candidate.owned_ids),
        twins_(candidate, ground, fields_of_history(candidate, seed), Fixture::kStart, 2) {}

  void step() {
    twins_.now += static_cast<Time>(random_() % 3) * kSecond;
    if (random_() % 40 == 0) twins_.now += 13 * 3600 * kSecond;  // ids become old
    const std::string player = fmt::format("p{}", random_() % 9);
    switch (random_() % 26) {
      case 24: (void)ask(request::Attempts{player}); break;
      case 25:
        (void)ask(request::Grant{player, static_cast<std::int64_t>(random_() % 5) - 2});
        break;
      case 0: (void)ask(request::Remove{player}); break;
      case 1: ban(player); break;
      case 2: unban(player); break;
      case 3: write(player, WriteMode::set); break;
      case 4: write(player, WriteMode::hold); break;
      case 5: (void)ask(request::Join{.what = joining(player)}); break;
      case 6: (void)ask(request::Join{.what = joining(player), .with_score = true}); break;
      case 7: (void)ask(request::Leave{player}); break;
      case 8: forget(player); break;
      case 9: write_all(); break;
      case 10: judged(player); break;
      case 11: reset_sometimes(); break;
      case 12: change_sometimes(); break;
      case 13:
      case 14: write(player, WriteMode::add); break;
      default: write(player, WriteMode::submit); break;
    }
  }

  Twins& twins() { return twins_; }

 private:
  // Uses one of two servers at random.
  Result<Value> ask(Request what) { return twins_.ask(std::move(what), 0, random_() % 2); }

  OwnedSubmission result(const std::string& player) {
    OwnedSubmission what;
    what.player = player;
    // Halves and quarters show how decimals are handled, and their sums stay exact.
    what.score = static_cast<double>(random_() % 12) + (random_() % 4 == 0 ? 0.25 : 0);
    if (const ScoreColumns::Ptr& columns = twins_.spec().columns) set_values(*columns, what);
    if (random_() % 3 == 0) what.data = fmt::format("d{}", random_() % 3);
    what.at = seconds_from_time(Fixture::kStart) + static_cast<double>(random_() % 50) / 8;
    if (random_() % 4 == 0) what.id = id_of(player);
    return what;
  }

  // Values around the bounds of each column, mostly inside; or differences.
  void set_values(const ScoreColumns& columns, OwnedSubmission& what) {
    ColumnValues values{.values = {}, .count = columns.size()};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = static_cast<double>(random_() % 13) / 2 - (random_() % 3 == 0 ? 3 : 0);
      const bool from_min = random_() % 2 == 0 || columns[i].min > 0 || columns[i].max < 0;
      values.values[i] = value + (from_min ? columns[i].min : 0);
    }
    Submission submission;
    submission.set_values(columns, values);
    what.score = submission.score;
    if (submission.columns != nullptr) what.columns = values;
  }

  // What a rule lets the board hold is a score.
  OwnedSubmission ruled(OwnedSubmission what) {
    if (what.columns) what.score = twins_.spec().columns->lowest();
    what.columns.reset();
    return what;
  }

  // The score of a join has no id.
  OwnedSubmission joining(const std::string& player) {
    OwnedSubmission what = result(player);
    what.id.reset();
    return what;
  }

  std::string id_of(const std::string& player) {
    const std::string match = fmt::format("match {}", random_() % 6);
    return owned_ids_(twins_.spec()) ? fmt::format("{} of {}", match, player) : match;
  }

  // Mostly the next post of one of three servers, sometimes one that was sent before.
  std::optional<PostNumber> post(const std::string& player) {
    if (random_() % 3 != 0) return std::nullopt;
    const std::uint64_t server = 77 + random_() % 3;
    const auto lane = std::pair(lane_of(twins_.spec(), player), server);
    if (random_() % 4 == 0 && last_.contains(lane)) return last_[lane];
    PostNumber number{server, ++numbers_[server], 0};
    if (last_.contains(lane) && random_() % 2 == 0) number.before = last_[lane].number;
    last_[lane] = number;
    return number;
  }

  void write(const std::string& player, WriteMode how) {
    const OwnedSubmission what = result(player);
    (void)ask(request::Write{.how = how,
                             .what = how == WriteMode::hold ? ruled(what) : what,
                             .report = random_() % 3 == 0,
                             .expected = {},
                             .post = post(player)});
  }

  // As a rule does: reads the entry, and writes only if it has not changed.
  void judged(const std::string& player) {
    const Result<Value> held = ask(request::Held{player, id_of(player)});
    HeldEntry seen = std::get<HeldEntry>(*held);
    seen.repeats = false;
    if (random_() % 3 == 0) {
      const ScoreColumns::Ptr& columns = twins_.spec().columns;
      seen.score = columns ? columns->highest() : seen.score.value_or(0) + 1;
    }
    if (random_() % 2 == 0) {
      (void)ask(request::Write{.how = WriteMode::hold,
                               .what = ruled(result(player)),
                               .report = false,
                               .expected = seen,
                               .post = post(player)});
    } else {
      (void)ask(request::Join{.what = ruled(joining(player)),
                              .with_score = true,
                              .how = WriteMode::hold,
                              .expected = seen});
    }
  }

  void ban(const std::string& player) { (void)ask(request::Ban{player, post(player)}); }
  void unban(const std::string& player) { (void)ask(request::Unban{player, post(player)}); }
  void forget(const std::string& player) { (void)ask(request::Forget{player, post(player)}); }

  void write_all() {
    request::WriteAll all;
    for (std::uint64_t i = random_() % 6; i > 0; --i) {
      all.what.push_back(result(fmt::format("p{}", random_() % 9)));
      if (random_() % 6 == 0) all.what.back().player.clear();
      if (random_() % 8 == 0) {
        all.what.back().score = NAN;
        if (auto& columns = all.what.back().columns) columns->values[0] = NAN;
      }
      if (random_() % 12 == 0) all.what.back().id = "";
      if (random_() % 12 == 0) all.what.back().data.emplace(kDataBytesMax + 1, 'x');
    }
    (void)ask(std::move(all));
  }

  void reset_sometimes() {
    switch (random_() % 3) {
      case 0: (void)ask(request::Reset{}); break;
      case 1: (void)ask(request::Clear{}); break;
      default: break;
    }
  }

  void change_sometimes() {
    switch (random_() % 8) {
      case 6: twins_.change({{"attempts", static_cast<double>(1 + random_() % 6)}}); break;
      case 7: twins_.change({{"attempts", false}}); break;
      case 0: twins_.change({{"join", "required"}}); break;
      case 1: twins_.change({{"join", "open"}}); break;
      case 2: twins_.change({{"archive", static_cast<double>(random_() % 3)}}); break;
      case 3: change_ranking(); break;
      case 4: twins_.change({{"closes", seconds_from_time(twins_.now + 5 * kSecond)}}); break;
      default: twins_.change({{"closes", false}}); break;
    }
  }

  // Every other change is to dense ranks, and soon back.
  void change_ranking() {
    const bool is_dense = twins_.spec().ranking == Ranking::dense;
    constexpr std::string_view kOthers[] = {"competition", "modified", "ordinal"};
    twins_.change({{"ranking", is_dense ? kOthers[random_() % 3] : "dense"}});
  }

  std::mt19937_64 random_;
  std::function<bool(const Spec&)> owned_ids_;
  Twins twins_;
  std::map<std::uint64_t, std::uint64_t> numbers_;                    // by server: its last post
  std::map<std::pair<std::size_t, std::uint64_t>, PostNumber> last_;  // by lane and server
};

}  // namespace

TEST_CASE("a remote board and its local twin agree over random histories") {
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    for (int seed = 0; seed < candidate.histories; ++seed) {
      CAPTURE(seed);
      History history(candidate, ground, static_cast<std::uint64_t>(seed));
      for (int step = 0; step < candidate.steps; ++step) {
        CAPTURE(step);
        history.step();
        if (step % 40 == 39) history.twins().compare();
      }
      history.twins().compare();
    }
  });
}

}  // namespace laurel
