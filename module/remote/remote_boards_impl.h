// remote_boards_impl.h - what RemoteBoards keeps: boards by handle and name, the state of each, and
// the state outside boards. Included only by remote_boards.cc.
//
//   copies  of seasons have a slot like boards, and no name: posts, bans and news of the remote do
//           not reach them. At most kCopiesOpenMax are open; the least recently used one is closed.
#pragma once

#include "board/spec/spec_change.h"
#include "remote/archive/archive.h"
#include "remote/archive/remote_archiver.h"
#include "remote/call_queue.h"
#include "remote/core/known_top_writer.h"
#include "remote/core/pending_requests.h"
#include "remote/core/post_journal.h"
#include "remote/core/post_queue.h"
#include "remote/core/remote_board.h"
#include "remote/core/remote_names.h"
#include "remote/core/season_end_teller.h"
#include "remote/core/top_cache.h"
#include "remote/remote_boards.h"
#include "remote/remote_players.h"

namespace laurel {

class RemoteBoards::State {
 public:
  // One board and its state.
  struct Record {
    Record(PendingRequests& requests, Journal& journal, NamedRemote& remote, std::string name)
        : board(requests, remote, std::move(name)),
          posts(requests, journal, board),
          known_top(requests, board),
          top(requests, board, known_top),
          season_ends(requests, board) {}

    RemoteBoard board;
    Posts posts;
    KnownTopWriter known_top;
    Top top;
    SeasonEndTeller season_ends;
    std::optional<RemoteArchiver> remote_archiver;  // if its past seasons are copied
  };

  State(std::map<std::string, std::unique_ptr<Remote>> remotes, Time timeout, SteadyClock steady,
        const std::string& players);

  CallQueue& calls() { return calls_; }
  RemotePlayers* players() const { return players_.get(); }
  RemoteNames* player_names() { return names_ ? &*names_ : nullptr; }
  Copies* copies() const { return copies_.get(); }

  // ---- boards by name and handle

  Result<BoardHandle> open(std::string_view name, const SpecChange& change);
  std::optional<BoardHandle> find(std::string_view name) const;
  Record* get(BoardHandle handle) const;
  std::vector<std::string> names() const;
  RemoteBoardState state(const Record& record) const;
  std::vector<UnheardEnd> unheard_ends() const;
  void collect(MetricSet& set) const;

  // ---- copies of seasons

  Result<BoardHandle> open_copy(const std::string& name, Time created, std::uint64_t season,
                                const SpecText& text);
  void close_oldest_copy();
  // The local board that a copy was made of; nothing if it was dropped.
  std::optional<BoardHandle> copied(const RemoteBoard& copy) const;

  // ---- posts

  Status post(BoardHandle handle, OwnedSubmission what);
  // An order of the registry to every board.
  void post_to_all(PostKind kind, std::string_view player);

  // ---- following

  Result<WatchId> watch(BoardHandle handle, std::size_t n, WatchCallback callback);
  void unwatch(WatchId id);

  // ---- calls of the registry

  void begin(Registry& registry);
  void tick();
  // The registry closes: writes the tops that wait.
  void finish();
  void close();

 private:
  struct Slot {
    std::unique_ptr<Record> record;
    std::uint32_t generation = 1;
  };

  // A few boards a tick, each in its turn.
  void write_known_tops();
  // The last known tops of boards that are not open may make room.
  KnownTopWriter::MayGo may_go() const;
  Result<BoardHandle> open_new(std::string name, const SpecChange& change);
  BoardHandle place(std::unique_ptr<Record> record);
  void opened(BoardHandle handle);
  // A board with posts that were pending when the registry was closed.
  void restore(const std::string& name, const std::vector<Post>& pending,
               const std::map<std::string, Journal::KeptBoard>& boards);
  // Invalidates the handle.
  std::unique_ptr<Record> take_out(BoardHandle handle);
  // The board was deleted remotely, for all servers.
  void remove(BoardHandle handle);
  void take(NamedRemote& remote, std::vector<Answer>& answers);

  PendingRequests requests_;
  Journal journal_{requests_};
  CallQueue calls_{requests_};
  std::map<std::string, NamedRemote, std::less<>> remotes_;
  std::optional<RemoteNames> names_;  // lists may be shown, without new names, after close()
  std::unique_ptr<RemotePlayers> players_;
  std::unique_ptr<Copies> copies_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::map<WatchId, BoardHandle> watched_;
  WatchId last_watch_ = 0;
  std::size_t write_next_ = 0;  // the slot whose last known top was looked at last
};

}  // namespace laurel
