// result_history.h - the last accepted results of each player in a season.
//
//   kept      the newest `most` results of a player, in the order of their acceptance. Only a
//             player with an entry, shown or hidden, has any: the history ends with the entry.
//   rows      a result is appended to a log of the season (store/record_log.h), with the place of
//             the player's result before it (history_record.h). Nothing that was written before is
//             changed. A result without data and rule takes 46 bytes and the player's id.
//   heads     where each player's newest result is, is in memory (history_heads.h), and is found
//             again by reading the log when the store is opened.
//   cleaning  results that newer ones push out stay in the log until they are its oldest. When the
//             log has more than twice the records that count, each result cleans away a few of the
//             oldest; those of them that still count are appended again, with the others of their
//             player. A log that has not grown that much is left as it is.
//   season    ends with its space, whose rows are freed in steps.
//   resized   a player's results beyond a smaller size end with the next result of the player.
//             Until then reading leaves them out, and a larger size shows them again.
//   threads   none of its own; one caller at a time.
//   cost      keep: a copy, about one cache miss, which prefetch() hides, and on average the look
//             at one old record, 60 at a time. Reads: O(k) chunks of the store, some of which may
//             wait for the disk. Opening: O(records).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/reclaimer.h"
#include "board/results/history_heads.h"
#include "board/results/history_record.h"
#include "board/results/kept_result.h"
#include "engine/engine.h"
#include "store/record_log.h"

namespace laurel {

class ResultHistory {
 public:
  // `board` is the board's space. REQUIRES: 1 <= most <= kHistoryMax.
  ResultHistory(const EngineContext& context, const Space& board, std::size_t most)
      : context_(context), board_(board), most_(most) {}

  // From a durable store. Call it once, before anything else. Fails with bad_data.
  Status load(const Engine::LoadProgress& progress);
  // The space with the season's rows, if there are any.
  std::optional<SpaceNumber> space() const;
  void resize(std::size_t most);
  std::size_t most() const { return most_; }

  // Prefetches what prepare() reads. `player` is the hash of the player's id.
  void prefetch(std::uint64_t player) const { heads_.prefetch(player); }
  // A result in two steps: prepare() looks at what the player holds, `row.before`, and changes
  // nothing; keep() is called when the result was applied, and nothing changed between them.
  void prepare(std::string_view player, ResultRow row);
  void keep();

  // The player's results, oldest first.
  std::vector<KeptResult> of(std::string_view player) const;
  // All results, player by player, in the order of their newest ones.
  using EachPlayer =
      std::function<void(std::string_view player, const std::vector<KeptResult>& results)>;
  void each(const EachPlayer& visit) const;
  // Sets the results of a player, oldest first.
  void replace(std::string_view player, std::span<const KeptResult> results);

  // The player's entry is gone.
  void end(std::string_view player);
  // All are gone, in O(1); what they take is freed in steps.
  void start_over(Reclaimer& reclaimer);
  // REQUIRES: nothing is kept of `to`.
  void rename(std::string_view from, std::string_view to);

  std::size_t bytes() const;

 private:
  // The records of a chunk, with the hashes of their players.
  class Chunk;

  RecordLog& log();
  std::uint64_t records_max() const;
  HistoryHead next_head(const std::optional<HistoryHead>& head, bool holds) const;
  void set_head(std::uint64_t hash, const std::optional<HistoryHead>& was, HistoryHead head,
                const RecordLog::Place& place);
  template <typename Visit>
  std::size_t walk(HistoryHead head, std::size_t most, Visit visit) const;
  std::vector<KeptResult> results_of(const HistoryHead& head, std::string_view player) const;
  Status load_old_form(SpaceNumber space);
  bool take_in(const HistoryRecord& record, std::uint64_t hash, const RecordLog::Place& place);
  void clean();
  std::size_t pass(const HistoryRecord& record, std::uint64_t hash);
  std::size_t append_again(std::uint64_t hash, const HistoryHead& was);

  EngineContext context_;
  Space board_;
  std::size_t most_;
  std::optional<RecordLog> log_;
  HistoryHeads heads_;
  std::uint64_t records_ = 0;     // in the log, except those of its oldest chunk that were passed
  std::uint64_t kept_ = 0;        // of them: those that count, of all players
  std::size_t passed_ = 0;        // records of the oldest chunk
  std::uint64_t cleaned_at_ = 0;  // the log's last chunk when cleaning ended

  struct Prepared {
    std::uint64_t hash = 0;
    std::optional<HistoryHead> was;
    HistoryHead head;
  } prepared_;
  // Kept to reuse their memory.
  std::string record_;
  std::string chunk_;
  struct Moved {
    std::string bytes;
    std::vector<std::size_t> ends;
  } moved_;
};

}  // namespace laurel
