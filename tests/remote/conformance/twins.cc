#include "twins.h"

#include <chrono>
#include <map>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "naive_order.h"
#include "remote/request/spec_codec.h"

namespace laurel {

namespace {

std::string shown(const Entry& entry) {
  return fmt::format("{} {} {:.17g} at {} data {} overall {}; ", entry.rank, entry.player,
                     entry.score, entry.at,
                     entry.data ? "'" + std::string(*entry.data) + "'" : "none", entry.overall);
}

template <typename T>
std::string shown_optional(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string("none");
}

struct Shower {
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::uint64_t number) const { return fmt::format("{}", number); }
  std::string operator()(Rank rank) const { return fmt::format("rank {}", rank); }
  std::string operator()(const std::optional<double>& number) const {
    return number ? fmt::format("{:.17g}", *number) : "none";
  }
  std::string operator()(const std::optional<std::string>& text) const {
    return text ? "'" + *text + "'" : "none";
  }
  std::string operator()(const std::vector<std::string>& list) const {
    return fmt::format("[{}]", fmt::join(list, ", "));
  }
  std::string operator()(const std::vector<std::uint64_t>& list) const {
    return fmt::format("[{}]", fmt::join(list, ", "));
  }
  std::string operator()(const std::optional<Standing>& standing) const {
    return standing ? fmt::format("{} of {}", standing->rank, standing->size) : "none";
  }
  std::string operator()(const KeptSpec& spec) const {
    std::string text = fmt::format("{} revision {}:", spec.exists, spec.revision);
    for (const auto& [field, value] : spec.spec) text += fmt::format(" {}={}", field, value);
    return text;
  }
  std::string operator()(const Written& written) const {
    if (written.again) return "again";
    if (written.stale) return "stale";
    std::string text =
        fmt::format("score {} changed {}", shown_optional(written.score), written.changed);
    if (const auto& change = written.change) {
      text += fmt::format(" change {} {} {} from {} rank {} from {} passed {} at {} {}",
                          change->player, change->board, shown_optional(change->score),
                          shown_optional(change->previous), shown_optional(change->rank),
                          shown_optional(change->previous_rank), change->passed, change->at,
                          change->changed);
    }
    return text;
  }
  std::string operator()(const WrittenAll& all) const {
    std::string text = fmt::format("{} changed", all.changed);
    for (const auto& [index, refusal] : all.refused) {
      text += fmt::format(", {}: {}", index, refusal.text());
    }
    return text;
  }
  std::string operator()(const std::optional<AttemptsOf>& attempts) const {
    return attempts ? fmt::format("{} taken, {} left", attempts->taken, attempts->left) : "none";
  }
  std::string operator()(const HeldEntry& seen) const {
    const std::string_view repeats = seen.repeats ? ", repeats" : "";
    if (!seen.score) return fmt::format("nothing{}", repeats);
    return fmt::format("{:.17g} at {} data {}{}", *seen.score, seen.at, shown_optional(seen.data),
                       repeats);
  }
  std::string operator()(const Listed& listed) const {
    std::string text = fmt::format("of {}: ", listed.size);
    for (const Entry& entry : listed.entries) text += shown(entry);
    if (listed.rank != 0) text += fmt::format("newcomer {}", listed.rank);
    return text;
  }
  std::string operator()(const SeasonFacts& facts) const {
    return fmt::format(
        "season {} from {} to {} of board from {} resets {} closes {} size {}", facts.season.number,
        facts.season.started, shown_optional(facts.season.ended), facts.created,
        shown_optional(facts.resets_at), shown_optional(facts.closes_at), facts.size);
  }
  std::string operator()(const SeasonsHeard& heard) const {
    std::string text = fmt::format("running {} from {}", heard.running, heard.created);
    if (heard.hearing) text += fmt::format(", heard {}", text_of(*heard.hearing));
    for (const Season& past : heard.past) {
      text +=
          fmt::format(", {} from {} to {}", past.number, past.started, shown_optional(past.ended));
    }
    return text;
  }
  std::string operator()(const CopyStand& stand) const {
    return fmt::format("whole {} another's {} to '{}'", stand.whole, stand.is_anothers, stand.to);
  }
  std::string operator()(const SeasonRows& read) const {
    return fmt::format("{} rows to '{}'", read.rows.size(), read.to);
  }
  std::string operator()(const std::string& text) const { return "'" + text + "'"; }
  std::string operator()(const std::optional<OwnedProfile>& profile) const {
    if (!profile) return "nobody";
    return fmt::format("{} name {} email {} score {:.17g} games {} from {} to {}", profile->id,
                       shown_optional(profile->name), shown_optional(profile->email),
                       profile->lifetime_score, profile->games_played, profile->created_at,
                       profile->updated_at);
  }
  std::string operator()(const OwnedSession& session) const {
    return fmt::format("{} of {} in {}: {:.17g} in {:.17g} s at {} data {}", session.id,
                       session.player, session.game, session.score, session.seconds, session.at,
                       shown_optional(session.data));
  }
  std::string operator()(const std::optional<OwnedSession>& session) const {
    return session ? (*this)(*session) : "no session";
  }
  std::string operator()(const std::vector<OwnedSession>& sessions) const {
    std::string text;
    for (const OwnedSession& session : sessions) text += (*this)(session) + "\n";
    return text;
  }
  std::string operator()(const std::vector<Registry::ScoreOf>& scores) const {
    std::string text;
    for (const Registry::ScoreOf& score : scores) {
      text += fmt::format("{} season {}: {:.17g} rank {} at {}\n", score.board, score.season,
                          score.score, score.rank, score.at);
    }
    return text;
  }
};

}  // namespace

std::string shown_answer(const Result<Value>& answer) {
  return answer ? std::visit(Shower(), *answer) : std::string(answer.refusal().text());
}

Twins::Twins(const RemoteCandidate& candidate, RemoteGround& ground, const Fields& fields,
             Time now_in, std::size_t servers)
    : now(now_in), contender_(candidate), name_(fmt::format("twin {{{:x}}}/#", random_u64())) {
  for (std::size_t i = 0; i < servers; ++i) remotes_.push_back(ground.connect());
  Result<Spec> made = laurel::spec(fields).create();
  if (!made) FAIL(made.refusal().text());
  write_spec(std::move(*made));
}

void Twins::write_spec(Spec spec) {
  spec.remote = "main";
  const Status taken = remotes_.front()->takes(spec);
  if (!taken) FAIL(taken.refusal().text());
  spec_ = std::make_shared<const Spec>(spec);
  REQUIRE(get<bool>(request::WriteSpec{text_of(spec), revision_}));
  ++revision_;
}

void Twins::change(const Fields& fields) {
  Result<Spec> changed = laurel::spec(fields).update(*spec_);
  if (!changed) FAIL(changed.refusal().text());
  write_spec(std::move(*changed));
}

SentRequest Twins::request(Request what, std::uint64_t season) {
  return {.id = ++last_,
          .target = {name_, spec_, season},
          .what = std::move(what),
          .now = now,
          .deadline = steady_now() + 10 * kSecond};
}

Result<Value> Twins::ask_candidate(Request what, std::uint64_t season, std::size_t server) {
  Remote& remote = *remotes_[server];
  const SentRequest asked = request(std::move(what), season);
  remote.ask(asked);
  const Time give_up = asked.deadline + 5 * kSecond;
  for (;;) {
    News news;
    remote.take(news);
    for (Answer& answer : news.answers) {
      REQUIRE(answer.id == asked.id);
      return std::move(answer.value);
    }
    if (steady_now() > give_up) FAIL("no answer came, not even a refusal");
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void Twins::ask_at_once(std::vector<Request> all) {
  std::map<RequestId, std::string> expected;
  std::vector<SentRequest> asked;
  for (Request& what : all) {
    asked.push_back(request(std::move(what), 0));
    expected.emplace(asked.back().id, shown_answer(twin_.apply(asked.back())));
  }
  for (SentRequest& each : asked) remotes_.front()->ask(std::move(each));
  const Time give_up = steady_now() + 15 * kSecond;
  while (!expected.empty()) {
    News news;
    remotes_.front()->take(news);
    for (const Answer& answer : news.answers) {
      const auto found = expected.find(answer.id);
      REQUIRE(found != expected.end());
      CAPTURE(answer.id);
      REQUIRE(shown_answer(answer.value) == found->second);
      expected.erase(found);
    }
    if (steady_now() > give_up) FAIL(expected.size() << " answers did not come");
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

// On a busy machine a replica may confirm too late, and the outcome of the write is unknown. The
// board itself then tells what happened.
Result<Value> Twins::look_up_outcome(const Request& what, Result<Value> answer) {
  if (answer || !answer.refusal().message().starts_with("outcome unknown")) return answer;
  if (const auto* write = std::get_if<request::WriteSpec>(&what)) {
    const Result<Value> read = ask_candidate(request::ReadSpec{});
    if (!read) return read.refusal();
    const KeptSpec& there = std::get<KeptSpec>(*read);
    return Value(there.revision == write->revision + 1 && there.spec == write->spec);
  }
  if (std::holds_alternative<request::Reset>(what)) {
    const Result<Value> read = ask_candidate(request::ReadSeason{});
    if (!read) return read.refusal();
    return Value(std::get<SeasonFacts>(*read).season.number - 1);
  }
  return answer;
}

Result<Value> Twins::ask(Request what, std::uint64_t season, std::size_t server) {
  const SentRequest asked = request(what, season);
  const Result<Value> expected = twin_.apply(asked);
  Result<Value> answer =
      look_up_outcome(asked.what, ask_candidate(std::move(what), season, server));
  CAPTURE(asked.what.index());
  if (expected && !answer && answer.refusal().code() == Code::unsupported) {
    CAPTURE(answer.refusal().text());
    REQUIRE(contender_.unsupported(asked));
    return answer;
  }
  if (std::holds_alternative<request::TopOnce>(asked.what) && expected && answer) {
    // The remote chooses how many entries it fetches. What it calls certain must be right.
    if (!std::get<Listed>(*expected).certain || !std::get<Listed>(*answer).certain) return answer;
  }
  REQUIRE(shown_answer(answer) == shown_answer(expected));
  return answer;
}

void Twins::compare_season(std::uint64_t season) {
  (void)ask(request::ReadSeason{}, season);
  (void)ask(request::Size{}, season);
  const Listed all = get<Listed>(request::Page{0, SIZE_MAX}, season);
  (void)ask(request::Page{1, 3}, season);
  (void)ask(request::Bottom{4}, season);
  std::vector<std::string> players = {"nobody"};
  for (std::size_t i = 0; i < all.entries.size(); ++i) {
    const Entry& entry = all.entries[i];
    const std::string player(entry.player);
    if (i % 3 == 0) players.push_back(player);
    (void)ask(request::Get{player}, season);
    for (const Ranking ranking : kEveryRanking) {
      (void)ask(request::Rank{player, ranking}, season);
    }
    (void)ask(request::Rank{player, std::nullopt}, season);
    (void)ask(request::RankOf{entry.score}, season);
    (void)ask(request::Percentile{player}, season);
    (void)ask(request::Around{player, i % 3}, season);
    (void)ask(request::Count{{entry.score, entry.score + 1}}, season);
    (void)ask(request::Between{{entry.score - 1, entry.score + 1}, 5}, season);
    (void)ask(request::Key{player}, season);
    (void)ask(request::Attempts{player}, season);
  }
  (void)ask(request::Among{players}, season);
  (void)ask(request::Get{"nobody"}, season);
  (void)ask(request::Rank{"nobody", std::nullopt}, season);
  (void)ask(request::Around{"nobody", 0}, season);
  (void)ask(request::Around{"nobody", 2}, season);
  (void)ask(request::TopOnce{3, 0.9}, season);
  for (const double p : {-1.0, 0.0, 12.5, 50.0, 70.0, 99.9, 100.0, 200.0}) {
    (void)ask(request::ScoreAtPercentile{p}, season);
    (void)ask(request::TopPercent{p}, season);
  }
  for (const double score : {-1.0, 0.04, 3.0, 5.25, 5.26, 400.0}) {
    for (const std::size_t n : {0U, 2U, 100U}) (void)ask(request::AroundScore{score, n}, season);
  }
}

void Twins::compare() {
  (void)ask(request::Banned{});
  const auto seasons = get<std::vector<std::uint64_t>>(request::Seasons{});
  for (std::size_t i = 0; i < seasons.size(); ++i) compare_season(i == 0 ? 0 : seasons[i]);
}

Fields random_fields(const RemoteCandidate& candidate, std::uint64_t draw) {
  std::mt19937_64 random(draw);
  const auto pick = [&](std::initializer_list<std::string_view> words) {
    return *(words.begin() + random() % words.size());
  };
  Fields fields = candidate.engines[draw % candidate.engines.size()];
  bool padded = false;
  for (const auto& [name, value] : fields) {
    padded = padded || value == FieldValue(std::string_view("padded"));
  }
  const bool has_columns = random() % 4 == 0;
  if (has_columns) {
    fields.push_back(
        {"columns", pick({"a desc 0 0 11, b asc 2 -5 5", "a asc 1 -3 3, b, c desc 0 0 6",
                          "a desc 0 -9007199254740992 -9007199254740980, b asc 0 0 20"})});
  } else {
    fields.push_back({"order", pick({"desc", "asc"})});
  }
  fields.push_back({"keep", pick({"best", "latest", "sum", "first"})});
  fields.push_back({"ties", pick({"earliest", "latest", "player", "player_desc"})});
  fields.push_back(
      {"ranking", pick({"competition", "modified", "dense", "dense", "ordinal", "fractional"})});
  if (!has_columns && (padded || random() % 2 == 0))
    fields.push_back({"decimals", static_cast<double>(random() % 3)});
  return fields;
}

}  // namespace laurel
