// Copies of past seasons of shared boards: a remote that takes no copies lists a season's rows from
// any position, and a remote that takes copies has servers write them in turns.
#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "remote/limits.h"
#include "twins.h"

namespace laurel {

namespace {

constexpr Time kNow = Fixture::kStart + 400 * kDay;

// each "p1 5 @7 data"; sorted
using Rows = std::vector<std::string>;

std::string shown_row(std::string_view player, double score, Time at,
                      const std::optional<std::string>& data) {
  return fmt::format("{} {} @{} {}", player, score, at, data.value_or("-"));
}

Rows shown_rows(const Spec& spec, const std::vector<CopiedRow>& rows) {
  const ScoreForm form(spec.order, spec.decimals);
  Rows all;
  for (const CopiedRow& row : rows) {
    all.push_back(shown_row(row.player, form.score(row.score), row.at, row.data));
  }
  std::ranges::sort(all);
  return all;
}

Rows rows_of_season(Twins& twins, std::uint64_t season) {
  const Listed page = twins.get<Listed>(request::Page{0, 1000}, season);
  Rows all;
  for (const Entry& entry : page.entries) {
    std::optional<std::string> data;
    if (entry.data) data = std::string(*entry.data);
    all.push_back(shown_row(entry.player, entry.score, entry.at, data));
  }
  std::ranges::sort(all);
  return all;
}

// Runs the test on remotes that list a season's rows, with boards whose first season has ended.
void each_season(const std::function<void(Twins&, std::mt19937_64&)>& sentence) {
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      Fields fields = random_fields(candidate, seed);
      fields.push_back({"archive", 2.0});
      Twins twins(candidate, ground, fields, kNow);
      for (int i = 0; i < 120; ++i) {
        request::Write write;
        write.what = {.player = fmt::format("p{}", random() % 60),
                      .score = static_cast<double>(random() % 6),
                      .data = {},
                      .at = 1000.0 + static_cast<double>(random() % 3)};
        if (const ScoreColumns::Ptr& columns = twins.spec().columns) {
          ColumnValues values = columns->values(columns->lowest());
          values.values[0] = (*columns)[0].min + write.what.score;
          write.what.score = *columns->number(values);
        }
        if (random() % 3 == 0) write.what.data = std::string(random() % 3, '\xfd');
        (void)twins.ask(write);
      }
      (void)twins.ask(request::Reset{});
      const Result<Value> first = twins.ask_candidate(request::ReadRows{.from = "", .n = 1}, 1);
      if (verdict(first) == "unsupported") break;
      sentence(twins, random);
    }
  });
}

// Reads the rows from the position on, a random number at a time.
std::vector<CopiedRow> read_on(Twins& twins, std::string place, std::mt19937_64& random) {
  std::vector<CopiedRow> rows;
  for (int reads = 0;; ++reads) {
    REQUIRE(reads < 1000);
    const std::size_t n = 1 + random() % kCopyTurnRows;
    const Result<Value> value = twins.ask_candidate(request::ReadRows{.from = place, .n = n}, 1);
    if (!value) FAIL(value.refusal().text());
    const SeasonRows& read = std::get<SeasonRows>(*value);
    CHECK(read.rows.size() <= n);
    rows.insert(rows.end(), read.rows.begin(), read.rows.end());
    if (read.last) return rows;
    REQUIRE(read.to != place);
    place = read.to;
  }
}

// One connection, used as a server uses it.
class Line {
 public:
  explicit Line(std::unique_ptr<Remote> remote) : remote_(std::move(remote)) {}

  Result<Value> ask(Target target, Request what, Time now) {
    remote_->ask({.id = ++last_,
                  .target = std::move(target),
                  .what = std::move(what),
                  .now = now,
                  .deadline = steady_now() + 20 * kSecond});
    for (;;) {
      News news;
      remote_->take(news);
      for (Answer& answer : news.answers) {
        if (answer.id == last_) return std::move(answer.value);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  template <typename T>
  T get(Target target, Request what, Time now) {
    Result<Value> value = ask(std::move(target), std::move(what), now);
    if (!value) FAIL(value.refusal().text());
    return std::move(std::get<T>(*value));
  }

 private:
  std::unique_ptr<Remote> remote_;
  RequestId last_ = 0;
};

void each_archive(const std::function<void(Line& line, const Target& copy)>& sentence) {
  each_remote([&](const RemoteCandidate&, RemoteGround& ground) {
    if (!ground.connect()->takes_copies()) return;
    Line line(ground.connect());
    sentence(line, {.board = fmt::format("{:x}", random_u64()),
                    .spec = std::make_shared<const Spec>(),
                    .season = 3,
                    .copy_of = kNow - kDay});
  });
}

request::CopySeason copying(const CopyTurn& turn, int from, int to, bool last = false) {
  request::CopySeason what{.season = {.number = 3, .started = kNow - kDay, .ended = kNow},
                           .size = 0,
                           .rows = {},
                           .last = last,
                           .turn = turn};
  for (int i = from; i < to; ++i) {
    const ScoreKey score = *ScoreForm(Order::desc, std::nullopt).key(i);
    what.rows.push_back({.player = fmt::format("p{}", i), .score = score, .at = i, .data = {}});
  }
  return what;
}

}  // namespace

TEST_CASE("the rows of a past season are read once each, for any number of rows per request") {
  each_season([](Twins& twins, std::mt19937_64& random) {
    const Rows there = rows_of_season(twins, 1);
    CHECK(shown_rows(twins.spec(), read_on(twins, "", random)) == there);
  });
}

TEST_CASE("a player forgotten while rows are read takes no other row along") {
  each_season([](Twins& twins, std::mt19937_64& random) {
    const std::size_t n = 1 + random() % 20;
    const Result<Value> value = twins.ask_candidate(request::ReadRows{.from = "", .n = n}, 1);
    REQUIRE(value);
    std::vector<CopiedRow> rows = std::get<SeasonRows>(*value).rows;
    REQUIRE(rows.size() == n);
    (void)twins.ask(request::Forget{rows.back().player, {}});
    (void)twins.ask(request::Forget{rows.front().player, {}});
    rows.pop_back();
    if (!rows.empty()) rows.erase(rows.begin());
    const std::vector<CopiedRow> others = read_on(twins, std::get<SeasonRows>(*value).to, random);
    rows.insert(rows.end(), others.begin(), others.end());
    CHECK(shown_rows(twins.spec(), rows) == rows_of_season(twins, 1));
  });
}

TEST_CASE("an invalid row position or season is refused") {
  each_season([](Twins& twins, std::mt19937_64&) {
    const Result<Value> value =
        twins.ask_candidate(request::ReadRows{.from = "no place", .n = 3}, 1);
    CHECK((value || verdict(value) == "bad_data"));
    CHECK(verdict(twins.ask_candidate(request::ReadRows{.from = "", .n = 3}, 7)) == "unknown");
  });
}

TEST_CASE("the server whose turn it is copies a season, and the next continues from its position") {
  each_archive([](Line& line, const Target& copy) {
    CopyStand stand = line.get<CopyStand>(copy, request::TakeCopy{7}, kNow);
    CHECK_FALSE((stand.whole || stand.is_anothers));
    CHECK(stand.to.empty());
    CopyTurn turn{.token = 7, .forgets = stand.forgets, .from = "", .to = "a \xff"};
    CHECK(line.get<bool>(copy, copying(turn, 0, kCopyTurnRows), kNow));
    CHECK_FALSE(line.get<bool>(copy, copying(turn, 0, kCopyTurnRows), kNow));  // already there
    CHECK(line.get<CopyStand>(copy, request::TakeCopy{8}, kNow + kCopyTurn - 1).is_anothers);
    CHECK(line.get<CopyStand>(copy, request::TakeCopy{7}, kNow).to == "a \xff");
    CHECK_FALSE(line.get<KeptSpec>(copy, request::ReadCopy{}, kNow).exists);

    stand = line.get<CopyStand>(copy, request::TakeCopy{8}, kNow + kCopyTurn);
    CHECK_FALSE(stand.is_anothers);
    CHECK(stand.to == "a \xff");
    turn.from = turn.to;
    turn.to = "b";
    CHECK_FALSE(line.get<bool>(copy, copying(turn, 49, 60), kNow));  // server 7 has lost the turn
    turn.token = 8;
    CHECK(line.get<bool>(copy, copying(turn, 49, 60), kNow));
    turn.from = turn.to;
    CHECK(line.get<bool>(copy, copying(turn, 0, 0, true), kNow));
    CHECK(line.get<KeptSpec>(copy, request::ReadCopy{}, kNow).exists);
    CHECK(line.get<CopyStand>(copy, request::TakeCopy{9}, kNow).whole);
    CHECK(line.get<std::uint64_t>(copy, request::Size{}, kNow) == 60);
    const Listed page = line.get<Listed>(copy, request::Page{0, 100}, kNow);
    CHECK(page.entries.size() == 60);
    CHECK(page.entries[0].player == "p59");
  });
}

TEST_CASE("forgetting a player ends the current copy turn, and the copy's size is right") {
  each_archive([](Line& line, const Target& copy) {
    CopyStand stand = line.get<CopyStand>(copy, request::TakeCopy{7}, kNow);
    CopyTurn turn{.token = 7, .forgets = stand.forgets, .from = "", .to = "a"};
    CHECK(line.get<bool>(copy, copying(turn, 0, 10), kNow));
    CHECK(line.get<std::uint64_t>({}, request::ForgetCopied{"p3"}, kNow) >= 1);
    turn.from = turn.to;
    turn.to = "b";
    CHECK_FALSE(line.get<bool>(copy, copying(turn, 10, 20), kNow));
    stand = line.get<CopyStand>(copy, request::TakeCopy{7}, kNow);
    CHECK(stand.forgets > turn.forgets);
    CHECK(stand.to == "a");
    turn.forgets = stand.forgets;
    CHECK(line.get<bool>(copy, copying(turn, 10, 20, true), kNow));
    CHECK(line.get<std::uint64_t>(copy, request::Size{}, kNow) == 19);
    CHECK(line.get<Listed>(copy, request::Get{"p3"}, kNow).entries.empty());
    CHECK(line.get<std::uint64_t>({}, request::ForgetCopied{"p15"}, kNow) >= 1);
    CHECK(line.get<std::uint64_t>(copy, request::Size{}, kNow) == 18);
  });
}

TEST_CASE("of two servers that take the copy turn at once, one has it") {
  each_archive([](Line& line, const Target& copy) {
    const CopyStand first = line.get<CopyStand>(copy, request::TakeCopy{7}, kNow);
    const CopyStand second = line.get<CopyStand>(copy, request::TakeCopy{8}, kNow);
    CHECK_FALSE(first.is_anothers);
    CHECK(second.is_anothers);
    CopyTurn turn{.token = 8, .forgets = second.forgets, .from = "", .to = "a"};
    CHECK_FALSE(line.get<bool>(copy, copying(turn, 0, 1), kNow));
    turn.token = 7;
    CHECK(line.get<bool>(copy, copying(turn, 0, 1), kNow));
  });
}

}  // namespace laurel
