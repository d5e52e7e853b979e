// remote_boards.h - the boards of a registry that live elsewhere, as the game thread knows them.
//
//   handle     as a registry's: names a board, and finds nothing once it was dropped here.
//   ask        a question that is answered at a later tick, by calling back. Whoever asks may stop
//              waiting.
//   open       never waits. The spec there is read, compared, and written where fields that may
//              change were given others; what is asked meanwhile waits for that. Where it differs
//              in the stored order, state() says so and writes are refused as unavailable.
//   rules      judge here, on the game thread, what is about to be written: the held score is read,
//              judged, and the result written if nothing changed in between, else all of it again.
//   post       a submission that nobody waits for: kept in the registry's store until it was
//              acknowledged, in memory where the registry is (journal.h).
//   top        of a board that is watched or shown is read again when the remote says that it may
//              have changed, at most once a tick; it is a window like a local board's.
//   threads    the registry's caller. Nothing here waits for the network.
//   limits     kRemoteBoardsMax boards, kRemoteAsksMax questions under way, kPostsMax posts.
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
#include "board/registry.h"
#include "board/remotes.h"
#include "board/watch.h"
#include "remote/remote.h"

namespace laurel {

class RemotePlayers;

struct RemoteOptions {
  std::map<std::string, std::string> urls;  // of remotes, by name
  std::string players;                      // of them, where players and sessions live; empty: here
  Time timeout = kRemoteTimeout;            // how long an answer is waited for
};

// 1 to kRemoteNameBytesMax letters, digits, "_" or "-".
bool is_remote_name(std::string_view name);

struct RemoteBoardState {
  std::string down;                 // why, or what differs; empty: up
  std::uint64_t pending = 0;        // posts that were not acknowledged yet
  std::optional<Time> oldest = {};  // how long the first of them waits
  Time round_trip = 0;              // 0: none yet
  std::uint64_t refused =
      0;  // posts that the rule or the remote refused, since the registry stands
};

class RemoteBoards final : public Remotes {
 public:
  // Fails with invalid: a name, a URL, the timeout, or where players cannot live.
  static Result<std::unique_ptr<RemoteBoards>> open(const RemoteOptions& options);
  // With remotes that somebody made, by name. REQUIRES: `players` is empty, or one that takes them.
  RemoteBoards(std::map<std::string, std::unique_ptr<Remote>> remotes, Time timeout,
               SteadyClock steady = steady_now, const std::string& players = "");
  ~RemoteBoards() override;

  // Those of a registry; null where it has none.
  static RemoteBoards* of(const Registry& registry);
  // Likewise where a board of that name and spec is to be opened; null: here.
  static RemoteBoards* where(const Registry& registry, std::string_view name,
                             const SpecChange& change);

  // Opens the board, known here or not. REQUIRES: change gives a remote, or has(name).
  // Fails with invalid: as SpecChange does, and where no remote has that name.
  Result<BoardHandle> open(std::string_view name, const SpecChange& change);
  std::optional<BoardHandle> find(std::string_view name) const;
  // The name of the board, or nothing when it was dropped.
  const std::string* name(BoardHandle board) const;
  // The name of its remote; null when the board was dropped.
  const std::string* remote(BoardHandle board) const;
  // The spec as far as it is known; null until the remote has said it.
  std::shared_ptr<const Spec> spec(BoardHandle board) const;
  RemoteBoardState state(BoardHandle board) const;

  // Calls back at a later tick, once, but for what close(), cancel() and the board's drop end.
  // The values are as ask.h says; ask::Drop lets the board's handles find nothing once it is done.
  using AskId = std::uint64_t;
  using Completion = std::function<void(Result<Value> value)>;
  AskId ask(BoardHandle board, std::uint64_t season, Ask what, Completion completion);
  void cancel(AskId id);

  // ---- copies of past seasons of boards here, which are made where a remote is called "archive"
  // (copier.h). REQUIRES: copies_seasons().

  // Whether a copy is there, whole: KeptSpec. `created` is the board's.
  AskId ask_copy(const std::string& board, Time created, std::uint64_t season,
                 Completion completion);
  // The handle of one that is there with that spec: of its season, and no other, all can be asked
  // that reads. Of more than kCopiesOpenMax the one that was opened longest ago is closed.
  // Fails with bad_data: no spec that this version knows.
  Result<BoardHandle> open_copy(const std::string& board, Time created, std::uint64_t season,
                                const SpecText& spec);
  // Both in one: asks that of the copy, or answers unknown where there is none.
  AskId ask_archived(const Board& board, std::uint64_t season, Ask what, Completion completion);
  bool is_copy(BoardHandle board) const;
  // The board here whose season it is; nothing where that was dropped.
  std::optional<BoardHandle> copied(BoardHandle copy) const;

  // The players and sessions, where they live elsewhere; null: they live here.
  RemotePlayers* players() const;

  // Keeps the submission; true is the promise that it will be applied once, in order.
  // Fails as far as that can be told here: not_finite, bad_player, bad_data, out_of_range, closed
  // by `opens` and `closes`, and unavailable where kPostsMax wait or the disk refuses.
  // What a rule or the remote refuses later is logged and counted.
  Status post(BoardHandle board, OwnedSubmission what);

  // As Registry::watch. REQUIRES: n in 1..kWatchTopMax. Fails with unavailable.
  Result<WatchId> watch(BoardHandle board, std::size_t n, WatchCallback callback);
  void unwatch(WatchId watch);

  // For the live channel: from now on the board's top is read and kept, until it was hidden as
  // often as it was shown.
  void show(BoardHandle board, bool shown);
  // The top as it was read last, with data; null until then. A new pointer when it changed.
  WindowPtr top(BoardHandle board) const;

  // Remotes
  void on_open(Registry& registry) override;
  bool has(std::string_view board) const override;
  std::vector<std::string> names() const override;
  void ban(std::string_view player) override;
  void unban(std::string_view player) override;
  void forget(std::string_view player) override;
  bool copies_seasons() const override;
  void tick() override;
  void close() override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace laurel
