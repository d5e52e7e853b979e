// The board itself: its spec and its seasons.
//
// A season ends in two steps: one server compares and sets the board's hash, then every shard is
// moved to the new season. A task that meets an old shard in between moves it.
#include <algorithm>

#include "base/steady_clock.h"
#include "base/text.h"
#include "board/spec/schedule.h"
#include "remote/limits.h"
#include "remote/redis/request_handler.h"
#include "remote/redis/scripts/script_arguments.h"
#include "remote/request/spec_codec.h"

namespace laurel::redis {

namespace {

// Seasons older than the oldest that is dropped now whose keys are dropped once more, in case an
// earlier end of season was interrupted.
constexpr std::uint64_t kDroppedAgain = 3;

std::string text(std::uint64_t number) { return std::to_string(number); }
std::string text(Time time) { return std::to_string(time); }

// The numbers of the running season and of the kept ones.
std::vector<std::uint64_t> numbers_of(const BoardFacts& facts) {
  std::vector<std::uint64_t> numbers = {facts.season.number};
  for (const KeptSeason& kept : facts.kept) numbers.push_back(kept.season.number);
  return numbers;
}

}  // namespace

RequestHandler::Answered<BoardFacts> RequestHandler::read_facts(std::string name, Time deadline) {
  const std::string key = board_key(name);
  Batch batch;
  Call& call = batch.add();
  call.words.emplace_back("HGETALL");
  call.words.push_back(key);
  call.slot = slot_of(key);
  call.deadline = deadline;
  co_await cluster_.run(batch);
  if (call.outcome != CallOutcome::answered || call.reply.is_error())
    co_return refusal_of(call, false);
  co_return facts_of(call.reply);
}

// Compares and sets the board's hash; false if it was not as expected.
RequestHandler::Answered<bool> RequestHandler::settle(const SentRequest& sent,
                                                      const Expected& expected, const Words& gone,
                                                      Words set) {
  const std::string key = board_key(sent.target.board);
  Batch batch;
  Call& call = batch.add();
  call.script = Script::settle;
  call.slot = slot_of(key);
  call.deadline = sent.deadline;
  call.writes = true;
  // If a failover undoes a due end, the season is ended again. A moderator's Reset or WriteSpec
  // would be lost, and so would the note that a name has heard of an end: these wait for copies.
  call.is_copied = std::holds_alternative<request::Reset>(sent.what) ||
                   std::holds_alternative<request::WriteSpec>(sent.what) ||
                   std::holds_alternative<request::WriteHearing>(sent.what);
  call.words = {"1", key, text(std::uint64_t{expected.size()}), text(std::uint64_t{gone.size()})};
  for (const auto& [field, value] : expected) {
    call.words.push_back(field);
    call.words.push_back(value);
  }
  call.words.insert(call.words.end(), gone.begin(), gone.end());
  std::move(set.begin(), set.end(), std::back_inserter(call.words));
  co_await cluster_.run(batch);
  if (call.outcome != CallOutcome::answered || call.reply.is_error()) {
    co_return refusal_of(call, !writes(sent.what));
  }
  co_return call.reply.integer == 1;
}

// Moves every shard to the season. Drops the entries of seasons that are not kept, and of the
// season before the entries hidden by bans, and the attempts.
RequestHandler::Answered<Done> RequestHandler::roll(const SentRequest& sent, std::size_t shards,
                                                    std::uint64_t season,
                                                    std::vector<std::uint64_t> dropped) {
  Batch batch;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const ShardKeys keys(sent.target.board, shard);
    Call& call = batch.add();
    call.script = Script::roll;
    call.slot = slot_of(keys.state());
    call.deadline = sent.deadline;
    call.writes = true;
    Words named = {keys.state()};
    for (const std::uint64_t number : dropped) {
      named.push_back(keys.scores(number));
      named.push_back(keys.players(number));
      named.push_back(keys.hidden(number));
      named.push_back(keys.attempts(number));
      named.push_back(keys.distinct(number));
    }
    if (season > 1) {
      named.push_back(keys.hidden(season - 1));
      named.push_back(keys.attempts(season - 1));
    }
    call.words.push_back(text(std::uint64_t{named.size()}));
    std::move(named.begin(), named.end(), std::back_inserter(call.words));
    const std::size_t first = call.words.size();
    call.words.resize(first + kOfRoll.size());
    call.words[first + kOfRoll["season"]] = text(season);
    call.words[first + kOfRoll["channel"]] = keys.channel();
  }
  co_await cluster_.run(batch);
  for (const Call& call : batch.calls) {
    if (call.outcome != CallOutcome::answered || call.reply.is_error()) {
      co_return refusal_of(call, !writes(sent.what));
    }
  }
  co_return Done{};
}

// Ends the running season by compare-and-set; false if another server was faster.
RequestHandler::Answered<bool> RequestHandler::end_season(const SentRequest& sent,
                                                          const BoardFacts& facts, Time ended,
                                                          Time started, std::optional<Time> due) {
  const std::uint64_t number = facts.season.number;
  KeptSeason over{facts.season, Ranking::competition};
  over.season.ended = ended;
  if (const std::string* const ranking = find_field(facts.spec, "ranking")) {
    over.ranking = ranking_from_word(*ranking).value_or(Ranking::competition);
  }
  const std::size_t archive = seasons_to_keep(archive_of(facts.spec), facts.hearings, number);
  Words gone;
  std::vector<std::uint64_t> dropped;
  for (std::size_t i = archive == 0 ? 0 : archive - 1; i < facts.kept.size(); ++i) {
    gone.push_back(kept_field(facts.kept[i].season.number));
    dropped.push_back(facts.kept[i].season.number);
  }
  if (archive == 0) dropped.push_back(number);
  const std::uint64_t oldest =
      dropped.empty() ? 0 : *std::min_element(dropped.begin(), dropped.end());
  for (std::uint64_t again = 1; again <= kDroppedAgain && again < oldest; ++again) {
    dropped.push_back(oldest - again);
  }
  Words set = {"season", text(number + 1), "started", text(started), "due", due_value(due)};
  if (archive > 0) {
    set.push_back(kept_field(number));
    set.push_back(kept_value(over));
  }
  Expected expected;
  expected.emplace_back("season", text(number));
  expected.emplace_back("due", due_value(facts.due));
  const Result<bool> settled = co_await settle(sent, expected, gone, std::move(set));
  if (!settled) co_return settled.refusal();
  if (!*settled) co_return false;
  const Status rolled = co_await roll(sent, shards_of(facts.spec), number + 1, std::move(dropped));
  if (!rolled) co_return rolled.refusal();
  co_return true;
}

// A season without writes continues; it then counts from the latest due time.
RequestHandler::Answered<Done> RequestHandler::end_due_season(const SentRequest& sent,
                                                              Board& board) {
  for (int tries = 0; tries < kRedisSeasonTriesMax; ++tries) {
    const BoardFacts facts = board.facts;
    if (!facts.due || sent.now < *facts.due) co_return Done{};
    Batch batch;
    for (std::size_t shard = 0; shard < shards_of(facts.spec); ++shard) {
      const std::string key = ShardKeys(sent.target.board, shard).state();
      Call& call = batch.add();
      call.words = {"HGET", key, "written"};
      call.slot = slot_of(key);
      call.deadline = sent.deadline;
    }
    co_await cluster_.run(batch);
    bool written = false;
    for (const Call& call : batch.calls) {
      if (call.outcome != CallOutcome::answered || call.reply.is_error())
        co_return refusal_of(call, true);
      written = written || call.reply.text == text(facts.season.number);
    }
    const auto& spec = board.overlay(sent.target.spec);
    if (!spec) co_return spec.refusal();
    const std::optional<Schedule> schedule = reset_schedule(**spec);
    const std::optional<Time> due = schedule ? schedule->next(sent.now) : std::nullopt;
    const Time started = (schedule ? schedule->last(sent.now) : std::nullopt).value_or(*facts.due);
    if (written) {
      const Result<bool> ended = co_await end_season(sent, facts, *facts.due, started, due);
      if (!ended) co_return ended.refusal();
    } else {
      Expected expected;
      expected.emplace_back("season", text(facts.season.number));
      expected.emplace_back("due", due_value(facts.due));
      expected.emplace_back("counting", counting_value(facts.counting));
      Words set = {"started",  text(started),
                   "due",      due_value(due),
                   "counting", counting_value(facts.counting + 1)};  // grants end with the period
      const Result<bool> settled = co_await settle(sent, expected, Words(), std::move(set));
      if (!settled) co_return settled.refusal();
    }
    const Time asked = steady_now();
    Result<BoardFacts> fresh = co_await read_facts(sent.target.board, sent.deadline);
    if (!fresh) co_return fresh.refusal();
    board.learn(std::move(*fresh), asked);
  }
  co_return season_kept_ending(sent);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context, const request::Reset&) {
  const SentRequest& sent = context.sent;
  const std::shared_ptr<Board> known = board(sent.target.board);
  co_await known->gate.enter();
  Result<Value> answered =
      Refusal(Code::unavailable, "other servers keep ending the season of board \"{}\"",
              escaped(sent.target.board, 64));
  for (int tries = 0; tries < kRedisSeasonTriesMax; ++tries) {
    const BoardFacts facts = known->facts;
    const Time started = start_of_season(*context.spec, sent.now);
    const Result<bool> ended = co_await end_season(sent, facts, sent.now, started, facts.due);
    const Time asked = steady_now();
    Result<BoardFacts> fresh = co_await read_facts(sent.target.board, sent.deadline);
    if (fresh) {
      known->learn(std::move(*fresh), asked);
    }
    if (!ended) {
      answered = ended.refusal();
      break;
    }
    if (*ended) {
      answered = Value(facts.season.number);
      break;
    }
    if (!fresh || !known->facts.exists) break;
  }
  known->gate.leave();
  co_return answered;
}

RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest& sent,
                                                      const request::ReadSpec&) {
  const std::shared_ptr<Board> known = board(sent.target.board);
  const Time asked = steady_now();
  Result<BoardFacts> facts = co_await read_facts(sent.target.board, sent.deadline);
  if (!facts) co_return facts.refusal();
  KeptSpec kept;
  kept.exists = facts->exists;
  kept.spec = facts->spec;
  kept.revision = facts->revision;
  kept.created = facts->created;
  kept.seasons = numbers_of(*facts);
  if (!facts->exists) {
    forget(sent.target.board, known);
  } else if (known->gate.is_open()) {
    known->learn(std::move(*facts), asked);
  }
  co_return Value(std::move(kept));
}

RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest& sent,
                                                      const request::WriteSpec& what) {
  const Result<BoardFacts> read = co_await read_facts(sent.target.board, sent.deadline);
  if (!read) co_return read.refusal();
  const BoardFacts& facts = *read;
  if (facts.revision != what.revision) co_return Value(false);
  const Result<Spec> spec = spec_of(what.spec, "");
  if (!spec) co_return spec.refusal();
  const std::optional<Schedule> schedule = reset_schedule(*spec);
  const std::optional<Time> due = schedule ? schedule->next(sent.now) : std::nullopt;
  const std::string started = text(start_of_season(*spec, sent.now));
  Expected expected;
  expected.emplace_back("revision", facts.exists ? text(what.revision) : "");
  Words set = {"revision", text(what.revision + 1)};
  Words gone;
  std::vector<std::uint64_t> dropped;
  append_spec(what.spec, set);
  if (!facts.exists) {
    const Words first = {"season",       "1",   "started",     started, "created",
                         text(sent.now), "due", due_value(due)};
    set.insert(set.end(), first.begin(), first.end());
  } else {
    for (const auto& [field, value] : facts.spec) {
      if (find_field(what.spec, field) == nullptr) gone.push_back(spec_field(field));
    }
    const Result<Spec> before = spec_of(facts.spec, "");
    const bool other_schedule = !before || !same_resets(*before, *spec);
    if (other_schedule) {
      set.emplace_back("due");
      set.push_back(due_value(due));
    }
    if (before && before->attempts != 0 && spec->attempts == 0) {
      expected.emplace_back("counting", counting_value(facts.counting));
      set.emplace_back("counting");
      set.push_back(counting_value(facts.counting + 1));
    }
    if (spec->duration && (other_schedule || before->duration != spec->duration)) {
      set.emplace_back("started");
      set.push_back(started);
    }
    const std::size_t archive =
        seasons_to_keep(archive_of(what.spec), facts.hearings, facts.season.number - 1);
    for (std::size_t i = archive; i < facts.kept.size(); ++i) {
      gone.push_back(kept_field(facts.kept[i].season.number));
      dropped.push_back(facts.kept[i].season.number);
    }
  }
  const Result<bool> settled = co_await settle(sent, expected, gone, std::move(set));
  if (!settled) co_return settled.refusal();
  if (const std::shared_ptr<Board> known = board(sent.target.board)) {
    known->read_at = INT64_MIN;  // forces a read
  }
  if (!*settled) co_return Value(false);
  if (!facts.exists || !dropped.empty()) {
    const Status rolled =
        co_await roll(sent, shards_of(what.spec), facts.season.number, std::move(dropped));
    if (!rolled) co_return rolled.refusal();
  }
  co_return Value(true);
}

// Deletes the board's hash first, so that the board is not found any longer, then the shards.
RequestHandler::Answered<Value> RequestHandler::begin(const SentRequest& sent,
                                                      const request::Drop&) {
  const Result<BoardFacts> facts = co_await read_facts(sent.target.board, sent.deadline);
  if (!facts) co_return facts.refusal();
  Batch first;
  Call& deleted = first.add();
  const std::string key = board_key(sent.target.board);
  deleted.words = {"DEL", key};
  deleted.slot = slot_of(key);
  deleted.deadline = sent.deadline;
  deleted.writes = true;
  co_await cluster_.run(first);
  if (deleted.outcome != CallOutcome::answered || deleted.reply.is_error()) {
    co_return refusal_of(deleted, false);
  }
  boards_.erase(sent.target.board);
  if (!facts->exists) co_return Value(false);

  Batch batch;
  for (std::size_t shard = 0; shard < shards_of(facts->spec); ++shard) {
    const ShardKeys keys(sent.target.board, shard);
    Call& call = batch.add();
    call.words = {"UNLINK", keys.state(), keys.banned(), keys.joined(), keys.servers(), keys.ids()};
    std::vector<std::uint64_t> seasons = {facts->season.number, facts->season.number + 1};
    for (const KeptSeason& kept : facts->kept) seasons.push_back(kept.season.number);
    for (const std::uint64_t season : seasons) {
      call.words.push_back(keys.scores(season));
      call.words.push_back(keys.players(season));
      call.words.push_back(keys.hidden(season));
      call.words.push_back(keys.attempts(season));
      call.words.push_back(keys.distinct(season));
    }
    call.slot = slot_of(keys.state());
    call.deadline = sent.deadline;
    call.writes = true;
  }
  co_await cluster_.run(batch);
  for (const Call& call : batch.calls) {
    if (call.outcome != CallOutcome::answered || call.reply.is_error())
      co_return refusal_of(call, false);
  }
  co_return Value(deleted.reply.integer == 1);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::ReadSeason&) {
  const Result<Counted> counted = co_await count(context, std::vector<Probe>(), std::nullopt);
  if (!counted) co_return counted.refusal();
  const BoardFacts& facts = context.board->facts;
  SeasonFacts season;
  season.created = facts.created;
  season.size = counted->size;
  if (const KeptSeason* const kept = facts.find(context.season); context.is_past() && kept) {
    season.season = kept->season;
  } else {
    season.season = facts.season;
    season.resets_at = facts.due;
    season.closes_at = closes_at(*context.spec, facts.running());
  }
  co_return Value(season);
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context, const request::Seasons&) {
  std::vector<std::uint64_t> numbers = numbers_of(context.board->facts);
  // If another server has ended a season since the read, the shards report it.
  const Result<Counted> counted = co_await count(context, std::vector<Probe>(), std::nullopt);
  if (!counted) co_return counted.refusal();
  co_return Value(std::move(numbers));
}

// Reads the hash again: other servers write what they have told.
RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::ReadHearing& what) {
  const SentRequest& sent = context.sent;
  const Result<BoardFacts> facts = co_await read_facts(sent.target.board, sent.deadline);
  if (!facts) co_return facts.refusal();
  if (!facts->exists) co_return no_such_board(sent.target.board);
  SeasonsHeard heard;
  if (const auto known = facts->hearings.find(what.name); known != facts->hearings.end()) {
    heard.hearing = known->second;
  }
  heard.created = facts->created;
  heard.running = facts->season.number;
  for (const KeptSeason& kept : facts->kept) heard.past.push_back(kept.season);
  co_return Value(std::move(heard));
}

RequestHandler::Answered<Value> RequestHandler::answer(Context& context,
                                                       const request::WriteHearing& what) {
  const std::string field = heard_field(what.name);
  Expected expected;
  // The board exists, and no season ends meanwhile: its end keeps what is not heard.
  expected.emplace_back("season", text(context.board->facts.season.number));
  expected.emplace_back(field, what.expected ? text_of(*what.expected) : std::string());
  Words gone;
  Words set;
  if (what.hearing) {
    set = {field, text_of(*what.hearing)};
  } else {
    gone = {field};
  }
  const Result<bool> settled = co_await settle(context.sent, expected, gone, std::move(set));
  if (!settled) co_return settled.refusal();
  context.board->read_at = INT64_MIN;  // the next request reads the hash
  co_return Value(*settled);
}

}  // namespace laurel::redis
