// judge.h - decides what a submission does: checks, bans and joins, the board's rule, then `keep`.
//
//   changes  nothing of the board, except the memory of the last decision and the counts of refused
//            submissions. Applying a decision is Board::apply().
//   refused  a submission that was refused has the Refusal that Board::decide() lists.
//   open     in all calls, what Board::may_write() returned.
//   threads  as the board. judge() of a sharded board is called by several threads at once, each
//            with a shard, an arena and a decision of its own.
//
// judge.cc has the usual way, judge_activity.cc rolling boards, and judge_results.cc boards that
// keep something of each result.
#pragma once

#include "board/decision.h"

namespace laurel {

struct JudgedBy;

class Board::Judge {
 public:
  explicit Judge(const Board& board) : board_(board) {}

  // A submission that is being decided. `engine` and `in_engine` are the board's engine and the
  // player, or a shard and the player's handle in that shard.
  struct SubmissionContext {
    WriteMode mode;
    const Submission& submission;
    const ScoreEngine* engine;  // null if the board is rolling
    const Player& in_engine;
    Arena& arena;        // for what is held
    Decision& decision;  // its player is set
  };
  // Decides, counts nothing, and keeps nothing of the result.
  Status judge(const SubmissionContext& context, const Status& open) const;
  // Decides in the board's engine. Refused ones are counted. decide_found() is in line: one frame
  // less on the hot path.
  Status decide_found(WriteMode mode, const Submission& submission, const Status& open,
                      Decision& decision) const;
  Status decide_set(const Submission& submission, Decision& decision) const;
  void count_refusal(Code code) const;

  // A submission of the past, of a player who holds decision.held. The first sets by_rule if a
  // rule's score() was asked; the second goes by `keep`, the third by what a rule said, and returns
  // why the board cannot hold that, if so. REQUIRES of the third: a score.
  Status decide_again(WriteMode mode, const Submission& submission, Decision& decision,
                      bool& by_rule) const;
  Status decide_again_by_keep(WriteMode mode, const Submission& submission,
                              Decision& decision) const;
  std::optional<std::string> follow_verdict(const Verdict& verdict,
                                            const std::optional<std::string_view>& data,
                                            Decision& decision) const;
  // Refusals of rolling boards.
  Refusal rule_sets_score() const;
  static Refusal activity_out_of_range(const Submission& submission);

 private:
  Status admit(const Player& player, bool moderator) const;
  Status admit_submission(const SubmissionContext& context) const;
  Status judge_set(const Submission& submission, Decision& decision) const;
  Status decide_score(const SubmissionContext& context) const;
  Status decide_activity(const SubmissionContext& context) const;
  enum class Judging : std::uint8_t { first, again };
  Result<Verdict> ask_rule(const SubmissionContext& context, double score, Judging how) const;
  Status decide_by_rule(const SubmissionContext& context, ScoreKey offered) const;
  Status decide_by_keep(const SubmissionContext& context, ScoreKey offered) const;
  // A submission with values of columns, which are no whole score.
  Status decide_values(const SubmissionContext& context) const;
  Status add_values(const SubmissionContext& context, const ColumnValues& differences) const;
  // The key of a whole score or number, for a write that does not add.
  Result<ScoreKey> key_of(const Submission& submission) const;

  // judge_results.cc
  Result<bool> repeats(const Submission& submission, Decision& decision) const;
  template <typename Decide>
  Status decide_kept(WriteMode mode, const Submission& submission, Decision& decision,
                     Decide decide) const;
  Status judge_kept(const SubmissionContext& context, const Status& open) const;
  Status judge_set_kept(const Submission& submission, Decision& decision) const;
  Status admit_result(const Player& player) const;
  void reach_rule(ScoreKey offered, const ColumnValues* differences) const;
  JudgedBy judged_by(WriteMode mode, const Status& decided, const Decision& decision) const;

  const Board& board_;
};

[[gnu::always_inline]] inline Status Board::Judge::decide_found(WriteMode mode,
                                                                const Submission& submission,
                                                                const Status& open,
                                                                Decision& decision) const {
  board_.judged_.clear();
  const SubmissionContext context{mode,           submission, board_.scores_, decision.player,
                                  board_.judged_, decision};
  Status decided =
      board_.results_ || submission.id ? judge_kept(context, open) : judge(context, open);
  if (!decided) count_refusal(decided.refusal().code());
  return decided;
}

}  // namespace laurel
