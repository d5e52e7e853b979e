// submission_journal.h - the latest submissions of a board that reached its rule, or would have if
// it had one: rules are rehearsed on them.
//
//   record    one submission, what was held when it came, and what became of it.
//   excerpt   the records of one moment. Taking it costs little, and it lasts while the journal
//             continues; only a player that is forgotten leaves it, too.
//   memory    about 250 bytes a record, and its texts. Nothing is stored.
//   threads   none of its own; one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board/results/kept_result.h"

namespace laurel {

struct JournalRecord {
  std::string player;  // empty: forgotten
  WriteMode mode = WriteMode::submit;
  double score = 0;  // as it was handed in, rounded as the board's
  Time at = 0;
  std::optional<std::string> data;
  std::optional<HeldState> held;
  std::optional<ScoreKey> sum;      // on a rolling board: what is held if the rule takes it
  std::optional<ScoreKey> outcome;  // the score that was decided; absent: refused
  std::string refusal;              // why
  // Whether the rule that was in force judged it without failing, or there was none.
  bool judged = true;
  // On a board with columns: what was handed in, if it is not a whole score.
  std::optional<ColumnValues> differences;
};

class SubmissionJournal {
 public:
  // REQUIRES: 1 <= most <= kJournalMax.
  explicit SubmissionJournal(std::size_t most) : most_(most) {}

  void resize(std::size_t most);
  std::size_t most() const { return most_; }
  std::size_t size() const { return size_; }
  void note(JournalRecord record);

  void forget(std::string_view player);
  void rename(std::string_view from, std::string_view to);

  class Excerpt;
  Excerpt excerpt() const;

  std::size_t bytes() const;

 private:
  static constexpr std::size_t kBlockRecords = 256;
  using Block = std::vector<JournalRecord>;  // never grows beyond what is reserved

  template <typename Visit>
  void each_of(std::string_view player, Visit visit);
  void trim();

  std::size_t most_;
  std::size_t size_ = 0;
  std::size_t first_ = 0;  // of the oldest block: records that are no longer in the journal
  std::deque<std::shared_ptr<Block>> blocks_;
};

class SubmissionJournal::Excerpt {
 public:
  // The next record, oldest first; null after the last. Skips those of forgotten players.
  const JournalRecord* next();

 private:
  friend class SubmissionJournal;

  std::vector<std::shared_ptr<const Block>> blocks_;
  std::size_t block_ = 0;
  std::size_t next_ = 0;  // in that block
  std::size_t left_ = 0;
};

}  // namespace laurel
