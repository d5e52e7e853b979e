// rehearsal.h - judges what is in the journal of a board by a version of a rule that is not in
// force, and counts how its outcomes differ. Nothing changes.
//
//   outcome   the score that would be held, or a refusal, in whatever words.
//   step      one submission, so that the work can continue in slices (registry/rehearsals.h).
//   threads   none of its own; one caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "board/results/submission_journal.h"
#include "board/rules.h"

namespace laurel {

class Board;

struct RehearsalReport {
  std::uint64_t judged = 0;  // accepted, refused or failed under that version
  std::uint64_t same = 0;    // of those, with the outcome that they had
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  // The first of those with another outcome, oldest first.
  using Outcome = std::variant<double, std::string>;  // the score, or the reason
  struct Example {
    std::string player;
    double submitted = 0;
    std::optional<ColumnValues> differences;  // in place of `submitted`
    Outcome was;
    Outcome now;
  };
  std::vector<Example> examples;
  ScoreColumns::Ptr columns;  // of the board, if its scores have any

  // Failures on what was judged without one, and the first of them.
  std::uint64_t newly_failed = 0;
  std::string first_failure;
};

class Rehearsal {
 public:
  // Judges what is in the board's journal now.
  Rehearsal(const Board& board, std::shared_ptr<RuleTrial> version);

  // Judges one more; false if there is none left. `board` is the one that it was made with.
  bool step(const Board& board);
  const RehearsalReport& report() const { return report_; }
  RehearsalReport take_report() { return std::move(report_); }

 private:
  std::shared_ptr<RuleTrial> version_;
  SubmissionJournal::Excerpt excerpt_;
  RehearsalReport report_;
};

// What a board would do by that version.
struct RehearsedDecision {
  std::optional<ScoreKey> score;  // absent: refused
  std::string refusal;            // why
  bool failed = false;            // the rule failed
};

}  // namespace laurel
