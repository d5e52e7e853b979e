// A board's making, and its writing: decide what a submission comes to, then apply it.
#include "board/board.h"

#include <cmath>

#include "base/hash.h"
#include "base/limits.h"
#include "base/text.h"
#include "board/ranked_engine.h"
#include "board/values.h"

namespace laurel {

Board::Board(Shared& shared, std::string name, Spec spec, Time created)
    : shared_(shared),
      name_(std::move(name)),
      form_(spec.order, spec.decimals),
      created_(created),
      epoch_(random_u64()),
      engine_(std::make_unique<RankedEngine>(shared.players, spec.ties)),
      joined_(shared.players),
      banned_(shared.players),
      pardoned_(shared.players) {
  update(std::move(spec));
}

Board::~Board() {
  for (const auto& [player, hidden] : hidden_) shared_.players.release(player);
}

void Board::update(Spec spec) {
  if (spec.ranking != spec_.ranking) touched();  // every rank may be another
  spec_ = std::move(spec);
  rule_.reset();
  if (!spec_.rule.empty() && shared_.rules) rule_ = shared_.rules->open(spec_.rule);
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

Result<Board::Decision> Board::decide(Act act, const Submission& submission, Time at) {
  ++shared_.stats.submissions;
  Status status = check_submission(submission);
  Decision decision{.player = look_up(submission.player), .at = at};
  if (status) status = admit(decision.player, false);

  std::optional<ScoreKey> offered;
  if (status) {
    offered = form_.key(submission.score);
    if (!offered) status = out_of_range(form_, fmt::format("the score {}", submission.score));
  }
  if (status) {
    decision.held = engine_->find(decision.player);
    status = spec_.rule.empty() ? decide_by_keep(act, submission, *offered, decision)
                                : decide_by_rule(act, submission, *offered, decision);
  }
  if (status) return decision;
  ++shared_.stats.refused;
  return status.refusal();
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

Status Board::decide_by_rule(Act act, const Submission& submission, ScoreKey offered,
                             Decision& decision) {
  if (!rule_) {
    return Refusal(Code::unavailable, "rule \"{}\" cannot load: no rules directory was given",
                   spec_.rule);
  }
  RuleCase the_case{.board = name_,
                    .player = submission.player,
                    .score = form_.score(offered),
                    .data = submission.data,
                    .at = decision.at,
                    .held = std::nullopt};
  if (const auto& held = decision.held) {
    the_case.held = Held{form_.score(held->score), held->at, held->data};
  }
  const Result<Verdict> verdict = shared_.rules->judge(*rule_, the_case);
  if (!verdict) return verdict.refusal();
  if (!verdict->score) return decide_by_keep(act, submission, offered, decision);

  const std::optional<ScoreKey> ruled = form_.key(*verdict->score);
  if (!ruled) {
    return Refusal(Code::rejected, "rule \"{}\" returned the score {}, which is out of range",
                   spec_.rule, *verdict->score);
  }
  if (!verdict->data) {
    hold(*ruled, submission.data, decision);
    return Done{};
  }
  if (verdict->data->size() > kDataBytesMax) {
    return Refusal(Code::rejected, "rule \"{}\" returned {} bytes of data; at most {} are allowed",
                   spec_.rule, verdict->data->size(), kDataBytesMax);
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
    const std::optional<ScoreKey> sum = form_.sum(held, offered);
    if (!sum) {
      return out_of_range(
          form_, fmt::format("the sum of {} and {}", form_.score(held), form_.score(offered)));
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

Result<Board::Decision> Board::decide_set(const Submission& submission, Time at) {
  if (const Status valid = check_submission(submission); !valid) return valid.refusal();
  Decision decision{.player = look_up(submission.player), .at = at};
  if (const Status admitted = admit(decision.player, true); !admitted) return admitted.refusal();
  const std::optional<ScoreKey> score = form_.key(submission.score);
  if (!score) return out_of_range(form_, fmt::format("the score {}", submission.score));
  decision.held = engine_->find(decision.player);
  hold(*score, submission.data, decision);
  return decision;
}

void Board::commit(const Decision& decision) {
  std::optional<std::string_view> data = decision.data;
  if (decision.ruled_data) data = *decision.ruled_data;
  engine_->put(decision.player, {decision.player.id, decision.score, decision.at, data});
  ++shared_.stats.changed;
  touched();
}

Change Board::commit_and_report(const Decision& decision) {
  Change change{.player = std::string(decision.player.id),
                .board = name_,
                .score = form_.score(decision.score),
                .at = decision.at,
                .changed = decision.changed};
  std::size_t position_before = engine_->size();  // a newcomer comes from behind everybody
  if (const auto& held = decision.held) {
    position_before = *engine_->position(decision.player);
    change.previous = form_.score(held->score);
    change.previous_rank = engine_->rank(decision.player, spec_.ranking);
  }
  if (decision.changed) commit(decision);
  const Player player = look_up(change.player);
  const std::size_t position = *engine_->position(player);
  change.rank = *engine_->rank(player, spec_.ranking);
  change.passed = position < position_before ? position_before - position : 0;
  if (decision.changed) tell_rule(change);
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
  if (rule_hears_changes()) {
    (void)commit_and_report(decision);
  } else if (decision.changed) {
    commit(decision);
  }
  return {form_.score(decision.score), decision.changed};
}

Result<Outcome> Board::submit(Act act, const Submission& submission) {
  const Result<Decision> decision = decide(act, submission, moment_of(submission));
  if (!decision) return decision.refusal();
  return apply(*decision);
}

Result<Change> Board::submit_report(const Submission& submission) {
  const Result<Decision> decision = decide(Act::submit, submission, moment_of(submission));
  if (!decision) return decision.refusal();
  return commit_and_report(*decision);
}

Result<Outcome> Board::set(const Submission& submission) {
  const Result<Decision> decision = decide_set(submission, moment_of(submission));
  if (!decision) return decision.refusal();
  return apply(*decision);
}

Result<bool> Board::remove(std::string_view id) {
  if (const Status valid = check_player(id); !valid) return valid.refusal();
  const Player player = look_up(id);
  if (drop_hidden(player.handle)) return true;
  if (!engine_->erase(player)) return false;
  touched();
  return true;
}

std::size_t Board::clear() {
  for (const auto& [player, hidden] : hidden_) shared_.players.release(player);
  hidden_.clear();
  const std::size_t listed = engine_->size();
  engine_->clear();
  touched();
  return listed;
}

void Board::deliver_changes() {
  std::vector<Change> changes;
  changes.swap(pending_);
  if (!rule_) return;
  for (const Change& change : changes) shared_.rules->changed(*rule_, change);
}

std::size_t Board::bytes() const {
  constexpr std::size_t kSetNodeBytes = 32;  // of joins and bans: node, hash and bucket
  return sizeof *this + name_.capacity() + engine_->bytes() + hidden_.size() * sizeof(Hidden) +
         (joined_.size() + banned_.size() + pardoned_.size()) * kSetNodeBytes;
}

}  // namespace laurel
