#include "board/submission/rehearsal.h"

#include <utility>

#include "base/limits.h"
#include "board/submission/judge.h"

namespace laurel {

namespace {

SubmissionJournal::Excerpt excerpt_of(const Board& board) {
  const SubmissionJournal* const journal = board.journal();
  return journal == nullptr ? SubmissionJournal::Excerpt() : journal->excerpt();
}

RehearsalReport::Outcome shown_outcome(const ScoreForm& form, const std::optional<ScoreKey>& score,
                                       const std::string& refusal) {
  if (score) return form.score(*score);
  return refusal;
}

}  // namespace

Rehearsal::Rehearsal(const Board& board, std::shared_ptr<RuleTrial> version)
    : version_(std::move(version)), excerpt_(excerpt_of(board)) {
  report_.columns = board.columns();
}

bool Rehearsal::step(const Board& board) {
  const JournalRecord* const record = excerpt_.next();
  if (record == nullptr) return false;
  const RehearsedDecision now = board.rehearse(*record, *version_);
  ++report_.judged;
  ++(now.failed ? report_.failed : now.score ? report_.accepted : report_.refused);
  if (now.failed && record->judged && ++report_.newly_failed == 1) {
    report_.first_failure = now.refusal;
  }
  if (now.score == record->outcome) {
    ++report_.same;
  } else if (report_.examples.size() < kRehearsalExamplesMax) {
    const ScoreForm form(board.spec().order, board.spec().decimals);
    report_.examples.push_back({.player = record->player,
                                .submitted = record->score,
                                .differences = record->differences,
                                .was = shown_outcome(form, record->outcome, record->refusal),
                                .now = shown_outcome(form, now.score, now.refusal)});
  }
  return true;
}

// ---- what a board would do

namespace {

RehearsedDecision rehearsed_refusal(const Refusal& refusal) {
  return {.score = std::nullopt, .refusal = std::string(refusal.text()), .failed = false};
}

RehearsedDecision rehearsed_refusal(const std::string& reason, bool failed) {
  RehearsedDecision decision = rehearsed_refusal(Refusal(Code::rejected, "{}", reason));
  decision.failed = failed;
  return decision;
}

}  // namespace

RehearsedDecision Board::rehearse(const JournalRecord& record, RuleTrial& version) const {
  Submission submission{.player = record.player, .score = record.score};
  if (record.data) submission.data = *record.data;
  if (record.differences) submission.columns = &*record.differences;
  RuleCase the_case{.board = name_,
                    .player = record.player,
                    .score = record.score,
                    .data = submission.data,
                    .at = record.at,
                    .held = std::nullopt,
                    .columns = columns().get(),
                    .differences = submission.columns};
  Decision decision(record.at);
  if (record.held) {
    const EngineRow held = row_of(*record.held);
    decision.held = held;
    the_case.held = Held{form().score(held.score), held.at, held.data};
  }
  switch (version.judge(the_case)) {
    case RuleTrial::Ruling::passed: break;
    case RuleTrial::Ruling::rejected: return rehearsed_refusal(version.reason(), false);
    case RuleTrial::Ruling::failed: return rehearsed_refusal(version.reason(), true);
  }
  const Verdict& verdict = version.verdict();
  if (rolling_ != nullptr) {
    if (verdict.score) return rehearsed_refusal(Judge(*this).rule_sets_score());
    if (!record.sum) return rehearsed_refusal(Judge::activity_out_of_range(submission));
    return {.score = *record.sum, .refusal = {}, .failed = false};
  }
  if (verdict.score) {
    if (std::optional<std::string> problem =
            Judge(*this).follow_verdict(verdict, submission.data, decision)) {
      return rehearsed_refusal(version.overrule(std::move(*problem)), true);
    }
  } else if (const Status kept =
                 Judge(*this).decide_again_by_keep(record.mode, submission, decision);
             !kept) {
    return rehearsed_refusal(kept.refusal());
  }
  return {.score = decision.score, .refusal = {}, .failed = false};
}

}  // namespace laurel
