// registry.h - the boards of one host: opened, found, dropped, and served once a tick.
//
//   handle     names a board without owning it: board_handle.h.
//   present    looking up a board brings it up to date: a season that is due ends, a rolling window
//              advances.
//   tick       once per server frame: reloads rules, tells of seasons that ended (season_ends.h),
//              reports changes to rules and watches, calls observers, and frees a bounded amount of
//              memory of dropped boards. Callbacks run only here, on copies; they may call
//              everything, also tick and close, except handlers of season ends, which may not call
//              these two.
//   observer   is called at every tick, as the live channel is.
//   durable    with a path the registry opens with what was last written to disk, and each tick
//              gives its changes to the writer thread (store/durable/durable_store.h). Writes that
//              cannot be stored are refused as unavailable.
//   close      ends boards, watches and observers; the object remains and closed() is true.
//              closed() is also true in a forked child, which must not use the disk.
//   threads    one caller at a time, from any thread.
//
// registry.cc opens, finds and drops boards; registry_tick.cc is the tick, registry_players.cc what
// is done to a player on all boards, registry_rename.cc a player's other id, registry_persist.cc
// what is stored, registry_rules.cc rules and rehearsals, registry_metrics.cc metrics.
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
#include "board/spec/spec_change.h"
#include "metrics/cycle_histogram.h"
#include "metrics/metric_set.h"
#include "profile/names.h"
#include "profile/profiles.h"
#include "profile/sessions.h"
#include "registry/board_handle.h"
#include "registry/control.h"
#include "registry/derived/derived_boards.h"
#include "registry/known_tops.h"
#include "registry/rehearsals.h"
#include "registry/remotes.h"
#include "registry/season_ends.h"
#include "registry/tick_budget.h"
#include "registry/watch.h"
#include "store/durability.h"

namespace laurel {

class MetricsFile;
struct MetricsRound;

struct MetricsOptions {
  std::string file = {};                   // for node_exporter (metrics_file.h); empty: none
  Time every = kMetricsSeconds * kSecond;  // how often it is written
  std::string lua = {};                    // the label of laurel_build_info
};

struct RegistryOptions {
  std::string path;  // a directory; empty: in memory
  Durability durability = Durability::tick;
  std::unique_ptr<Clock> clock;      // null: the system's clock
  Log log;                           // default: standard error
  std::unique_ptr<Rules> rules;      // null: boards with a rule refuse with `unavailable`
  std::unique_ptr<Remotes> remotes;  // null: all boards are local
  std::unique_ptr<Control> control;  // null: none. REQUIRES: there is a path
  MetricsOptions metrics = {};
  HashSecret secret = HashSecret::random();
};

class Registry;

class RegistryObserver {
 public:
  virtual ~RegistryObserver() = default;
  // Called by attach(). The slot is the lowest free number. What an observer stores under its slot
  // is found after a restart by the observer with the same slot.
  virtual void on_attach(Registry&, unsigned /*slot*/) {}
  // The observer is detached or the registry closes. It may still write here.
  virtual void on_detach(Registry&) {}
  // The board is about to be dropped.
  virtual void on_drop(std::string_view /*name*/) {}
  // Every trace of the player is removed.
  virtual void on_forget(std::string_view /*player*/) {}
  // Everything of the player was moved to another id.
  virtual void on_rename(std::string_view /*from*/, std::string_view /*to*/) {}
  // Adds what it measures. Values that are added by several observers are added up.
  virtual void collect(MetricSet&) const {}
  // At the end of each tick. What does not fit into the slice is done in a later tick.
  virtual void on_tick(Registry& registry, TickSlice& slice) = 0;
};

struct RegistryStats {
  std::uint64_t boards = 0;
  std::uint64_t players = 0;  // on any board
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;  // memory of boards and players
  std::uint64_t ticks = 0;
  std::uint64_t slices_put_off = 0;  // work of one kind that a tick left for the next one
  std::uint64_t watches = 0;
  std::uint64_t changes_dropped = 0;  // not told to rules: kPendingChangesMax were pending
  SubmissionStats submitted;
  RuleStats rules;
  EngineReads reads;
  std::uint64_t store_entries = 0;
  std::uint64_t store_bytes = 0;
  StoreProgress disk;
  std::uint64_t submissions_waiting = 0;  // that changed an entry and are not on disk yet
  std::uint64_t reclaiming = 0;           // engines of dropped boards and seasons, not freed yet
  SeasonEndStats season_ends;
};

class Registry {
 public:
  // In memory. REQUIRES: no path, and no file of metrics.
  explicit Registry(RegistryOptions options);
  // In memory, or from the directory; then it waits for the disk, and logs its progress if that
  // takes long. Fails as MetricsFile::open and DurableStore::open do.
  static Result<std::unique_ptr<Registry>> open(RegistryOptions options);
  // From a durable store that is open already. Fails with bad_data. REQUIRES: options.path is
  // empty.
  static Result<std::unique_ptr<Registry>> open(RegistryOptions options,
                                                std::unique_ptr<Store> store);
  // Ends it as close() does.
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Finds a local board.
  std::optional<BoardHandle> find(std::string_view name) const;
  // Opens or creates a local board; Remotes opens remote ones. Fails with invalid if the name is
  // bad or a remote board's, or as SpecChange does; and with unavailable.
  Result<BoardHandle> open(std::string_view name, const SpecChange& change);
  // The board, brought up to date; null if it was dropped.
  Board* get(BoardHandle handle) const {
    Board* board = peek(handle);
    return board == nullptr ? nullptr : &present(*board);
  }
  // As get(), without bringing the board up to date: for batches, which check the clock themselves.
  Board* peek(BoardHandle handle) const {
    if (handle.slot >= slots_.size() || !context_.store->is_owner_process()) return nullptr;
    const Slot& slot = slots_[handle.slot];
    return slot.generation == handle.generation ? slot.board.get() : nullptr;
  }
  // Fails with invalid if the change gives a rule and there is no directory of rules. open() takes
  // such a board, local or remote, and it refuses submissions.
  Status check_rule(const SpecChange& change) const;
  // Names of all boards, remote ones included; sorted by bytes.
  std::vector<std::string> names() const;
  // Drops a local board; false if there was none. Fails with invalid if a board that is made from
  // others names it, and with unavailable.
  Result<bool> drop(std::string_view name);
  // Makes a board outside the registry; adopt() adds it. To give it up, destroy it. REQUIRES: no
  // board has that name.
  std::unique_ptr<Board> make_board(std::string_view name, const Spec& spec);
  BoardHandle adopt(std::unique_ptr<Board> board);
  // For callers that write much at once: waits for the disk if much is waiting to be written. Fails
  // as Store::accepts and flush do.
  Status make_room();
  // Whether these boards, which make_board() made, may be adopted together, as far as boards that
  // are made from others are concerned. Fails as open() does.
  Status check_together(const std::vector<Board*>& boards) const;
  bool is_full(std::size_t more) const { return by_name_.size() + more > kBoardsMax; }

  struct Refused {
    std::string board;
    Refusal refusal;
  };
  // A score as a submission has it.
  struct GivenScore {
    double score = 0;
    const ColumnValues* columns = nullptr;
  };
  // Submits one result to several boards, all or none, with one moment. `scores`, if not empty, has
  // a score for each name, in place of the submission's. Appends the held scores to `held` (nothing
  // for a capped board that does not show the player) and returns nothing, or returns the board
  // that refused. REQUIRES: names are distinct.
  std::optional<Refused> submit(std::span<const std::string_view> names,
                                const Submission& submission,
                                std::vector<std::optional<double>>& held,
                                std::span<const GivenScore> scores = {});

  // Players banned by the registry, on every board. Sorted by bytes.
  std::vector<std::string> banned() const;
  // Bans and unbans on every board, later ones included; returns whether anything changed.
  Result<bool> ban(std::string_view player);
  Result<bool> unban(std::string_view player);
  // Bans without asking whether the disk accepts it: for imports, which ask once for all that they
  // write. REQUIRES: a valid player. Returns whether anything changed.
  bool restore_ban(std::string_view player);
  // Removes every trace of a player, also in past seasons, profile and sessions; returns how many
  // entries were removed.
  Result<std::size_t> forget(std::string_view player);

  // Moves everything of a player to an id that has nothing: entries, also in past seasons and those
  // hidden by bans, joins, bans, pending changes, profile, sessions and live tickets. Returns false
  // if `from` has nothing.
  // Fails with  bad_player   an id is not valid
  //             taken        `to` has something
  //             unsupported  remotes keep boards or players of this registry
  //             unavailable  the disk refuses, or an archive is copying a season of the player
  Result<bool> rename(std::string_view from, std::string_view to);

  // ---- players and sessions

  Profiles& profiles() { return profiles_; }
  Sessions& sessions() { return sessions_; }
  // Where names of players come from if remotes keep these; else null.
  NameSource* player_names() const { return remotes_ ? remotes_->player_names() : nullptr; }
  // The names of players, as last saved, or as last heard from the remote that keeps players.
  Names& names_of_players() {
    names_.follow_renames();
    return names_;
  }
  // The player's entries on all local boards except those of groups, sorted by name. O(boards).
  struct ScoreOf {
    std::string board;
    std::uint64_t season = 0;
    double score = 0;
    Rank rank;
    Time at = 0;
    ScoreColumns::Ptr columns = {};  // of the board, if its scores have any
  };
  std::vector<ScoreOf> scores_of(std::string_view player) const;

  // ---- rules (board/submission/rehearsal.h)

  // Judges the board's journal by a rule that need not be the board's. Waits until it is finished.
  // Fails as Rules::trial does, and with unavailable without a directory of rules. REQUIRES: the
  // board exists.
  Result<RehearsalReport> rehearse(BoardHandle board, std::string_view rule) const;
  // A rehearsal in slices, a part at each tick. prepare_rehearsal() loads the rule. It fails as
  // rehearse() does, and with unavailable if kRehearsalsMax are not finished. `told` is called in a
  // tick.
  Result<std::shared_ptr<RuleTrial>> prepare_rehearsal(std::string_view rule) const;
  Rehearsals::Id begin_rehearsal(BoardHandle board, std::shared_ptr<RuleTrial> version,
                                 Rehearsals::Told told);
  void cancel_rehearsal(Rehearsals::Id id) { rehearsals_.cancel(id); }
  // As Rules::reload_all; new versions that want a rehearsal are rehearsed to the end.
  std::vector<RuleError> reload_rules();

  // ---- watches and observers

  // Calls back at tick if the top n of the board, or of a segment of it, changed. REQUIRES: n in
  // 1..kWatchTopMax. Fails with unavailable if there are kWatchesMax watches.
  Result<WatchId> watch(BoardHandle board, std::size_t n, WatchCallback callback,
                        const std::optional<SegmentName>& segment = {});
  void unwatch(WatchId watch);

  // The names that hear of ended seasons.
  SeasonEnds& season_ends() { return season_ends_; }
  const SeasonEnds& season_ends() const { return season_ends_; }

  using ObserverId = std::uint64_t;
  // The store's rows for tickets of live clients.
  PersistentRows ticket_rows() const {
    return {Space(*context_.store, kCatalogueSpace), kTicketsPrefix};
  }
  // The store's rows for the key of live servers.
  PersistentRows server_key_rows() const {
    return {Space(*context_.store, kCatalogueSpace), kServerKeyPrefix};
  }
  // In on_tick: the boards that changed since the last tick, each once. A board that a lookup adds
  // during on_tick is also listed at the next tick.
  const ChangedBoards& changed() const { return context_.changed; }

  ObserverId attach(std::shared_ptr<RegistryObserver> observer);
  RegistryObserver* observer(ObserverId id) const;  // null if detached
  void detach(ObserverId id);

  void tick();
  // Waits until every earlier write is on disk. Fails with unavailable, also in a handler of a
  // season's end.
  Status flush();
  // commit() flushes if durability is always, except in a handler of a season's end: then the tick
  // does. Call it before reporting success.
  Durability durability() const { return durability_; }
  Status commit() {
    const bool waits = durability_ == Durability::always && !season_ends_.telling();
    return waits ? flush() : Status(Done{});
  }
  // Whether the disk accepts writes.
  bool writable() const { return static_cast<bool>(context_.store->accepts()); }
  // Copies a durable registry to another directory. Waits for the disk. Fails with unavailable,
  // taken, and unsupported in memory.
  Status backup(const std::string& directory);
  // Flushes and closes. Fails as flush does, and closes even then. In a handler of a season's end
  // it fails with unavailable, and closes nothing.
  Status close();
  bool closed() const { return closed_ || !context_.store->is_owner_process(); }

  RegistryStats stats() const;  // O(boards)
  // What is measured (metrics/families.h), as text for Prometheus. O(boards). The file of metrics
  // has the same, as of a tick; close() writes it once more, with laurel_up 0.
  std::string metrics() const;
  Rules* rules() const { return context_.rules.get(); }
  Remotes* remotes() const { return remotes_.get(); }
  // How far the disk is behind; nothing without a disk.
  std::optional<StoreProgress> disk_progress() const {
    if (!context_.store->is_durable()) return std::nullopt;
    return context_.store->progress();
  }
  // The store's rows for remotes: kRemoteBoardsPrefix, kPostsPrefix, kToldEndsPrefix
  // or kKnownTopsPrefix.
  PersistentRows remote_rows(char prefix) const {
    return {Space(*context_.store, kCatalogueSpace), prefix};
  }
  // The last known tops of remote boards.
  KnownTops& known_tops() { return known_tops_; }
  // A board with a past season that waits for its copy (remotes.h); null if there is none.
  Board* board_to_copy() const {
    return context_.to_copy.empty() ? nullptr : context_.to_copy.front();
  }
  // A unique moment, as for a submission.
  Time next_timestamp() const { return context_.timestamps.next(); }
  const Log& log() const { return context_.log; }
  Clock& clock() const { return *context_.clock; }
  Time now() const { return context_.timestamps.now(); }

 private:
  struct Slot {
    std::unique_ptr<Board> board;
    std::uint32_t generation = 1;
  };

  Registry(RegistryOptions options, std::unique_ptr<Store> store);

  BoardHandle place(std::unique_ptr<Board> board);
  DerivedBoards::Boards boards_here() const;
  void tell_season_ends();
  void outdate_watches();
  void show_changed(TickBudget& budget);
  // How many kinds of a tick's work free rows: 0 or 1.
  std::size_t reclaims() const { return context_.reclaimer.waiting() > 0 ? 1 : 0; }
  void reclaim(TickSlice& slice);
  std::size_t present_all_with(std::string_view player);
  Result<std::shared_ptr<RuleTrial>> trial(std::string_view rule) const;
  Rehearsals::Find finder() const;
  Rehearsals::EachBoard visitor() const;
  std::size_t traces_of(std::string_view player);  // registry_rename.cc, as is the next one
  Status check_copies(std::string_view player) const;

  // registry_metrics.cc
  void begin_metrics(MetricsOptions options, std::unique_ptr<MetricsFile> file);
  void tick_metrics();
  void gather_metrics(TickSlice* slice);
  void keep_counters(const RegistryObserver& detached);
  void collect_remotes(MetricsRound& last) const;
  void end_metrics(MetricsRound& last);
  bool collect_boards(MetricsRound& round, TickSlice* slice) const;
  void collect_submissions(MetricSet& set) const;
  void collect_memory(MetricsRound& round) const;
  void finish_round(MetricsRound& round, bool up) const;
  void collect_disk(MetricSet& set) const;

  // registry_persist.cc: the registry's own rows in a durable store.
  Status load();
  void free_orphans();
  void save_board(const Board& board, bool stays);
  void save_numbers();
  void begin_commit();
  std::uint64_t submissions_on_disk() const;

  template <typename Visit>
  void each_board(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.board) visit(*slot.board);
    }
  }
  Board& present(Board& board) const {
    if (board.follows_clock()) board.present(context_.timestamps.now());
    return board;
  }

  mutable RegistryContext context_;  // a lookup may end a season
  Profiles profiles_{Space(*context_.store, kPlayersSpace)};
  Sessions sessions_{profiles_};
  SeasonEnds season_ends_{context_};
  DerivedBoards derived_{context_};
  KnownTops known_tops_{remote_rows(kKnownTopsPrefix)};
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::map<std::string_view, std::uint32_t> by_name_;  // the views point into the boards
  std::unique_ptr<Remotes> remotes_;
  Names names_{profiles_, player_names()};
  std::unique_ptr<Control> control_;
  Watches watches_;
  Rehearsals rehearsals_;
  struct AttachedObserver {
    std::shared_ptr<RegistryObserver> observer;
    unsigned slot = 0;
  };
  std::map<ObserverId, AttachedObserver> observers_;
  ObserverId last_observer_ = 0;
  Durability durability_ = Durability::tick;
  // Commits that were begun and are not on disk yet, with the number of changes up to each.
  struct BegunCommit {
    std::uint64_t number = 0;
    std::uint64_t changed = 0;
  };
  std::deque<BegunCommit> begun_commits_;
  std::uint64_t changed_on_disk_ = 0;
  SpaceNumber saved_space_ = 0;  // the values in the store
  Time saved_timestamp_ = INT64_MIN;
  std::uint64_t ticks_ = 0;
  std::uint64_t slices_put_off_ = 0;
  CycleHistogram tick_times_{kTickBounds};
  MetricsOptions metrics_;
  std::unique_ptr<MetricsFile> metrics_file_;    // null: none
  std::unique_ptr<MetricsRound> metrics_round_;  // for the file; null: none has begun
  Time metrics_due_ = 0;                         // by steady_now()
  MetricSet detached_;                           // counters of observers that were detached
  bool ticking_ = false;
  bool closed_ = false;
};

}  // namespace laurel
