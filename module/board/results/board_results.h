// board_results.h - what a board keeps of results besides its entries: ids of results that were
// accepted, how many of a player were taken, and what else a spec asks for.
//
//   owner      a board has one if its spec asks for it, or from the first result with an id on.
//              Other boards have none, and pay one branch a submission.
//   result     a submission on its way: begin(), admitted(), decided(), applied(), in this order.
//              What fails ends it. A repeated result, whose id was accepted before, is only looked
//              up.
//   part       each thing kept is a class with a file of its own; this one asks each in turn.
//   batches    a board that keeps something of each result (keeps_each) is submitted to by one
//              thread at a time.
//   threads    as the board.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "board/part_context.h"
#include "board/results/accepted_ids.h"
#include "board/results/attempts.h"
#include "board/results/result_history.h"
#include "board/results/submission_journal.h"
#include "board/spec/keep_policy.h"
#include "board/spec/spec.h"
#include "board/standings/change.h"
#include "engine/engine.h"
#include "store/space.h"

namespace laurel {

// A result that is being decided.
struct OfferedResult {
  WriteMode mode = WriteMode::submit;
  bool joins = false;  // the score of a join, with mode `submit`
  const Submission* submission = nullptr;
  Time at = 0;                                   // the submission's own moment
  bool admitted = false;                         // it reached the rule, or would if there were one
  ScoreKey score = 0;                            // then: as it was handed in
  std::optional<ColumnValues> differences = {};  // in place of it, if they are not a whole score
};

// What the board did with it. On a rolling board, the score is the sum.
struct TakenResult {
  Player player;                           // with the handle from before: it may be void now
  const std::optional<EngineRow>& before;  // what was held
  ScoreKey score;                          // what is held now
  Time at;
  std::optional<std::string_view> data;
};

// How the rule judged it.
struct JudgedBy {
  std::string version;          // of the rule in force; empty: none
  bool failed = false;          // the rule did
  std::optional<ScoreKey> sum;  // on a rolling board: what the player would hold
};

class BoardResults {
 public:
  // Whether a board with this spec keeps something of each result.
  static bool keeps_each(const Spec& spec);

  BoardResults(const PartContext& context, const Spec& spec);
  ~BoardResults();
  BoardResults(const BoardResults&) = delete;
  BoardResults& operator=(const BoardResults&) = delete;

  // Whether the store has rows of a board that keeps something which its spec does not name.
  static bool has_rows(const Space& board);
  // From a durable store. Call it once, before anything else.
  Status load(const Engine::LoadProgress& progress);
  // The spaces that the parts use.
  using EachSpace = std::function<void(SpaceNumber first, SpaceNumber count)>;
  void each_space(const EachSpace& visit) const;
  // Frees all of it. Called before the board is dropped.
  void dismantle();

  // The spec changed.
  void configure(const Spec& spec);

  // ---- a result; the player and the values are valid

  // Prefetches what the result needs, before anything else. `player` is the hash of the player's
  // id. Returns the hash of the result's id for has_id(), if it has computed it.
  std::optional<IdHash> prefetch(const Submission& result, std::uint64_t player) const {
    std::optional<IdHash> id;
    if (ids_ && result.id) {
      id = ids_->hash(*result.id);
      ids_->prefetch(*id);
    }
    if (history_) history_->prefetch(player);
    return id;
  }
  // The same, once the handle is known that the player may have.
  void prefetch(PlayerHandle likely) const {
    if (attempts_ && likely != kNoPlayer) attempts_->prefetch(likely);
  }
  // Whether the id was accepted on this board within 24 hours before `now`. If not, it is accepted
  // when the result is applied. The hash is of prefetch(), if it was called.
  bool has_id(std::string_view id, const std::optional<IdHash>& hash, Time now);
  // Called with each result, before anything is decided. `at` is the submission's own moment.
  void begin(WriteMode mode, bool joins, const Submission& submission, Time at) {
    // Not as a whole: its column values are large, and few results have any.
    offered_.mode = mode;
    offered_.joins = joins;
    offered_.submission = &submission;
    offered_.at = at;
    offered_.admitted = false;
    offered_.differences.reset();
  }
  // It reaches the rule, or would if there were one: it was checked, and bans, joins, attempts and
  // capacity allow it. One that is set reaches no rule, but is admitted too.
  void admitted(ScoreKey score, const ColumnValues* differences) {
    offered_.admitted = true;
    offered_.score = score;
    if (differences != nullptr) offered_.differences = *differences;
  }
  // Whether decided() does anything.
  bool hears_decisions() const { return history_ || journal_; }
  // The result was refused, or may be applied now: then `taken` is what applying it does. Of a
  // refused one it says what was held, if that was looked up.
  void decided(const Status& status, const TakenResult& taken, const ScoreForm& form,
               const JudgedBy& judged);
  // It was applied. The player's handle is from before: it may be void now.
  void applied(const Player& player);

  // ---- writes that are not results

  void removed(std::string_view player);
  void cleared();
  void season_ended();
  // Removes every trace of the player, except ids.
  void forget(std::string_view player);
  // Gives everything of one player to another. REQUIRES: has(to) is false.
  void rename(std::string_view from, std::string_view to);
  // Whether anything is kept of the player.
  bool has(std::string_view player) const;

  // ---- attempts; null without

  const Attempts* attempts() const { return attempts_.get(); }
  Attempts* attempts() { return attempts_.get(); }

  // ---- kept results, and submissions for rehearsals; null without

  const ResultHistory* history() const { return history_.get(); }
  ResultHistory* history() { return history_.get(); }
  const SubmissionJournal* journal() const { return journal_.get(); }

  // ---- ids; null until the first

  const AcceptedIds* ids() const { return ids_.get(); }
  AcceptedIds& make_ids();

  std::size_t bytes() const;

 private:
  void configure_history(std::size_t most);
  void configure_journal(std::size_t most);
  void prepare_history(const TakenResult& taken, const JudgedBy& judged);
  void note_in_journal(const Status& status, const TakenResult& taken, const ScoreForm& form,
                       const JudgedBy& judged);

  PartContext context_;
  OfferedResult offered_;
  std::unique_ptr<Attempts> attempts_;
  std::unique_ptr<AcceptedIds> ids_;
  std::unique_ptr<ResultHistory> history_;
  std::unique_ptr<SubmissionJournal> journal_;
  struct OfferedId {
    IdHash hash;
    Time now = 0;
  } offered_id_;  // of the result that is being decided
};

}  // namespace laurel
