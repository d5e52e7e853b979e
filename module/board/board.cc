// A board's making, and its writing: decide what a submission comes to, then apply it.
#include "board/board.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/hash.h"
#include "base/limits.h"
#include "base/text.h"
#include "board/values.h"

namespace laurel {

Board::Board(Shared& shared, SpaceNumber space, std::string name, Spec spec, Time created)
    : Standings(shared.players, ScoreForm(spec.order, spec.decimals), spec.ranking, nullptr),
      shared_(shared),
      name_(std::move(name)),
      created_(created),
      epoch_(random_u64()),
      space_(*shared.store, space),
      season_{.number = 1, .started = created, .ended = std::nullopt},
      joined_(shared.players, KeptRows(space_, kJoinedLetter)),
      banned_(shared.players, KeptRows(space_, kBannedLetter)),
      pardoned_(shared.players, KeptRows(space_, kPardonedLetter)),
      hidden_rows_(space_, kHiddenLetter) {
  spec_ = std::move(spec);
}

Board::Board(Shared& shared, std::string name, Spec spec, Time created)
    : Board(shared, ++shared.last_space, std::move(name), spec, created) {
  start_engine(created);
  season_clock_.follow(spec_.reset, created);
  update(std::move(spec));
}

void ChangedBoards::unlist(std::size_t count) {
  const auto last = boards_.begin() + static_cast<std::ptrdiff_t>(std::min(count, boards_.size()));
  const auto done = [](Board* board) { return board->unlist(); };
  boards_.erase(std::remove_if(boards_.begin(), last, done), last);
}

Board::~Board() {
  if (listed_) shared_.changed.remove(*this);
  for (const auto& [player, packed] : hidden_) shared_.players.release(player);
}

Time Board::stands_until() const {
  if (rolling_ != nullptr) return std::numeric_limits<Time>::min();
  return season_clock_.due().value_or(std::numeric_limits<Time>::max());
}

void Board::dismantle() {
  shared_.reclaimer.take(swap_engine());
  for (const auto& season : archives_) shared_.reclaimer.take(season->take_engine());
  archives_.clear();
  space_.erase_some(kReclaimRowsPerTick);  // only a durable store has anything there
}

void Board::update(Spec spec) {
  if (spec.ranking != spec_.ranking) touched();  // every rank may be another
  const bool other_size = spec.cap != spec_.cap || spec.reserve != spec_.reserve;
  const bool other_schedule = spec.reset.has_value() != spec_.reset.has_value() ||
                              (spec.reset && spec.reset->text() != spec_.reset->text());
  spec_ = std::move(spec);
  rank_by(spec_.ranking);
  if (other_size) {
    engine_->configure(spec_);
    touched();
  }
  if (other_schedule) {
    season_clock_.follow(spec_.reset, shared_.moments.now());
    touched();  // who waits for the next reset has to look again
  }
  trim_archives();
  rule_.reset();
  if (!spec_.rule.empty() && shared_.rules) rule_ = shared_.rules->open(spec_.rule);
  keep();
}

void Board::mark_written() {
  if (written_) return;
  written_ = true;
  keep();
}

namespace {

Refusal out_of_range(const ScoreForm& form, std::string_view what) {
  if (form.decimals()) {
    return {Code::out_of_range, "{} is out of range: with decimals = {} it stays below 2^53 scaled",
            what, *form.decimals()};
  }
  return {Code::out_of_range, "{} is larger than any number", what};
}

}  // namespace

Time Board::moment_of(const Submission& submission) {
  if (!submission.at) return shared_.moments.next();
  return time_from_seconds(*submission.at).value_or(0);  // decide() refuses what is no time
}

// The first steps of looking players up, and of finding their rows' places: what one submission
// after the other would wait for, all of these wait for together.
void Board::expect(std::span<const Submission> submissions, std::span<Expected> expected) {
  if (!takes_hints()) {
    for (std::size_t i = 0; i < submissions.size(); ++i) {
      expected[i].hash = shared_.players.hash(submissions[i].player);
    }
    return;
  }
  std::array<ScoreKey, ScoreEngine::kExpectedMax> scores;
  std::size_t keys = 0;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    expected[i].hash = shared_.players.expect(submissions[i].player);
    const double score = submissions[i].score;
    // Of a fraction the decimals take longer to find than memory does.
    if (!std::isfinite(score) || (form().decimals() && score != std::floor(score))) continue;
    if (const auto key = form().key(score)) scores[keys++] = *key;
  }
  scores_->expect_scores(std::span(scores).first(keys));
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    expected[i].likely = shared_.players.expect_record(expected[i].hash);
    scores_->expect_player(expected[i].likely);
  }
}

Status Board::decide(Act act, const Submission& submission, Decision& decision) {
  Expected expected;
  expect({&submission, 1}, {&expected, 1});
  decision.player = {submission.player, shared_.players.find(submission.player, expected.hash)};
  if (takes_hints()) scores_->expect_row(decision.player.handle);
  return decide_found(act, submission, decision);
}

// REQUIRES: the decision has its player.
Status Board::decide_found(Act act, const Submission& submission, Decision& decision) {
  ++shared_.stats.submissions;
  judged_.clear();
  Status status = may_write();
  if (status) status = admit_submission(submission, decision.player);
  if (status) {
    status = rolling_ != nullptr
                 ? decide_activity(submission, decision)
                 : decide_score(act, submission, *scores_, decision.player, decision, judged_);
  }
  if (!status) ++shared_.stats.refused;
  return status;
}

Status Board::admit_submission(const Submission& submission, const Player& player) const {
  if (Status valid = check_submission(submission); !valid) return valid;
  return admit(player, false);
}

Status Board::decide_score(Act act, const Submission& submission, const ScoreEngine& engine,
                           const Player& in_engine, Decision& decision, Arena& arena) {
  if (act == Act::add && is_capped_) {
    return Refusal(Code::unsupported, "a capped board forgets who is not in it, so it cannot add");
  }
  const std::optional<ScoreKey> offered = form().key(submission.score);
  if (!offered) return out_of_range(form(), fmt::format("the score {}", submission.score));
  const bool adds = act == Act::add || spec_.keep == Keep::sum;
  if (has_limits_ && !adds) {
    if (Status fits = check_fits(*offered); !fits) return fits;
  }
  decision.held = engine.held(in_engine, arena);
  Status decided = spec_.rule.empty() ? decide_by_keep(act, submission, *offered, decision)
                                      : decide_by_rule(act, submission, *offered, decision);
  if (decided && has_limits_) return check_fits(decision.score);
  return decided;
}

Status Board::check_fits(ScoreKey score) const {
  if (!has_limits_ || scores_->fits(score)) return Done{};
  return Refusal(Code::out_of_range, "the score {} does not fit a key of {} digits",
                 form().score(score), spec_.digits);
}

namespace {

// What the player would hold. The same score again keeps its moment, and its data unless new data
// came; another score has the submission's moment and data.
void hold(ScoreKey score, std::optional<std::string_view> data, Board::Decision& decision) {
  decision.score = score;
  if (const auto& held = decision.held; held && held->score == score) {
    decision.changed = data && data != held->data;
    decision.at = held->at;
    decision.data = data ? data : held->data;
  } else {
    decision.changed = true;
    decision.data = data;
  }
}

}  // namespace

Result<Verdict> Board::ask_rule(const Submission& submission, double score,
                                const Decision& decision) {
  if (!rule_) {
    return Refusal(Code::unavailable, "rule \"{}\" cannot load: no rules directory was given",
                   spec_.rule);
  }
  RuleCase the_case{.board = name_,
                    .player = submission.player,
                    .score = score,
                    .data = submission.data,
                    .at = decision.at,
                    .held = std::nullopt};
  if (const auto& held = decision.held) {
    the_case.held = Held{form().score(held->score), held->at, held->data};
  }
  return shared_.rules->judge(*rule_, the_case, spec_.rule_failure);
}

Status Board::decide_by_rule(Act act, const Submission& submission, ScoreKey offered,
                             Decision& decision) {
  const Result<Verdict> verdict = ask_rule(submission, form().score(offered), decision);
  if (!verdict) return verdict.refusal();
  if (!verdict->score) return decide_by_keep(act, submission, offered, decision);

  const std::optional<ScoreKey> ruled = form().key(*verdict->score);
  if (!ruled || !scores_->fits(*ruled)) {
    return shared_.rules->overrule(
        *rule_, name_, submission.player,
        fmt::format("score returned {}, which is out of range", *verdict->score));
  }
  if (!verdict->data) {
    hold(*ruled, submission.data, decision);
    return Done{};
  }
  if (verdict->data->size() > kDataBytesMax) {
    return shared_.rules->overrule(
        *rule_, name_, submission.player,
        fmt::format("score returned data of {} bytes; at most {} are allowed",
                    verdict->data->size(), kDataBytesMax));
  }
  hold(*ruled, verdict->data, decision);
  decision.ruled_data = std::string(*verdict->data);
  return Done{};
}

Status Board::decide_by_keep(Act act, const Submission& submission, ScoreKey offered,
                             Decision& decision) const {
  if (!decision.held) {
    hold(offered, submission.data, decision);
    return Done{};
  }
  const ScoreKey held = decision.held->score;
  if (act == Act::add || spec_.keep == Keep::sum) {
    const std::optional<ScoreKey> sum = form().sum(held, offered);
    if (!sum) {
      return out_of_range(
          form(), fmt::format("the sum of {} and {}", form().score(held), form().score(offered)));
    }
    hold(*sum, submission.data, decision);
    return Done{};
  }
  const bool not_worse = offered <= held;
  if (spec_.keep == Keep::latest || (spec_.keep == Keep::best && not_worse)) {
    hold(offered, submission.data, decision);
  } else {
    hold(held, std::nullopt, decision);
  }
  return Done{};
}

Status Board::decide_set(const Submission& submission, Decision& decision) {
  if (Status valid = check_submission(submission); !valid) return valid;
  if (rolling_ != nullptr) {
    return Refusal(Code::unsupported, "a rolling board holds activity, which can be added only");
  }
  if (Status open = may_write(); !open) return open;
  judged_.clear();
  decision.player = look_up(submission.player);
  if (Status admitted = admit(decision.player, true); !admitted) return admitted;
  const std::optional<ScoreKey> score = form().key(submission.score);
  if (!score) return out_of_range(form(), fmt::format("the score {}", submission.score));
  if (Status fits = check_fits(*score); !fits) return fits;
  decision.held = scores_->held(decision.player, judged_);
  hold(*score, submission.data, decision);
  return Done{};
}

// Whether an entry is another than before: a capped board may forget at once what it was handed.
bool Board::commit(const Decision& decision) {
  if (decision.activity) {
    rolling_->add(decision.player, *decision.activity);
  } else {
    std::optional<std::string_view> data = decision.data;
    if (decision.ruled_data) data = *decision.ruled_data;
    scores_->put(decision.player, {decision.player.id, decision.score, decision.at, data});
    if (is_capped_ && !decision.held && !scores_->held(look_up(decision.player.id), judged_)) {
      return false;
    }
  }
  mark_written();
  ++shared_.stats.changed;
  touched(decision);
  return true;
}

void Board::touched(const Decision& decision) {
  const std::optional<EngineRow>& held = decision.held;
  forget_top(held ? std::min(held->score, decision.score) : decision.score);
  list_changed();
}

Outcome Board::outcome_of(const Decision& decision, bool changed) const {
  if (is_capped_ && !position(decision.player.id)) return {std::nullopt, false};
  return {form().score(decision.score), changed};
}

Change Board::commit_and_report(const Decision& decision) {
  Change change{.player = std::string(decision.player.id),
                .board = name_,
                .score = std::nullopt,
                .previous = std::nullopt,
                .rank = std::nullopt,
                .previous_rank = std::nullopt,
                .passed = 0,
                .at = decision.at,
                .changed = decision.changed};
  std::size_t position_before = size();  // a newcomer comes from behind everybody
  if (const std::optional<std::size_t> position = engine_->position(decision.player)) {
    position_before = *position;
    change.previous = score(change.player);
    change.previous_rank = engine_->rank(decision.player, spec_.ranking);
  }
  if (decision.changed) change.changed = commit(decision);
  const Player player = look_up(change.player);
  if (const std::optional<std::size_t> position = engine_->position(player)) {
    change.score = score(change.player);
    change.rank = engine_->rank(player, spec_.ranking);
    change.passed = *position < position_before ? position_before - *position : 0;
  }
  if (change.changed) tell_rule(change);
  return change;
}

bool Board::rule_hears_changes() const { return rule_ && shared_.rules->wants_changes(*rule_); }

void Board::tell_rule(const Change& change) {
  if (!rule_hears_changes()) return;
  if (pending_.size() < kPendingChangesMax) {
    pending_.push_back(change);
  } else {
    ++shared_.pending_dropped;
  }
}

Outcome Board::apply(const Decision& decision) {
  bool changed = decision.changed;
  if (rule_hears_changes()) {
    changed = commit_and_report(decision).changed;
  } else if (decision.changed) {
    changed = commit(decision);
  }
  return outcome_of(decision, changed);
}

Result<Outcome> Board::submit(Act act, const Submission& submission) {
  Decision decision(moment_of(submission));
  if (const Status decided = decide(act, submission, decision); !decided) return decided.refusal();
  return apply(decision);
}

Result<Change> Board::submit_report(const Submission& submission) {
  Decision decision(moment_of(submission));
  if (const Status decided = decide(Act::submit, submission, decision); !decided) {
    return decided.refusal();
  }
  return commit_and_report(decision);
}

Result<Outcome> Board::set(const Submission& submission) {
  Decision decision(moment_of(submission));
  if (const Status decided = decide_set(submission, decision); !decided) return decided.refusal();
  return apply(decision);
}

Result<bool> Board::remove(std::string_view id) {
  if (const Status valid = check_player(id); !valid) return valid.refusal();
  if (const Status open = may_write(); !open) return open.refusal();
  const Player player = look_up(id);
  if (drop_hidden(player.handle)) return true;
  if (!engine_->erase(player)) return false;
  touched();
  return true;
}

Result<std::size_t> Board::clear() {
  if (const Status open = may_write(); !open) return open.refusal();
  drop_all_hidden();
  const std::size_t listed = size();
  shared_.reclaimer.take(swap_engine());
  keep();
  touched();
  return listed;
}

std::shared_ptr<Window> Board::window(std::size_t n, bool with_data) const {
  Entries entries;
  read(0, std::min(n, kWatchTopMax), entries);
  return window_of(entries, with_data);
}

std::shared_ptr<Window> Board::window_around(std::string_view player, std::size_t n,
                                             bool with_data) const {
  Entries entries;
  around(player, n, entries);
  return window_of(entries, with_data);
}

std::shared_ptr<Window> Board::window_of(const Entries& entries, bool with_data) const {
  auto window = std::make_shared<Window>();
  window->epoch = epoch_;
  window->version = version_;
  window->size = size();
  window->entries.reserve(entries.size());
  for (const Entry& entry : entries) {
    WindowEntry shown{.player = std::string(entry.player),
                      .name = std::nullopt,
                      .data = std::nullopt,
                      .score = entry.score,
                      .rank = entry.rank,
                      .at = entry.at};
    if (with_data && entry.data) shown.data = std::string(*entry.data);
    window->entries.push_back(std::move(shown));
  }
  return window;
}

void Board::deliver_changes() {
  std::vector<Change> changes;
  changes.swap(pending_);
  if (!rule_) return;
  for (const Change& change : changes) shared_.rules->changed(*rule_, change);
}

std::size_t Board::bytes() const {
  constexpr std::size_t kSetNodeBytes = 32;  // of joins and bans: node, hash and bucket
  std::size_t bytes = sizeof *this + name_.capacity() + engine_->bytes() + top_bytes() +
                      (joined_.size() + banned_.size() + pardoned_.size()) * kSetNodeBytes;
  for (const auto& [player, packed] : hidden_) bytes += kSetNodeBytes + packed.capacity();
  for (const auto& season : archives_) bytes += season->bytes();
  return bytes;
}

}  // namespace laurel
