// remote_boards.h - the remote boards of a registry, as the game thread sees them.
//
//   handle   as a registry's: names a board, and finds nothing after this server has dropped it.
//   ask      a request that is answered at a later tick by a callback. The caller may cancel it.
//   open     never blocks. The remote spec is read and compared, and written if mutable fields were
//            given other values. Requests made meanwhile wait for that. If the stored order
//            differs, state() says so and writes are refused as unavailable.
//   rules    run locally, on the game thread. The held score is read and judged, and the result is
//            written if nothing changed in between. Otherwise the whole cycle is repeated.
//   post     a submission without an answer: kept in the registry's store until it is acknowledged,
//            or in memory if the registry has no path (post_journal.h).
//   top      of a watched or shown board is read again when the remote reports a possible change,
//            at most once a tick. It is a window like a local board's.
//   threads  the registry's caller. Nothing in it waits for the network.
//   limits   kRemoteBoardsMax boards, kRemoteRequestsMax pending requests, kPostsMax posts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/steady_clock.h"
#include "board/spec/spec_change.h"
#include "registry/registry.h"
#include "registry/remotes.h"
#include "registry/watch.h"
#include "remote/limits.h"
#include "remote/remote.h"

namespace laurel {

class RemotePlayers;

struct RemoteOptions {
  std::map<std::string, std::string> urls;  // of remotes, by name
  std::string players;                      // the remote of players and sessions; empty: local
  Time timeout = kRemoteTimeout;            // how long to wait for an answer
};

// 1 to kRemoteNameBytesMax letters, digits, "_" or "-".
bool is_remote_name(std::string_view name);

struct RemoteBoardState {
  std::string down;                 // the reason, or what differs; empty: up
  std::uint64_t pending = 0;        // posts that are not acknowledged yet
  std::optional<Time> oldest = {};  // the age of the oldest of them
  Time round_trip = 0;              // 0: none yet
  std::uint64_t refused =
      0;  // posts that the rule or the remote refused, since the registry was opened
};

class RemoteBoards final : public Remotes {
 public:
  // Fails with invalid: a name, a URL, the timeout, or a remote that cannot store players.
  static Result<std::unique_ptr<RemoteBoards>> open(const RemoteOptions& options);
  // Takes open remotes by name. REQUIRES: `players` is empty, or names one that takes players.
  RemoteBoards(std::map<std::string, std::unique_ptr<Remote>> remotes, Time timeout,
               SteadyClock steady = steady_now, const std::string& players = "");
  ~RemoteBoards() override;

  // The remote boards of a registry; null if it has none.
  static RemoteBoards* of(const Registry& registry);
  // The same, if a board of that name and spec must be opened remotely; null: it is local.
  static RemoteBoards* where(const Registry& registry, std::string_view name,
                             const SpecChange& change);

  // Opens the board, or changes an open one. REQUIRES: change gives a remote, or has(name). Fails
  // with invalid: as SpecChange does, or if no remote has that name.
  Result<BoardHandle> open(std::string_view name, const SpecChange& change);
  std::optional<BoardHandle> find(std::string_view name) const;
  // The name of the board, or null when it was dropped.
  const std::string* name(BoardHandle board) const;
  // The name of its remote; null when the board was dropped.
  const std::string* remote(BoardHandle board) const;
  // The latest known spec; null until the remote has answered.
  std::shared_ptr<const Spec> spec(BoardHandle board) const;
  // The columns of its scores; known at once. Null if scores are plain numbers, or if the board was
  // dropped.
  ScoreColumns::Ptr columns(BoardHandle board) const;
  RemoteBoardState state(BoardHandle board) const;

  // Calls back once, at a later tick; not after close(), cancel() or the board's drop. The values
  // are described in request.h. After request::Drop the board's handles find nothing.
  using CallId = std::uint64_t;
  using Completion = std::function<void(Result<Value> value)>;
  CallId ask(BoardHandle board, std::uint64_t season, Request what, Completion completion);
  void cancel(CallId id);

  // ---- copies of past seasons of local boards, which are made if a remote is called "archive"
  // (local_archiver.h). REQUIRES: copies_seasons().

  // Whether the copy is complete. Answer: KeptSpec. `created` is the board's creation time.
  CallId ask_copy(const std::string& board, Time created, std::uint64_t season,
                  Completion completion);
  // The handle of a complete copy with that spec. It accepts every read, of its own season only. If
  // more than kCopiesOpenMax are open, the least recently used one is closed. Fails with bad_data
  // if this version does not know the spec.
  Result<BoardHandle> open_copy(const std::string& board, Time created, std::uint64_t season,
                                const SpecText& spec);
  // Combines both: sends the request to the copy, or answers unknown if there is none.
  CallId ask_archived(const Board& board, std::uint64_t season, Request what,
                      Completion completion);
  bool is_copy(BoardHandle board) const;
  // The local board that the copy was made of; nothing if it was dropped.
  std::optional<BoardHandle> copied(BoardHandle copy) const;

  // The remote players and sessions; null if they are local.
  RemotePlayers* players() const;
  // If players are remote, and the names of these ones are not all known: calls back once, at a
  // later tick, when they are, or when it takes too long (core/remote_names.h). 0: there is nothing
  // to wait for, and no call.
  using NamesWait = std::uint64_t;
  NamesWait wait_for_names(const Entries& entries, std::function<void()> done);
  void cancel_names(NamesWait wait);

  // Keeps the submission. True promises that it is applied exactly once, in order. Fails if that is
  // known locally: not_finite, bad_player, bad_data, out_of_range, closed by `opens` and `closes`;
  // and with unavailable if kPostsMax posts wait or the disk refuses. What a rule or the remote
  // refuses later is logged and counted.
  Status post(BoardHandle board, OwnedSubmission what);

  // As Registry::watch. REQUIRES: n in 1..kWatchTopMax. Fails with unavailable.
  Result<WatchId> watch(BoardHandle board, std::size_t n, WatchCallback callback);
  void unwatch(WatchId watch);

  // Ends of past seasons that this server is telling, or that handlers failed to hear, by board.
  std::vector<UnheardEnd> unheard_ends() const;

  // For the live channel: the board's top is read and kept while calls with true outnumber those
  // with false.
  void show(BoardHandle board, bool shown);
  // The top as last read, with data; null until then. A new pointer when it changed.
  WindowPtr top(BoardHandle board) const;

  // Remotes
  void on_open(Registry& registry) override;
  bool has(std::string_view board) const override;
  std::vector<std::string> names() const override;
  void ban(std::string_view player) override;
  void unban(std::string_view player) override;
  void forget(std::string_view player) override;
  Status may_rename() const override;
  NameSource* player_names() override;
  bool copies_seasons() const override;
  void collect(MetricSet& set) const override;
  void tick() override;
  void close() override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace laurel
