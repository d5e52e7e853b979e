#include "remote/core/rule_write.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.h"
#include "board/refusals.h"
#include "board/validate.h"
#include "engine/padded/padded_keys.h"
#include "remote/limits.h"

namespace laurel {

namespace {

ScoreForm form_of(const Spec& spec) { return {spec.order, spec.decimals}; }

bool fits(const Spec& spec, ScoreKey score) {
  if (spec.columns) return spec.columns->is_whole(form_of(spec).score(score));
  return !keys_are_padded(spec) || PaddedKeys(spec).fits(score);
}

Status check_columns(const Spec& spec, WriteMode how, const OwnedSubmission& what) {
  if (adds(spec.keep, how)) {
    const Result<ColumnValues> differences = differences_of(*spec.columns, what);
    return differences ? Status(Done{}) : differences.refusal();
  }
  const Result<double> whole = whole_score_of(*spec.columns, what);
  return whole ? Status(Done{}) : whole.refusal();
}

}  // namespace

Status check_values(const Spec& spec, WriteMode how, const OwnedSubmission& what) {
  if (Status valid = check_submission(what.view()); !valid) return valid;
  if (spec.columns) return check_columns(spec, how, what);
  const ScoreForm form = form_of(spec);
  const std::optional<ScoreKey> key = form.key(what.score);
  if (!key) return out_of_range(form, fmt::format("the score {}", what.score));
  if (!adds(spec.keep, how) && !fits(spec, *key))
    return does_not_fit(form.score(*key), spec.digits);
  return Done{};
}

// ---- one submission

RuleWrite::RuleWrite(PendingRequests& requests, NamedRemote& remote, Target target, What what,
                     Time deadline, PendingRequests::Completion done)
    : requests_(requests),
      remote_(remote),
      target_(std::move(target)),
      what_(std::move(what)),
      ruled_(what_),
      deadline_(deadline),
      done_(std::move(done)) {
  if (Rules* const rules = requests_.registry().rules()) rule_ = rules->open(target_.spec->rule);
  if (auto* write = std::get_if<request::Write>(&what_)) {
    report_ = write->report;
    write->report = write->report || (rule_ && requests_.registry().rules()->wants_changes(*rule_));
  }
  if (!submission().at) submission().at = seconds_from_time(requests_.registry().next_timestamp());
}

std::shared_ptr<RuleWrite> RuleWrite::begin(PendingRequests& requests, NamedRemote& remote,
                                            Target target, What what, Time deadline,
                                            PendingRequests::Completion done) {
  const std::shared_ptr<RuleWrite> rule_write(new RuleWrite(
      requests, remote, std::move(target), std::move(what), deadline, std::move(done)));
  rule_write->read_held();
  return rule_write;
}

void RuleWrite::cancel() {
  done_ = nullptr;
  requests_.cancel(std::exchange(request_, 0));
}

OwnedSubmission& RuleWrite::submission() {
  return std::visit([](auto& each) -> OwnedSubmission& { return each.what; }, what_);
}

WriteMode& RuleWrite::how() {
  return std::visit([](auto& each) -> WriteMode& { return each.how; }, what_);
}

void RuleWrite::end(Result<Value> value) {
  request_ = 0;
  if (const PendingRequests::Completion done = std::exchange(done_, nullptr))
    done(std::move(value));
}

void RuleWrite::read_held() {
  const OwnedSubmission& own = submission();
  if (const Status valid = own.id ? check_identity(own.view()) : Done{}; !valid) {
    return end(valid.refusal());
  }
  request_ = requests_.ask(remote_, target_, request::Held{own.player, own.id}, deadline_,
                           [self = shared_from_this()](Result<Value> value) {
                             if (!value) return self->end(value.refusal());
                             const auto& held = std::get<HeldEntry>(*value);
                             if (held.repeats) return self->repeated(held);
                             self->judge(held);
                           });
}

// The result was accepted before: it changes nothing, and the rule does not hear of it.
void RuleWrite::repeated(const HeldEntry& held) {
  Written written;
  written.score = held.score;
  if (!report_) return end(Value(std::move(written)));
  Change change{.player = submission().player, .board = target_.board};
  change.columns = target_.spec->columns;
  change.score = change.previous = held.score;
  change.at = held.at;
  written.change = std::move(change);
  const auto done = [self = shared_from_this(), written](const Result<Value>& value) mutable {
    if (!value) return self->end(value.refusal());
    if (const auto& standing = std::get<std::optional<Standing>>(*value)) {
      written.change->rank = written.change->previous_rank = standing->rank;
    }
    self->end(Value(std::move(written)));
  };
  request_ = requests_.ask(remote_, target_, request::Rank{submission().player, std::nullopt},
                           deadline_, done);
}

void RuleWrite::judge(const HeldEntry& held) {
  ruled_ = what_;
  if (const Status valid = check_values(*target_.spec, how(), submission()); !valid) {
    return end(valid.refusal());
  }
  const ScoreForm form = form_of(*target_.spec);
  const Result<Verdict> verdict = ask_rule(form.score(*form.key(submission().score)), held);
  if (!verdict) return end(verdict.refusal());
  if (verdict->score) {
    if (const Status held_so = hold(*verdict); !held_so) return end(held_so.refusal());
  }
  write(held);
}

Result<Verdict> RuleWrite::ask_rule(double score, const HeldEntry& held) {
  const Spec& spec = *target_.spec;
  if (!rule_) {
    return Refusal(Code::unavailable, "rule \"{}\" cannot load: no rules directory was given",
                   spec.rule);
  }
  const OwnedSubmission& own = submission();
  std::optional<ColumnValues> differences;
  if (own.columns) differences = *spec.columns->differences(*own.columns);  // they were checked
  RuleCase the_case{.board = target_.board,
                    .player = own.player,
                    .score = score,
                    .data = own.view().data,
                    .at = time_from_seconds(*own.at).value_or(0),
                    .held = std::nullopt,
                    .columns = spec.columns.get(),
                    .differences = differences ? &*differences : nullptr};
  if (held.score) the_case.held = Held{*held.score, held.at, held.data};
  return requests_.registry().rules()->judge(*rule_, the_case, spec.rule_failure);
}

// Writes the rule's score in place of the submission's.
Status RuleWrite::hold(const Verdict& verdict) {
  Rules& rules = *requests_.registry().rules();
  const Spec& spec = *target_.spec;
  const std::string player = submission().player;
  const std::optional<ScoreKey> key = form_of(spec).key(*verdict.score);
  if (!key || !fits(spec, *key)) {
    return rules.overrule(*rule_, target_.board, player,
                          fmt::format("score returned {}, which is out of range", *verdict.score));
  }
  if (verdict.data && verdict.data->size() > kDataBytesMax) {
    return rules.overrule(*rule_, target_.board, player,
                          fmt::format("score returned data of {} bytes; at most {} are allowed",
                                      verdict.data->size(), kDataBytesMax));
  }
  std::visit(
      [&](auto& each) {
        each.how = WriteMode::hold;
        each.what.score = *verdict.score;
        each.what.columns.reset();
        if (verdict.data) each.what.data = std::string(*verdict.data);
      },
      ruled_);
  return Done{};
}

void RuleWrite::write(const HeldEntry& held) {
  std::visit([&](auto& each) { each.expected = held; }, ruled_);
  Request ask = std::visit([](const auto& each) -> Request { return each; }, ruled_);
  request_ = requests_.ask(
      remote_, target_, std::move(ask), deadline_,
      [self = shared_from_this()](Result<Value> value) { self->written(std::move(value)); });
}

void RuleWrite::written(Result<Value> value) {
  if (!value) return end(std::move(value));
  auto& written = std::get<Written>(*value);
  if (written.stale) {
    if (++judgements_ < kJudgementsMax) return read_held();
    return end(Refusal(Code::unavailable,
                       "other servers changed the score {} times while the rule judged it",
                       judgements_));
  }
  if (written.change && written.change->changed && rule_) {
    requests_.registry().rules()->changed(*rule_, *written.change);
  }
  if (!report_) written.change.reset();
  end(std::move(value));
}

// ---- several

RuleWriteAll::RuleWriteAll(PendingRequests& requests, NamedRemote& remote, Target target,
                           request::WriteAll what, Time deadline, PendingRequests::Completion done)
    : requests_(requests),
      remote_(remote),
      target_(std::move(target)),
      what_(std::move(what)),
      deadline_(deadline),
      done_(std::move(done)) {
  for (std::size_t i = 0; i < what_.what.size(); ++i) {
    left_.push_back(i);
    OwnedSubmission& each = what_.what[i];
    if (!each.at) each.at = seconds_from_time(requests_.registry().next_timestamp());
  }
}

std::shared_ptr<RuleWriteAll> RuleWriteAll::begin(PendingRequests& requests, NamedRemote& remote,
                                                  Target target, request::WriteAll what,
                                                  Time deadline, PendingRequests::Completion done) {
  const std::shared_ptr<RuleWriteAll> rule_write(new RuleWriteAll(
      requests, remote, std::move(target), std::move(what), deadline, std::move(done)));
  rule_write->next_round();
  return rule_write;
}

void RuleWriteAll::cancel() {
  done_ = nullptr;
  for (const auto& each : std::exchange(under_way_, {})) each->cancel();
}

void RuleWriteAll::next_round() {
  std::set<std::string_view> players;
  std::set<std::string_view> ids;
  std::vector<std::size_t> round;
  std::erase_if(left_, [&](std::size_t i) {
    const OwnedSubmission& each = what_.what[i];
    const bool is_players_next = players.insert(each.player).second;
    const bool is_ids_next = !each.id || ids.insert(*each.id).second;
    if (!is_players_next || !is_ids_next) return false;
    round.push_back(i);
    return true;
  });
  waiting_ = round.size();
  under_way_.clear();
  for (const std::size_t i : round) {
    request::Write write;
    write.what = what_.what[i];
    under_way_.push_back(RuleWrite::begin(requests_, remote_, target_, std::move(write), deadline_,
                                          [self = shared_from_this(), i](Result<Value> value) {
                                            self->answered(i, std::move(value));
                                          }));
  }
}

void RuleWriteAll::answered(std::size_t index, Result<Value> value) {
  if (!value) {
    all_.refused.emplace_back(index, value.refusal());
  } else if (std::get<Written>(*value).changed) {
    ++all_.changed;
  }
  if (--waiting_ > 0) return;
  if (!left_.empty()) return next_round();
  std::sort(all_.refused.begin(), all_.refused.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  under_way_.clear();
  if (const PendingRequests::Completion done = std::exchange(done_, nullptr))
    done(Value(std::move(all_)));
}

}  // namespace laurel
