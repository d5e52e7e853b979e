// board.h - one leaderboard: its players in order of score, and their ranks.
//
//   order      total: score, then `ties`, then byte order of the id. Every player has one position.
//   scores     finite numbers; exact decimals if the spec has `decimals`. The unit is the owner's.
//   players    1 to kPlayerBytesMax bytes without a zero byte.
//   reading    a board is read as the standings of its running season (standings.h). board_window.h
//              copies entries for watches and clients.
//   present    a board does nothing by itself: present() ends a season that is due and advances a
//              rolling window. Registry::get calls it, so lookups return an up-to-date board.
//   threads    none of its own. One caller at a time, from any thread, as for its registry;
//              submit_all is the exception.
//   cost       n = size(). O(log n), and O(k) for k entries, except where noted, plus the engine's
//              own costs.
//
// Its parts are where their names say: board_changes.cc has joins and changes of single entries,
// board_bans.cc bans, board_seasons.cc seasons, board_engine_ops.cc operations of a single engine,
// board_rename.cc the move of a player to another id; marks/, segments/ and results/ have sources
// for what they keep of a board.
// submission/ decides what a submission does, and applies it (submission/submit.cc).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "board/board_codec.h"
#include "board/membership.h"
#include "board/past_seasons.h"
#include "board/registry_context.h"
#include "board/seasons/seasons.h"
#include "board/segments/cohort_places.h"
#include "board/segments/segment_name.h"
#include "board/spec/due_clock.h"
#include "board/spec/keep_policy.h"
#include "board/spec/shared_specs.h"
#include "board/standings/change.h"
#include "board/standings/standings.h"
#include "engine/engine.h"

namespace laurel {

class BoardCohorts;
class BoardMarks;
class BoardResults;
class BoardSegments;
class Derivation;
class ResultHistory;
class RollingEngine;
class RuleTrial;
class SegmentListener;
class SubmissionJournal;
struct AttemptsOf;
struct GroupOrders;
struct HeldState;
struct JournalRecord;
struct PastResult;
struct RehearsedDecision;
struct SegmentSize;

class Board : public Standings {
 public:
  // A new board; `context` must outlive it. Registry::adopt saves it.
  Board(RegistryContext& context, std::string name, const Spec& spec, Time created);
  // A board from a durable store: load() adds its entries, players and past seasons.
  Board(RegistryContext& context, SpaceNumber space, const BoardForm& form);
  // Must be called once, before anything else. Fails with bad_data.
  Status load(const Engine::LoadProgress& progress);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const std::string& name() const { return name_; }
  // The space of the store that has everything of the board except entries.
  SpaceNumber space() const { return space_.number(); }
  // Visits all spaces of the board.
  void each_space(const std::function<void(SpaceNumber first, SpaceNumber count)>& visit) const;
  const Spec& spec() const { return *spec_; }
  Time created() const { return created_; }
  // Increases with every change of an entry.
  std::uint64_t version() const { return version_; }
  std::uint64_t epoch() const { return epoch_; }
  // REQUIRES: `spec` has the same stored order.
  void update(const Spec& spec);
  // Ends the season if it is due, and advances a rolling window.
  void present(Time now);
  // Hands all entries, also of past seasons, to the reclaimer. Called before the board is dropped.
  void dismantle();
  // Takes the board off the list of changed boards, and returns whether it did: the board stays
  // listed while its rule has pending changes.
  bool unlist() {
    listed_ = pending_ && !pending_->empty();
    return !listed_;
  }
  bool follows_clock() const { return follows_clock_; }
  // The earliest time at which the board changes without a write: the next reset or mark, or the
  // end of time. A rolling board may change at any time and returns the beginning of time.
  Time next_change_at() const;

  // ---- writing

  struct Decision;  // a submission that was decided and is not applied yet (decision.h)

  // Decides by the board's rule, else by `keep`, or by `add` with the held score. Changes nothing.
  // `set` is for moderators: it ignores the rule, `keep`, `opens`, `closes` and `duration`, but not
  // bans and joins. A result whose id was accepted before is decided to change nothing, before any
  // refusal except of its player, score or id. REQUIRES: `mode` is not `hold`.
  // Fails with  not_finite, bad_player, bad_data, out_of_range   if a value is invalid
  //             closed, banned, not_joined, exhausted, full      if the player may not submit now
  //             rejected, unavailable                            if the rule refuses or failed
  //             outside_window, unsupported                      if the engine refuses
  Status decide(WriteMode mode, const Submission& submission, Decision& decision);
  // Returns whether the entry changed, or fills an empty outcome, or an empty change. A change has
  // the ranks before and after, which costs two more lookups of ranks. REQUIRES: nothing changed
  // since decide(); of the first form: the caller has a MemoryGuarantee.
  bool apply(const Decision& decision);
  void apply(const Decision& decision, Outcome& outcome);
  void apply(const Decision& decision, Change& change);

  // decide() and apply().
  Result<Outcome> submit(WriteMode mode, const Submission& submission);
  Result<Change> submit_report(const Submission& submission);
  Result<Outcome> set(const Submission& submission) { return submit(WriteMode::set, submission); }

  // Replaces the data of an entry, also of one that a ban hides or a capped board does not show;
  // nullopt: none. Its score and moment stay. Returns whether there is an entry. Fails with
  // bad_player, bad_data and unavailable.
  Result<bool> set_data(std::string_view player, const std::optional<std::string_view>& data);

  // Whether there was an entry to remove. Fails with bad_player and unavailable.
  Result<bool> remove(std::string_view player);
  // Removes all entries, also those hidden by bans; returns how many were ranked. O(1): the memory
  // is freed later. Fails with unavailable.
  Result<std::size_t> clear();

  // Submits the results in order, each on its own. Reports refused ones by index, in order; returns
  // how many changed an entry. `refused` must not change the registry.
  //   threads   if is_concurrent(), several threads may call this at once, while no thread uses the
  //             registry in any other way. Find such a board with Registry::peek.
  using RefusedResult = std::function<void(std::size_t index, const Refusal& refusal)>;
  std::size_t submit_all(std::span<const Submission> submissions, const RefusedResult& refused);
  // Whether the board is sharded, with ranked shards, without a rule, marks, segments and cohorts,
  // keeps nothing of each result, and no other board is made from it. Results with ids are
  // submitted by one thread.
  bool is_concurrent() const;

  // The player's results in the running season (results/attempts.h); absent without `attempts`.
  std::optional<AttemptsOf> attempts(std::string_view player) const;
  // Gives the player that many more attempts in the running season, or fewer if negative; returns
  // how many are left. Fails with bad_player, unavailable, unsupported without `attempts`, and
  // out_of_range.
  Result<std::uint64_t> grant(std::string_view player, std::int64_t more);

  // ---- joins and bans

  // Joins the player, and submits the score if with_score; if the score is refused, the player does
  // not join. Returns whether the player joined only now. Fails as submit does.
  Result<bool> join(const Submission& submission, bool with_score);
  // Removes the player and the entry; returns whether there was either.
  Result<bool> leave(std::string_view player);
  // Hides the entry and refuses submissions; returns whether the ban is new. unban() restores the
  // entry unchanged.
  Result<bool> ban(std::string_view player);
  Result<bool> unban(std::string_view player);
  // Sorted by bytes. O(k log k) for k banned players.
  std::vector<std::string> banned() const;
  bool is_banned(PlayerHandle player) const {
    return membership_.has(Membership::List::banned, player) ||
           (context_.banned.contains(player) &&
            !membership_.has(Membership::List::pardoned, player));
  }
  // Hides or restores the entry after a ban of the whole registry changed.
  void follow_registry_ban(std::string_view player);
  // Removes this board's ban or exemption, so that the registry's ban alone counts.
  void clear_ban(std::string_view player);
  // Whether it has an entry of the player, hidden or not, or had one in a past season, or the
  // player is in a cohort.
  bool has_entry_of(std::string_view player) const;
  // Removes every trace of the player; returns how many entries were removed.
  std::size_t forget(std::string_view player);
  // How many things it holds of the player: entries, hidden or not, of this and of past seasons,
  // joins and bans, and what is kept of results.
  std::size_t traces_of(std::string_view player) const;
  // Moves them to another id. REQUIRES: traces_of(to) is 0.
  void rename(std::string_view from, std::string_view to);

  // ---- kept results (results/result_history.h), and rehearsals of rules (submission/rehearsal.h)

  // The newest results of the player, at most `limit`, newest first; none on a board without
  // `history`.
  std::vector<PastResult> history(std::string_view player, std::size_t limit) const;
  // Takes back each kept result of the player with exactly that moment: the board holds what it
  // would without them, as the kept results tell. Later ones are decided again, by the rule's
  // score(), if it has one, or by `keep`; one that is refused now leaves the history. Also of a
  // banned player. Fails with bad_player, not_finite, out_of_range; with unknown if there is no
  // such result; and with unavailable.
  Result<Outcome> take_back(std::string_view player, double at);
  // The latest submissions; null on a board without `journal`.
  const SubmissionJournal* journal() const;
  bool has_rule(RuleId rule) const { return rule_ == rule; }
  // What the board would do with a submission of its journal, by another version of a rule.
  RehearsedDecision rehearse(const JournalRecord& record, RuleTrial& version) const;

  // ---- seasons

  const Season& season() const { return season_; }
  std::optional<Time> resets_at() const;
  // With `duration`: until when the running season takes results; else absent.
  std::optional<Time> closes_at() const;
  // Ends the running season now, even if it is empty; returns its number. Fails with unavailable.
  Result<std::uint64_t> reset();
  // Numbers of the seasons kept, the running one first, then the newest.
  std::vector<std::uint64_t> seasons() const;
  // A past season; null if it is not kept.
  const ArchivedSeason* archived(std::uint64_t number) const { return past_.find(number); }
  PastSeasons& past_seasons() { return past_; }
  const PastSeasons& past_seasons() const { return past_; }

  // ---- marks (marks/board_marks.h)

  // Remembers the order as it is now, in place of the last one that was remembered. Returns the
  // time. O(1). Fails with unavailable, and with unsupported unless the board is ranked, capped, or
  // sharded with ranked shards.
  Result<Time> mark();
  // A ranked player now and at the last mark.
  struct Since {
    Rank rank;
    std::optional<Rank> previous_rank;  // absent if the player was not ranked then, as the next
    double score = 0;
    std::optional<double> previous;
    std::optional<Time> mark;  // when it was; absent if there was none
  };
  // Absent if the player is not ranked. Costs two ranks. Fails as mark() does, but needs no disk.
  Result<std::optional<Since>> since(std::string_view player) const;
  // When the last mark was set; absent if there was none.
  std::optional<Time> marked_at() const;
  std::optional<Rank> rank_at_mark(const Entry& entry) const override;

  // ---- boards that are made from other boards (derivation.h; derived/derived_rows.h writes them)

  // The board's rows are kept by this from now on. REQUIRES: is_derived(spec()).
  void derive_from(Derivation* derivation) { derivation_ = derivation; }
  bool lists_groups() const override { return is_of_groups(*spec_); }
  // Keeps orders by these attributes as those of `segments`, but not shown, in place of those that
  // were asked for before. The listener hears of their changes; it outlives them. May throw
  // std::bad_alloc, unless the attributes are among those; then nothing has changed. O(n log n) if
  // there is a new one.
  void order_groups(std::vector<std::string> attributes, SegmentListener* listener);
  // Whether the listener hears of changes of attributes (standings.h).
  void hear_attributes(bool hears);
  // How many orders a change of a row or of attributes concerns.
  std::size_t orders() const { return 1 + (listener() == nullptr ? 0 : listener()->followers()); }
  // Null unless order_groups() or `segments` has made some.
  const BoardSegments* orders_by_attribute() const { return segments_.get(); }

  // ---- segments (segments/board_segments.h)

  // The players whose attribute has this value, ranked among themselves; empty if there are none.
  // Valid until the board's next change. Fails with unknown if `segments` does not name the
  // attribute.
  Result<const Standings*> segment(std::string_view attribute, std::string_view value) const;
  // The values that players on the board have, the largest first, equals by bytes. Fails as
  // segment().
  Result<std::vector<SegmentSize>> segments(std::string_view attribute) const;
  // Gives entries of a segment their rank on the whole board: `overall`. O(log n) for each.
  void rank_overall(Entries& entries) const;
  // Makes the orders of segments and cohorts, if there are any: after entries were restored.
  void derive_orders();
  // Some player's attributes may change soon: a season that is over ends before.
  void attributes_will_change();
  // The player's attributes are these now.
  void attributes_changed(std::string_view player, std::string_view attributes);

  // ---- cohorts (segments/board_cohorts.h)

  // The cohorts of the running season, 0, or of a past one. Valid until the board's next change.
  // Fails with unknown if the season has none, or is not kept, and with unsupported unless the
  // board is ranked, or sharded with ranked shards.
  Result<const BoardCohorts*> cohorts(std::uint64_t season = 0) const;
  // A segment or cohort of the running season, by its name. Fails as segment() and cohorts() do.
  Result<const Standings*> part(const SegmentName& name) const;

  // ---- operations of one engine, `unsupported` on others; more in standings.h

  // Capped, keep = best: merges entries of another server, ignoring ranks and banned players;
  // returns how many entries changed. Fails as a submission of such a value would, and then changes
  // nothing.
  Result<std::size_t> merge(const Entries& entries);
  // Rolling: the board as it will be at that time if nothing more is written. Valid until the
  // board's next change. Fails with not_finite, out_of_range, and outside_window before the running
  // bucket.
  Result<std::unique_ptr<Standings>> at(double seconds) const;

  // ---- at tick

  // Passes the changes since the last tick, as copies, to the rule.
  void deliver_changes();

  // Writes the board's row, if it differs from the store's.
  void save() const;
  std::size_t bytes() const;
  // The part of bytes() that is kept between reads, and can be read again.
  std::size_t cache_bytes() const { return read_bytes(); }

 private:
  class Judge;       // submission/judge.h: decides
  class Lookup;      // submission/lookup.h: finds players
  class ShardBatch;  // submission/batch.cc
  class TakeBack;    // submission/take_back.cc
  friend class BoardState;
  friend class DerivedRows;

  Status may_write() const { return context_.store->accepts(); }
  // board_changes.cc: as may_write() and RegistryContext::accepts, for writes other than
  // submissions. Fails with unsupported, too.
  Status may_change() const;
  Status may_change(std::string_view player) const;
  Refusal takes_no_writes() const;
  void follow_spec();
  Status check_open() const;  // by `opens`, `closes` and `duration`
  Status check_fits(ScoreKey score) const;
  Time moment_of(const Submission& submission);
  // decide() refuses an invalid time.
  static Time given_moment(double seconds) { return time_from_seconds(seconds).value_or(0); }
  bool keeps_other_orders() const override { return marks_ || segments_ || cohorts_; }
  // As Standings::change_row, and tells marks, segments and cohorts of it.
  template <typename Change>
  auto change_row(const Player& player, Change change, const RowKey* next = nullptr) {
    using Changed = std::invoke_result_t<Change&>;
    if (!is_told()) [[likely]]
      return change();
    if constexpr (std::is_void_v<Changed>) {
      change_row_told(player, std::ref(change), next);
    } else {
      Changed changed{};
      change_row_told(
          player, [&] { changed = change(); }, next);
      return changed;
    }
  }
  // REQUIRES: making the function allocated nothing.
  void change_row_told(const Player& player, const std::function<void()>& change,
                       const RowKey* next);
  bool put(const Decision& decision);
  bool commit(const Decision& decision);
  // In line: one frame less on the hot path.
  Status decide_in_line(WriteMode mode, const Submission& submission, Decision& decision);
  bool apply_decided(const Decision& decision);
  // A capped board may hold an entry without showing it.
  bool is_shown(std::string_view player) const { return !is_capped_ || position(player); }
  bool rule_hears_changes() const;
  void tell_rule(const Change& change);
  bool erase(const Player& player);
  // Replaces what the engine holds of the player by these bytes of Engine::pack.
  void replace(std::string_view id, std::string_view packed);
  std::optional<EngineRow> held_row(const Player& player, Arena& arena) const override;
  void hide(const Player& player);
  void unhide(std::string_view id);
  // board_kept_results.cc
  void keep_results();
  bool keeps_each_result() const;
  void note_applied(const Decision& decision);
  // marks/marked_board.cc
  void keep_marks();
  Status load_marks(const Engine::LoadProgress& progress);
  void begin_marks(Time started);  // on a new board
  void move_mark(Time now);
  Status check_marks() const;
  void configure_capped();
  void update_marks(const Spec& before);
  void forget_mark(std::string_view player);
  void rename_in_mark(std::string_view from, std::string_view to);
  void dismantle_marks();
  // segments/segmented_board.cc
  std::unique_ptr<BoardSegments> make_segments(const Spec& spec) const;
  void follow_attributes();
  void replace_segments(std::unique_ptr<BoardSegments> segments);
  Status check_segments() const;
  // segments/cohorted_board.cc
  std::unique_ptr<BoardCohorts> make_cohorts(const Spec& spec, std::uint64_t season,
                                             const EngineView& order,
                                             CohortPlaces::Named named) const;
  std::unique_ptr<BoardCohorts> make_other_cohorts(const Spec& spec) const;
  void replace_cohorts(std::unique_ptr<BoardCohorts> cohorts);
  void begin_cohorts();
  Status load_cohorts(const Engine::LoadProgress& progress);
  void keep_cohorts(ArchivedSeason& season) const;
  bool has_place_of(std::string_view player) const;
  void forget_places(std::string_view player);
  // submission/take_back.cc
  ResultHistory* kept_history() const;
  std::optional<HeldState> held_or_hidden(const Player& player) const;
  // The entries changed: adds the board to the list of changed boards, once per tick.
  void touched() {
    forget_top();
    list_changed();
  }
  // As touched(), if only the decision's entry changed.
  void touched(const Decision& decision);
  void list_changed() {
    ++version_;
    if (!std::exchange(listed_, true)) context_.changed.add(*this);
  }

  std::optional<RuleId> open_rule(const Spec& spec) const;
  void mark_written();
  std::unique_ptr<Engine> make_engine(const Spec& spec, SpaceNumber first, Time now) const;
  // An engine with its spaces. `turned`: when its window last advanced, if it is rolling.
  struct PlacedEngine {
    std::unique_ptr<Engine> engine;
    SpaceNumber first;
    Time turned;
  };
  PlacedEngine make_empty_engine(Time now) const;
  // Returns the engine with its entries; the board continues with the other one.
  std::unique_ptr<Engine> swap_engine(PlacedEngine other);
  void move_season(Time now);
  void move_window(Time now);
  std::shared_lock<std::shared_mutex> enter_season();
  void tell_season_will_end();
  void end_season(Time ended, Time started, PlacedEngine next);
  // When a season that does not follow another one's end began. With `duration`, at the last reset
  // that was due; else now.
  Time start_of_season(Time now) const;

  RegistryContext& context_;
  std::string name_;
  BoardSubmissions& counts_ = context_.submissions.of(name_);
  SharedSpec spec_;
  Time created_;
  std::uint64_t version_ = 0;
  bool listed_ = false;  // in context_.changed
  std::uint64_t epoch_;
  std::optional<RuleId> rule_;
  Space space_;

  std::unique_ptr<Engine> engine_;
  SpaceNumber engine_space_ = 0;      // the first of its spaces
  Time turned_ = 0;                   // when a rolling window last advanced
  ScoreEngine* scores_ = nullptr;     // the engine, if it holds scores
  RollingEngine* rolling_ = nullptr;  // the engine, if it is rolling
  Derivation* derivation_ = nullptr;  // null unless the board is made from others
  bool is_capped_ = false;
  bool has_limits_ = false;     // it holds fewer scores than the form: padded keys, or columns
  bool has_hours_ = false;      // submissions are refused at some times
  bool follows_clock_ = false;  // it may change without a write
  mutable Arena judged_;        // memory for views in the last decision

  Season season_;
  DueClock season_clock_;
  DueBoards::Place due_{context_.due, *this, space()};
  bool written_ = false;  // any write in the running season
  PastSeasons past_{context_, *this, name_, spec_, space_.number()};

  Membership membership_{context_.players, space_};
  // What few boards have is null until it is needed.
  std::unique_ptr<std::deque<Change>> pending_;  // for the rule's changed(), at the next tick
  std::unique_ptr<BoardResults> results_;
  std::unique_ptr<BoardMarks> marks_;
  std::unique_ptr<BoardSegments> segments_;
  std::unique_ptr<GroupOrders> group_orders_;
  bool hears_attributes_ = false;
  std::unique_ptr<BoardCohorts> cohorts_;
  bool joining_ = false;  // the submission is the score of a join
};

}  // namespace laurel
