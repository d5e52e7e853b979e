// registry.h - the boards of one host: named, found, created, dropped, and served once a tick.
//
//   handle     names a board without owning or pointing at it: a slot and its generation. A handle
//              to a dropped board finds nothing, even after its slot is used again.
//   present    whoever looks a board up finds it as the clock wants it: seasons that were due have
//              ended, rolling windows have moved on.
//   tick       once per server frame: reloads rules, tells rules and watchers what changed, hands
//              windows to audiences, frees a bounded amount of what is gone. Callbacks run here
//              only, on copies; they may do anything to the registry, tick and close included.
//   audience   somebody who follows the boards tick by tick, such as the live channel.
//   durable    with a store on a disk the registry has what it had when that was last written, and
//              hands what changes to the disk at each tick (store/durable/durable_store.h). What
//              cannot be kept is refused as unavailable, writing of any kind.
//   close      ends it: boards, watches and audiences are gone, the object stays and says closed().
//              So it does in a process that was forked off, where its disk is not its own.
//   threads    one caller at a time, whichever thread that is.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "board/board.h"
#include "board/remotes.h"
#include "board/watch.h"
#include "profile/profiles.h"
#include "profile/sessions.h"
#include "store/durability.h"

namespace laurel {

struct BoardHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // 0 never names a board

  friend bool operator==(const BoardHandle&, const BoardHandle&) = default;
};

struct RegistryOptions {
  std::string path;  // of a directory: durable; empty: in memory
  Durability durability = Durability::tick;
  std::unique_ptr<Clock> clock;      // null: the system's
  Log log;                           // default: standard error
  std::unique_ptr<Rules> rules;      // null: boards with a rule refuse with `unavailable`
  std::unique_ptr<Remotes> remotes;  // null: no board lives elsewhere
  HashSecret secret = HashSecret::random();
};

class Registry;

class Audience {
 public:
  virtual ~Audience() = default;
  // It was attached, in the lowest seat that was free: what it keeps in the store under that number
  // is there for whoever sits in it after a restart.
  virtual void on_attach(Registry&, unsigned /*seat*/) {}
  // It is no longer attached, or the registry closes: the last moment to write anything.
  virtual void on_detach(Registry&) {}
  // The board goes.
  virtual void on_drop(std::string_view /*name*/) {}
  // Every trace of the player goes.
  virtual void on_forget(std::string_view /*player*/) {}
  // At the end of each tick; the audience reads what it wants to show.
  virtual void on_tick(Registry& registry) = 0;
};

struct RegistryStats {
  std::uint64_t boards = 0;
  std::uint64_t players = 0;  // held by any board
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;  // memory of boards and players
  std::uint64_t ticks = 0;
  std::uint64_t watches = 0;
  std::uint64_t changes_dropped = 0;  // that no rule hears of: kPendingChangesMax waited already
  SubmissionStats submitted;
  RuleStats rules;
  EngineReads reads;
  std::uint64_t store_entries = 0;
  std::uint64_t store_bytes = 0;
  StoreProgress disk;
  std::uint64_t submissions_waiting = 0;  // that changed something which is not on the disk yet
  std::uint64_t reclaiming = 0;  // engines of boards and seasons that are gone, still being freed
};

class Registry {
 public:
  // In memory. REQUIRES: no path.
  explicit Registry(RegistryOptions options);
  // Likewise, or what the directory holds: then it waits for the disk, and tells the log where that
  // takes long. Fails as DurableStore::open does.
  static Result<std::unique_ptr<Registry>> open(RegistryOptions options);
  // Ends it as close() does.
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // The board of that name.
  std::optional<BoardHandle> find(std::string_view name) const;
  // Opens the board, or creates it, here: Remotes opens those that live elsewhere. Fails with
  // `invalid` as SpecChange does, bad names and those of remote boards included.
  Result<BoardHandle> open(std::string_view name, const SpecChange& change);
  // The board, brought to the present; null when it was dropped.
  Board* get(BoardHandle handle) const {
    Board* board = peek(handle);
    return board == nullptr ? nullptr : &present(*board);
  }
  // Likewise as it stands, without a write: for batches, which look at the clock themselves.
  Board* peek(BoardHandle handle) const {
    if (handle.slot >= slots_.size() || !shared_.store->born_here()) return nullptr;
    const Slot& slot = slots_[handle.slot];
    return slot.generation == handle.generation ? slot.board.get() : nullptr;
  }
  // Of all boards, remote ones too; sorted by bytes.
  std::vector<std::string> names() const;
  // Whether there was one. Fails with unavailable.
  Result<bool> drop(std::string_view name);
  // A board that is not in the registry yet, and its taking in, or giving up. REQUIRES: no board
  // has that name.
  std::unique_ptr<Board> make_board(std::string_view name, Spec spec);
  BoardHandle adopt(std::unique_ptr<Board> board);
  // Waits for the disk where much is on its way to it: for those who write much at once.
  Status make_room();
  bool is_full(std::size_t more) const { return by_name_.size() + more > kBoardsMax; }

  struct Refused {
    std::string board;
    Refusal refusal;
  };
  // One result to several boards, all or none, with one moment. Appends the scores held to `scores`
  // (nothing where a capped board does not show the player) and returns nothing, or returns who
  // refused. REQUIRES: no name twice.
  std::optional<Refused> submit(std::span<const std::string_view> names,
                                const Submission& submission,
                                std::vector<std::optional<double>>& scores);

  // Players banned on every board. Sorted by bytes.
  std::vector<std::string> banned() const;
  // On every board, those to come included; whether that changed anything.
  Result<bool> ban(std::string_view player);
  Result<bool> unban(std::string_view player);
  // Removes every trace of a player, archives, profile and sessions too; how many entries went.
  Result<std::size_t> forget(std::string_view player);

  // ---- players and sessions

  Profiles& profiles() { return profiles_; }
  Sessions& sessions() { return sessions_; }
  // Where the player is ranked now, by the boards' names. O(boards).
  struct ScoreOf {
    std::string board;
    std::uint64_t season = 0;
    double score = 0;
    std::uint64_t rank = 0;
    Time at = 0;
  };
  std::vector<ScoreOf> scores_of(std::string_view player) const;

  // ---- following

  // Calls back at tick when the board's top n changed. REQUIRES: n in 1..kWatchTopMax.
  // Fails with unavailable: kWatchesMax watches stand already.
  Result<WatchId> watch(BoardHandle board, std::size_t n, WatchCallback callback);
  void unwatch(WatchId watch);

  using AudienceId = std::uint64_t;
  // Rows of the store for the tickets of the live channel's clients.
  KeptRows ticket_rows() const { return {Space(*shared_.store, kCatalogueSpace), kTicketsLetter}; }
  // In on_tick: the boards that changed since the last tick, each once. Looking a board up may add
  // one; it is among those of the next tick too.
  const ChangedBoards& changed() const { return shared_.changed; }

  AudienceId attach(std::shared_ptr<Audience> audience);
  Audience* audience(AudienceId id) const;  // null when detached
  void detach(AudienceId id);

  void tick();
  // Waits until every write made so far is on the disk. Fails with unavailable.
  Status flush();
  // Flushes where every write waits for the disk (Durability::always): for whoever is about to
  // tell that it was done.
  Durability durability() const { return durability_; }
  Status commit() { return durability_ == Durability::always ? flush() : Status(Done{}); }
  // Whether writes are taken now, as far as the disk is concerned.
  bool writable() const { return static_cast<bool>(shared_.store->accepts()); }
  // A consistent copy of a durable registry, in a directory of its own. Waits for the disk. Fails
  // with unavailable, taken, and unsupported in memory.
  Status backup(const std::string& directory);
  // Flushes and ends; fails as flush, and ends even so.
  Status close();
  bool closed() const { return closed_ || !shared_.store->born_here(); }

  RegistryStats stats() const;  // O(boards)
  Rules* rules() const { return shared_.rules.get(); }
  Remotes* remotes() const { return remotes_.get(); }
  // Rows of the store for what remotes keep, kRemoteBoardsLetter or kPostsLetter.
  KeptRows remote_rows(char letter) const {
    return {Space(*shared_.store, kCatalogueSpace), letter};
  }
  // A board with a past season that waits for its copy (remotes.h); null where none does.
  Board* board_to_copy() const {
    return shared_.to_copy.empty() ? nullptr : shared_.to_copy.front();
  }
  // A moment of its own, as every submission has.
  Time next_moment() const { return shared_.moments.next(); }
  const Log& log() const { return shared_.log; }
  Clock& clock() const { return *shared_.clock; }
  Time now() const { return shared_.moments.now(); }

 private:
  struct Slot {
    std::unique_ptr<Board> board;
    std::uint32_t generation = 1;
  };

  Registry(RegistryOptions options, std::unique_ptr<Store> store);

  BoardHandle place(std::unique_ptr<Board> board);
  void show_changed();

  // registry_keep.cc: what a durable store has of the registry itself.
  Status load();
  void free_orphans();
  void keep_board(const Board& board, bool stays);
  void keep_numbers();
  void hand_over();
  std::uint64_t submissions_on_disk() const;

  template <typename Visit>
  void each_board(Visit visit) const;
  Board& present(Board& board) const {
    if (board.follows_clock()) board.present(shared_.moments.now());
    return board;
  }

  mutable Shared shared_;  // looking a board up may end its season
  Profiles profiles_{Space(*shared_.store, kPlayersSpace)};
  Sessions sessions_{profiles_};
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::map<std::string_view, std::uint32_t> by_name_;  // views of the boards' own names
  std::unique_ptr<Remotes> remotes_;
  Watches watches_;
  struct Seated {
    std::shared_ptr<Audience> audience;
    unsigned seat = 0;
  };
  std::map<AudienceId, Seated> audiences_;
  AudienceId last_audience_ = 0;
  Durability durability_ = Durability::tick;
  // Hand-overs that are not on the disk yet, with the number of changes until then.
  struct HandedOver {
    std::uint64_t number = 0;
    std::uint64_t changed = 0;
  };
  std::deque<HandedOver> handed_over_;
  std::uint64_t changed_on_disk_ = 0;
  SpaceNumber kept_space_ = 0;  // as the store has them
  Time kept_moment_ = INT64_MIN;
  std::uint64_t ticks_ = 0;
  bool ticking_ = false;
  bool closed_ = false;
};

}  // namespace laurel
