// boards.h - the requests to the boards of one table, as calls of a client.
//
//   reading    starts with the board's METADATA. If a season's end is due, it is written first.
//   writing    reads METADATA, the player's pointer and admission, and for a post the last number
//              of its lane. Decides locally (decide.h). Writes everything in one transaction on
//              condition that none of it changed, nor the season (a fence). Otherwise the cycle is
//              repeated, at most kDynamoJudgementsMax times.
//   fences     kDynamoFences items for each board. Each write uses a random one, so that writes
//              rarely conflict; the end of a season changes all of them. Their sums are the number
//              of entries, and of changes for followers.
//   posts      of one lane are applied one at a time, in the order of asking.
//   ids        of results are items that expire. They are read and written with the entry.
//   at         by default this machine's clock, advanced so that no two are equal.
//   sweeping   items left behind by a reset, clear or drop are deleted later, in a separate task.
//              The table lists them, so that the next server that opens the board can continue.
//   threads    one.
//
// Writes are in boards_write.cc, joins and bans in boards_admission.cc, attempts in
// boards_attempts.cc, reads in boards_read.cc, the boards of a player in boards_by_player.cc, the
// spec and the start and end of seasons in boards_seasons.cc, sweeping in boards_sweep.cc, copies
// of seasons of other boards in archive.cc, their leases in archive_lease.cc.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "board/results/attempts.h"
#include "remote/core/composed_read.h"
#include "remote/dynamodb/board_metadata.h"
#include "remote/dynamodb/decide.h"
#include "remote/dynamodb/keys.h"
#include "remote/dynamodb/net/client.h"
#include "remote/dynamodb/net/transaction.h"
#include "remote/dynamodb/score_scan.h"
#include "remote/remote.h"

namespace laurel::dynamodb {

class Boards {
 public:
  using LogLine = std::function<void(Level level, std::string line)>;

  // The client outlives this object.
  Boards(Client& client, LogLine log) : client_(client), log_(std::move(log)) {}
  Boards(const Boards&) = delete;
  Boards& operator=(const Boards&) = delete;

  // Answers a request; `what` is the call. Both must outlive the task. The caller must serialize
  // the posts of a lane. Each request that writes the running season needs an overload of write(),
  // and each that reads a season one of read(), otherwise this does not compile.
  template <typename What>
  Task<Result<Value>> answer(const SentRequest& sent, const What& what);
  // ---- requests to the board itself
  Task<Result<Value>> answer(const SentRequest& sent, const request::ReadSpec& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::WriteSpec& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::Drop& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::Banned& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::Seasons& request);
  // ---- requests to copies of seasons
  Task<Result<Value>> answer(const SentRequest& sent, const request::CopySeason& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::TakeCopy& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::ReadCopy& request);
  Task<Result<Value>> answer(const SentRequest& sent, const request::ForgetCopied& request);
  // ---- requests to all boards
  Task<Result<Value>> answer(const SentRequest& sent, const request::ScoresOf& request);

  // A text that changes when the board changes, made from the fences. Eventually consistent, cheap.
  Task<Result<std::string>> glance(std::string board);
  // When the board's season ends by the clock, as last read.
  std::optional<Time> due(const std::string& board) const;

  // Frees the tasks of finished sweeps. Only call it between turns.
  void tidy();

 private:
  // A season to read.
  struct Scope {
    Record record;
    std::string board;
    std::string base;
    std::shared_ptr<EntryKeys> keys;
    Order order;
    Ranking ranking = Ranking::competition;
    bool running = true;
    Time deadline = 0;
    std::optional<std::uint64_t> size = {};  // of a copy, which has no fences
    const SentRequest* sent = nullptr;       // the request that it is read for; outlives it
  };
  using Reader = Task<Result<Value>> (Boards::*)(const Scope& scope);
  // The state that a write is decided on.
  struct Found {
    Record record;
    std::string base;
    std::string keep;
    std::optional<Row> row;  // of the player
    bool has_admission = false;
    std::int64_t stamp = 0;  // version of the admission item
    Admission admission;
    std::optional<Row> hidden;            // by a ban, in this season
    std::optional<std::uint64_t> number;  // the last applied post of the lane
    std::optional<Time> accepted;         // when a result with the id was accepted
    bool repeats = false;                 // that was within 24 hours
    std::shared_ptr<const Spec> spec;     // as METADATA has it
    std::optional<Json> attempts;         // the player's item, if it was asked for
    AttemptCount taken;                   // as it counts in this season
  };
  // The items that a write changes, and its answer.
  struct Plan {
    Transaction parts;
    std::int64_t size = 0;  // change of the number of entries
    bool changes = false;   // whether entries change
    bool marks = false;     // whether to mark the season as written
    bool stale = false;     // writes nothing, not even the post's number
    Result<Value> answer = Value(false);
  };
  using Planner = std::function<Plan(const Found& found)>;
  static inline const std::optional<PostNumber> kNoPost;
  struct Player {
    const SentRequest& sent;
    std::string_view player;
    const std::optional<PostNumber>& post = kNoPost;
    std::string_view id = {};     // of the result; empty: none
    bool wants_attempts = false;  // also if the board counts none
  };
  // Position and rank of a row, for reports.
  struct Place {
    std::uint64_t position = 0;
    Rank rank;
  };

  // ---- boards.cc
  Task<Result<Record>> read_record(std::string board, Time deadline);
  Task<Result<Record>> present_record(std::string board, Time now, Time deadline);
  Task<Result<Scope>> scope(const SentRequest& sent);
  Task<Result<std::uint64_t>> size(const Scope& scope);
  static Refusal unknown(std::string_view board);
  // Why the target cannot be read or written.
  static Status may_read(const SentRequest& sent);
  static Status may_write(const SentRequest& sent);
  // Why a request to a board itself cannot be made to the target.
  static Status may_ask_board(const SentRequest& sent, bool writes);
  static Task<Result<Value>> refused(Refusal refusal);
  Task<Result<Value>> answer_read(const SentRequest& sent, Reader reader);
  template <typename What>
  Task<Result<Value>> read_as(const Scope& scope) {
    return read(scope, std::get<What>(scope.sent->what));
  }
  Time next_timestamp();
  void note(const std::string& board, const Record& record);

  // ---- boards_write.cc
  Task<Result<Found>> find(const Player& of);
  // `again` is the answer if the post was applied before.
  Task<Result<Value>> change(Player of, Value again, Planner planner);
  // As change(), after a check of the player's id; `again` is false.
  Task<Result<Value>> change_player(Player of, Planner planner);
  void finish(const Player& of, const Found& found, Plan& plan);
  // Whether a result with the id of this item was accepted within 24 hours.
  static bool repeats(const Json& item, Time now);
  void put_result(const SentRequest& sent, std::string_view id, const Found& found, Plan& plan);
  void put_entry(const EntryKeys& keys, const Found& found, const Row& row, Plan& plan);
  void take_entry(const EntryKeys& keys, const Found& found, const std::string& player, Plan& plan);
  Task<Result<Value>> write(const SentRequest& sent, const request::Write& request);
  Task<Result<Value>> write_one(const SentRequest& sent, const request::Write& request);
  Task<Result<Value>> write_report(const SentRequest& sent, const request::Write& request);
  Task<Result<Value>> write(const SentRequest& sent, const request::WriteAll& request);
  Task<Result<Place>> place_of(const Scope& scope, Row row);
  Plan plan_write(const SentRequest& sent, const request::Write& request, Time at,
                  const Found& found);
  Task<Result<Value>> write(const SentRequest& sent, const request::Remove& request);

  // ---- boards_admission.cc
  void put_admission(const Found& found, std::string_view player, const Admission& admission,
                     const std::optional<Row>& hidden, const EntryKeys& keys, Plan& plan);
  Task<Result<Value>> write(const SentRequest& sent, const request::Join& request);
  Task<Result<Value>> write(const SentRequest& sent, const request::Leave& request);
  Task<Result<Value>> write(const SentRequest& sent, const request::Ban& request);
  Task<Result<Value>> write(const SentRequest& sent, const request::Unban& request);
  Task<Result<Value>> write(const SentRequest& sent, const request::Forget& request);
  Task<Result<std::uint64_t>> forget_past(const SentRequest& sent, std::string player,
                                          Record record);

  // ---- boards_attempts.cc
  // Reads the item of a player's attempts as it counts in the season of the record.
  static AttemptCount attempts_in(const Json& item, const Record& record);
  // Replaces it.
  void put_attempts(const Found& found, std::string_view player, const AttemptCount& count,
                    Plan& plan);
  Task<Result<Value>> write(const SentRequest& sent, const request::Grant& request);
  Task<Result<Value>> read(const Scope& scope, const request::Attempts& request);

  // ---- boards_read.cc
  Task<Result<std::optional<Row>>> row_of(const Scope& scope, std::string player);
  Task<Result<RankCounts>> counts_of(const Scope& scope, ScoreKey score, NeededCounts needed);
  Task<Result<Rank>> rank_of(const Scope& scope, Row row, Ranking ranking);
  Task<Result<Value>> listed(const Scope& scope, std::size_t first, std::vector<Row> rows,
                             std::uint64_t size);
  Task<Result<Value>> read(const Scope& scope, const request::Size& request);
  Task<Result<Value>> read(const Scope& scope, const request::Get& request);
  Task<Result<Value>> read(const Scope& scope, const request::Held& request);
  Task<Result<Value>> read(const Scope& scope, const request::Rank& request);
  Task<Result<Value>> read(const Scope& scope, const request::RankOf& request);
  Task<Result<Value>> read(const Scope& scope, const request::Page& request);
  Task<Result<Value>> read(const Scope& scope, const request::Bottom& request);
  Task<Result<Value>> read(const Scope& scope, const request::TopOnce& request);
  Task<Result<Value>> read(const Scope& scope, const request::Around& request);
  Task<Result<Value>> read(const Scope& scope, const request::Between& request);
  Task<Result<Value>> read(const Scope& scope, const request::Count& request);
  Task<Result<Value>> read(const Scope& scope, const request::Percentile& request);
  Task<Result<Value>> read(const Scope& scope, const request::Among& request);
  Task<Result<Value>> read(const Scope& scope, const request::Key& request);
  Task<Result<Value>> read(const Scope& scope, const request::ReadRows& request);
  template <typename What>
  requires kIsComposed<What> Task<Result<Value>> read(const Scope& scope, const What& request) {
    const auto ask = [this, &scope](const auto& part) { return this->read(scope, part); };
    return compose(ask, *scope.sent->target.spec, request);
  }

  // ---- archive.cc
  Task<Result<Value>> copy_season(const SentRequest& sent, const request::CopySeason& request);
  Task<Result<Json>> metadata_of_copy(const SentRequest& sent);
  Task<Result<Scope>> scope_of_copy(const SentRequest& sent);
  Task<Result<bool>> forget_row(Json pointer, Time deadline);

  // ---- archive_lease.cc
  Task<Result<Value>> copy_in_turn(const SentRequest& sent, const request::CopySeason& request);
  Task<Status> end_turns(Time deadline);

  // ---- boards_by_player.cc
  static Json pointers_query(std::string_view player);
  // The player's pointers, by board.
  Task<Result<std::map<std::string, std::set<std::string>>>> bases_of(std::string player,
                                                                      Time deadline);
  Task<Result<std::optional<Registry::ScoreOf>>> score_on(const SentRequest& sent,
                                                          std::string board,
                                                          std::set<std::string> bases,
                                                          std::string player);

  // ---- boards_seasons.cc
  Task<Reply> save(std::string board, Record record, std::uint64_t version, bool renew,
                   std::vector<PastSeason> gone, Time deadline);
  Task<Result<Value>> write(const SentRequest& sent, const request::Clear& request);
  Task<Result<Value>> write(const SentRequest& sent, const request::Reset& request);
  Task<Result<Value>> read(const Scope& scope, const request::ReadSeason& request);
  Task<Result<Value>> read(const Scope& scope, const request::ReadHearing& request);
  Task<Result<Value>> write(const SentRequest& sent, const request::WriteHearing& request);

  // ---- boards_sweep.cc
  Json gone_item(std::string_view board, const Record& record, const std::vector<PastSeason>& gone,
                 bool dropped) const;
  void sweep_board(const std::string& board);
  Task<bool> sweep(std::string board);
  Task<Status> sweep_item(Json item);
  Task<Status> sweep_scores(std::string partition, std::string base);
  Task<Status> sweep_keep(std::string keep);

  Client& client_;
  LogLine log_;
  struct Known {
    Record record;
  };
  std::map<std::string, Known> known_;  // boards that were used; the first guess for a write
  std::list<Task<bool>> sweeps_;
  Time last_moment_ = 0;
};

template <typename What>
Task<Result<Value>> Boards::answer(const SentRequest& sent, const What& what) {
  if constexpr (What::kWrites) {
    if (const Status may = may_write(sent); !may) return refused(may.refusal());
    return write(sent, what);
  } else {
    if (const Status may = may_read(sent); !may) return refused(may.refusal());
    return answer_read(sent, &Boards::read_as<What>);
  }
}

}  // namespace laurel::dynamodb
