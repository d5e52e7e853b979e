// request_handler.h - turns requests to boards into Redis commands, and the replies into answers.
//
//   task      each request is a coroutine; all run on one thread.
//   season    commands name their season. If a shard is in another one, the task reads the board's
//             hash again and starts over. If a season's end is due by the request's `now`, the task
//             ends the season first.
//   board     its hash is cached for kRedisFactsAgeMax. Tasks of one board that need it share one
//             read, and continue in FIFO order. A board that does not exist is removed from the
//             cache.
//   writes    concurrent writes to one shard are batched into one script (write_batcher.h).
//   moment    a board of one shard is read by one script, so its state is consistent. A sharded
//             board is read shard by shard, each at some moment between request and answer. Reads
//             in several rounds (ranks of single players, pages from the middle) may see a shard at
//             two such moments. Without concurrent writes every answer is exact.
//   cost      with p shards and n entries. A submission is part of one command. Tops: one command
//             per shard, rarely two. Ranks: two rounds. A page from the middle of a sharded board:
//             O(log n) rounds, if it is beyond the first kRedisPrefixMax. A dense rank of a board
//             of one shard costs as much as others if that is the board's ranking; otherwise a step
//             for each distinct score that is better (handle_distinct.cc).
//
// Reads are in handle_read.cc, handle_list.cc, handle_distinct.cc and handle_copy.cc, writes in
// handle_write.cc, attempts in handle_attempts.cc, the board itself and its seasons in
// handle_season.cc.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/steady_clock.h"
#include "engine/gather/list_search.h"
#include "rank/tree/ranking.h"
#include "remote/core/composed_read.h"
#include "remote/core/coroutine.h"
#include "remote/core/run_queue.h"
#include "remote/redis/board_metadata.h"
#include "remote/redis/keys.h"
#include "remote/redis/net/cluster.h"
#include "remote/redis/write_batcher.h"
#include "remote/remote.h"

namespace laurel::redis {

// `unknown`
Refusal no_such_board(const std::string& name);
// Why players and sessions, or copies of seasons, are refused: `unsupported`.
Refusal no_players();
Refusal no_copies();

// Why a request ends that found another season at every attempt. `is_unknown`: a part of it may
// have been written.
Refusal season_kept_ending(const SentRequest& sent, bool is_unknown = false);

class RequestHandler {
 public:
  // The references outlive this object.
  RequestHandler(Cluster& cluster, Ready& ready)
      : cluster_(cluster), ready_(ready), gathering_(cluster, ready) {}

  // The task must be awaited to its end, or never started.
  Task<Result<Value>> answer(SentRequest sent);
  // Ends pieces whose deadline has passed. Called after every poll.
  void expire(Time now) { gathering_.expire(now); }

 private:
  // The cached state of a board.
  struct Board {
    explicit Board(Ready& ready) : gate(ready) {}

    void learn(BoardFacts fresh, Time asked);
    // `spec` with the hash's values of the fields that may change. The same pointer until either
    // changes. Fails with unavailable: this server cannot follow the hash.
    const Result<std::shared_ptr<const Spec>>& overlay(const std::shared_ptr<const Spec>& spec);
    // Whether the hash agrees with `spec`.
    bool agrees_with(const std::shared_ptr<const Spec>& spec);

    BoardFacts facts;
    Time read_at = INT64_MIN;  // when its hash was requested, by steady_now()
    Gate gate;
    // The heads of submissions to each shard, for one season and spec.
    struct Heads {
      std::shared_ptr<const Spec> spec;
      std::uint64_t season = 0;
      std::uint64_t counting = 0;
      bool roll = false;
      std::vector<std::shared_ptr<const Gathering::Head>> of;  // by shard
    } heads;

   private:
    std::shared_ptr<const Spec> known_;  // the spec compared last
    Result<std::shared_ptr<const Spec>> remote_spec_ = std::shared_ptr<const Spec>();
    bool agrees_ = false;
  };

  // One request in progress.
  struct Context {
    Context(const SentRequest& asked, std::shared_ptr<Board> known)
        : sent(asked),
          board(std::move(known)),
          begun(steady_now()),
          spec(asked.target.spec),
          form(*spec) {}

    std::size_t shards() const { return spec->engine == EngineKind::sharded ? spec->shards : 1; }
    bool is_past() const { return sent.target.season != 0; }
    // Whether the season has a set of its distinct scores (scripts/distinct_scripts.cc).
    bool has_distinct() const { return shards() == 1 && spec->ranking == Ranking::dense; }
    // A shard is in another season than this: the board is to be read again, and followed.
    void follow_season() {
      moved_at = steady_now();
      roll = true;
    }

    const SentRequest& sent;
    std::shared_ptr<Board> board;
    Time begun;
    std::shared_ptr<const Spec> spec;  // with the values of the hash
    RowForm form;
    std::uint64_t season = 0;
    bool roll = false;   // shards may be moved to this season: it was read after `moved_at`
    bool moved = false;  // a shard is in another season: start over
    Time moved_at = INT64_MIN;
  };

  // How many distinct scores are better, if a script knows it.
  using DistinctBetter = std::optional<std::uint64_t>;
  // A row with its rank counts on the whole board.
  struct Placed {
    Row row;
    RankCounts counts;
  };
  struct PlacedPlayers {
    std::vector<Placed> players;  // those that have an entry, in the order of the request
    std::uint64_t size = 0;
  };
  // A score, and a member if the position of that row is requested too.
  struct Probe {
    double stored = 0;
    std::string member;
  };
  struct Counted {
    std::vector<RankCounts> probes;
    std::vector<DistinctBetter> distinct;  // by probe
    std::uint64_t size = 0;
  };
  // Consecutive rows from the best or the worst end; each shard has its own start.
  struct Slice {
    std::vector<std::size_t> starts;  // by shard; empty: all from their end
    std::optional<double> from;       // starts at that score instead
    bool from_worst = false;
    std::size_t n = 0;
    std::size_t each = 0;  // rows to read from each shard, once; 0: until the list is complete
  };
  struct Gathered {
    std::vector<Row> rows;
    std::uint64_t size = 0;
    std::uint64_t first = 0;  // sum of the shards' starts
    bool certain = true;
    std::optional<std::uint64_t> better;     // than the best of them; only for one shard
    std::optional<std::uint64_t> not_worse;  // than the worst of them
    DistinctBetter distinct;                 // than the best of them
  };
  struct ShardCall {
    std::size_t shard = 0;
    Words arguments;          // after those of every script
    bool names_past = false;  // includes the keys of past seasons, as known when it is sent
  };
  using Replies = std::vector<Reply>;
  template <typename T>
  using Answered = Task<Result<T>>;
  using Handler = Answered<Value> (RequestHandler::*)(Context& context);

  // ---- request_handler.cc

  std::shared_ptr<Board> board(const std::string& name);
  void forget(const std::string& name, const std::shared_ptr<Board>& known);
  Answered<Done> present(Context& context);
  Answered<Value> refused(Refusal refusal);
  // Requests to an existing board need an answer(context, what), otherwise this does not compile.
  // Other requests have their own begin().
  template <typename What>
  Answered<Value> begin(const SentRequest& sent, const What& what);
  Answered<Value> begin(const SentRequest& sent, const request::ReadSpec& what);
  Answered<Value> begin(const SentRequest& sent, const request::WriteSpec& what);
  Answered<Value> begin(const SentRequest& sent, const request::Drop& what);
  Answered<Value> begin(const SentRequest& sent, const request::CopySeason& what);
  Answered<Value> begin(const SentRequest& sent, const request::TakeCopy& what);
  Answered<Value> begin(const SentRequest& sent, const request::ReadCopy& what);
  Answered<Value> begin(const SentRequest& sent, const request::ForgetCopied& what);
  Answered<Value> answer_in_season(const SentRequest& sent, Handler handler);
  template <typename What>
  Answered<Value> answer_as(Context& context) {
    return answer(context, std::get<What>(context.sent.what));
  }
  // Runs the script on these shards concurrently. If one refuses, the whole request is refused.
  Answered<Replies> ask_shards(Context& context, Script script, std::vector<ShardCall> calls);
  // Runs a writing script on one shard, and repeats it until the shard agrees about the season. For
  // `write` the call's arguments are one submission.
  Answered<Reply> write_shard(Context& context, Script script, ShardCall call, bool is_post);
  std::shared_ptr<const Gathering::Head> head(const Context& context, Script script,
                                              const ShardCall& call);
  Call& add_script(Batch& batch, const Context& context, Script script, const ShardCall& call);
  static Refusal refusal_of(const Call& call, bool is_post);
  static Refusal refusal_of(CallOutcome outcome, const Reply& reply, std::string_view why,
                            bool is_post);
  std::vector<ShardCall> to_all(const Context& context, const Words& arguments) const;

  // ---- handle_read.cc

  Answered<Counted> count(Context& context, std::vector<Probe> probes,
                          std::optional<std::size_t> without);
  // With the counts for that ranking, or without.
  Answered<PlacedPlayers> find(Context& context, std::vector<std::string> players,
                               std::optional<Ranking> ranking);
  Answered<Value> answer(Context& context, const request::Get& what);
  Answered<Value> answer(Context& context, const request::Held& what);
  Answered<Value> answer(Context& context, const request::Rank& what);
  Answered<Value> answer(Context& context, const request::RankOf& what);
  Answered<Value> answer(Context& context, const request::Count& what);
  Answered<Value> answer(Context& context, const request::Size& what);
  Answered<Value> answer(Context& context, const request::Percentile& what);
  Answered<Value> answer(Context& context, const request::Among& what);
  Answered<Value> answer(Context& context, const request::Banned& what);
  Answered<Value> answer(Context& context, const request::Key& what);
  template <typename What>
  requires kIsComposed<What> Answered<Value> answer(Context& context, const What& what) {
    const auto ask = [this, &context](const auto& part) { return this->answer(context, part); };
    return compose(ask, *context.spec, what);
  }

  // ---- handle_distinct.cc

  // The number of distinct scores better than each of these.
  Answered<std::vector<std::uint64_t>> distinct_better(Context& context,
                                                       std::vector<double> stored);
  Answered<std::vector<std::uint64_t>> scan_distinct(Context& context, std::vector<double> stored);
  Answered<Done> extend_distinct(Context& context, double least);

  // ---- handle_list.cc

  Answered<std::vector<Gathered>> read_rows(Context& context, const Slice& slice,
                                            const std::vector<RowsOfPart>& asked);
  Answered<Gathered> gather(Context& context, Slice slice);
  Answered<std::vector<std::size_t>> select(Context& context, std::size_t position);
  Answered<Value> list_from(Context& context, Gathered gathered, std::size_t first);
  Answered<Value> list(Context& context, std::size_t first, std::size_t n);
  Answered<Value> answer(Context& context, const request::Page& what);
  Answered<Value> answer(Context& context, const request::Bottom& what);
  Answered<Value> answer(Context& context, const request::TopOnce& what);
  Answered<Value> answer(Context& context, const request::Around& what);
  Answered<Value> answer(Context& context, const request::Between& what);
  static void skip_rows(Gathered& gathered, std::size_t n);
  static void show(const RowForm& form, const Row& row, Entries& entries);
  static Result<Gathered> rows_of(const RowForm& form, const Reply& reply);
  // `part`: for "around" of the player, for "after" the row's member.
  static Words rows_words(const Context& context, std::string_view kind, std::string_view start,
                          std::size_t n, std::string_view part = {});
  static Words slice_words(const Context& context, const Slice& slice, std::size_t shard,
                           std::size_t n);
  Answered<std::size_t> length(Context& context, std::size_t first, std::size_t n);

  // ---- handle_copy.cc

  Answered<Value> answer(Context& context, const request::ReadRows& what);

  // ---- handle_write.cc

  struct Submitting {
    const OwnedSubmission* what = nullptr;
    WriteMode how = WriteMode::submit;
    bool joins = false;
    bool reports = false;
    const std::optional<HeldEntry>* expected = nullptr;
    const std::optional<PostNumber>* post = nullptr;
  };
  static Result<std::string> score_word(const Context& context, const Submitting& submitting);
  Words words_of(const Context& context, const Submitting& submitting,
                 std::optional<Refusal>& refused) const;
  Words submission_head(const Context& context, std::size_t shard) const;
  Result<Written> written_of(const Context& context, const Submitting& submitting,
                             const std::optional<Refusal>& refused, const Reply& reply) const;
  // Whether the submission's id was accepted before. REQUIRES: it has one.
  Answered<bool> repeats(Context& context, OwnedSubmission what);
  Answered<Value> write(Context& context, Submitting submitting);
  Answered<Done> report(Context& context, Submitting submitting, const Reply& reply,
                        Written& written);
  Answered<Value> answer(Context& context, const request::Write& what);
  Answered<Value> answer(Context& context, const request::Join& what);
  Answered<Value> answer(Context& context, const request::WriteAll& what);
  // Answers {'ok', result of the script}.
  Answered<Reply> change_player(Context& context, std::string_view what, const std::string& player,
                                std::optional<PostNumber> post);
  Answered<Value> changed_player(Context& context, std::string_view what, const std::string& player,
                                 std::optional<PostNumber> post);
  Answered<Value> join_only(Context& context, const std::string& player);
  Answered<Value> answer(Context& context, const request::Remove& what);
  Answered<Value> answer(Context& context, const request::Leave& what);
  Answered<Value> answer(Context& context, const request::Ban& what);
  Answered<Value> answer(Context& context, const request::Unban& what);
  Answered<Value> answer(Context& context, const request::Forget& what);
  Answered<Value> answer(Context& context, const request::Clear& what);

  // ---- handle_attempts.cc

  // The call of the script for a player; `more` is "" or to be granted.
  ShardCall attempts_call(const Context& context, const std::string& player,
                          std::string more) const;
  Answered<Value> answer(Context& context, const request::Attempts& what);
  Answered<Value> answer(Context& context, const request::Grant& what);

  // ---- handle_season.cc

  using Expected = std::vector<std::pair<std::string, std::string>>;  // fields and their values
  Answered<BoardFacts> read_facts(std::string name, Time deadline);
  Answered<Value> answer(Context& context, const request::Reset& what);
  Answered<Value> answer(Context& context, const request::ReadSeason& what);
  Answered<Value> answer(Context& context, const request::Seasons& what);
  Answered<Value> answer(Context& context, const request::ReadHearing& what);
  Answered<Value> answer(Context& context, const request::WriteHearing& what);
  Answered<Done> end_due_season(const SentRequest& sent, Board& board);
  Answered<bool> end_season(const SentRequest& sent, const BoardFacts& facts, Time ended,
                            Time started, std::optional<Time> due);
  Answered<bool> settle(const SentRequest& sent, const Expected& expected, const Words& gone,
                        Words set);
  Answered<Done> roll(const SentRequest& sent, std::size_t shards, std::uint64_t season,
                      std::vector<std::uint64_t> dropped);

  Cluster& cluster_;
  Ready& ready_;
  Gathering gathering_;
  std::map<std::string, std::shared_ptr<Board>> boards_;
};

}  // namespace laurel::redis
