// board.h - one leaderboard: who is where, and by how much.
//
//   order      total: score, then `ties`, then byte order of the id. Every player has one position.
//   scores     finite numbers; exact decimals where the spec says so. The unit is the owner's.
//   players    1 to kPlayerBytesMax bytes without a zero byte.
//   reading    a board reads as the standings of its running season (standings.h).
//   present    a board does nothing by itself: present() ends the season that was due and moves a
//              rolling window on. Registry::get calls it, so whoever looks a board up finds it so.
//   threads    none. A board lives where its registry does: one caller at a time, any thread; but
//              for submit_all, see there.
//   cost       n = size(). Every call O(log n) and O(k) for k entries, except where noted, and what
//              the engine says.
//
// Writing is in board.cc, what is decided first in board_decide.cc, joins and bans in
// board_admission.cc, batches in board_batch.cc, seasons in board_seasons.cc, activity in
// board_rolling.cc, copies of seasons in board_copies.cc, what one engine can and others cannot in
// board_by_engine.cc.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/seldom.h"
#include "board/board_form.h"
#include "board/change.h"
#include "board/seasons.h"
#include "board/shared.h"
#include "board/spec.h"
#include "board/standings.h"
#include "board/window.h"
#include "engine/engine.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

class Board : public Standings {
 public:
  // A new board. `shared` outlives it.
  Board(Shared& shared, std::string name, Spec spec, Time created);
  // The board that a durable store has in that space, without entries, players and past seasons.
  Board(Shared& shared, SpaceNumber space, const BoardForm& form);
  // Brings those, before anything else is asked. Fails with bad_data.
  Status load(const Engine::LoadProgress& progress);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const std::string& name() const { return name_; }
  // What the store has of the board lies there, but for entries.
  SpaceNumber space() const { return space_.number(); }
  // Tells which spaces are the board's.
  void each_space(const std::function<void(SpaceNumber first, SpaceNumber count)>& visit) const;
  const Spec& spec() const { return spec_; }
  Time created() const { return created_; }
  // Goes up with every change of an entry.
  std::uint64_t version() const { return version_; }
  std::uint64_t epoch() const { return epoch_; }
  // REQUIRES: `spec` differs in nothing that describes the stored order.
  void update(Spec spec);
  // Brings the board to the clock.
  void present(Time now);
  // Gives all that there is, past seasons too, to be freed little by little: before a board is
  // dropped.
  void dismantle();
  // From the next change on it is listed anew; but it stays listed while its rule is to hear of
  // changes. Whether it is listed no more.
  bool unlist() {
    listed_ = !pending_->empty();
    return !listed_;
  }
  bool follows_clock() const { return spec_.reset.has_value() || rolling_ != nullptr; }
  // Until when nothing changes here that nobody writes: the moment of the next reset. Of a rolling
  // board the beginning of time, of others its end.
  Time stands_until() const;

  // ---- writing

  // A submission that was judged and not applied yet.
  struct Decision {
    explicit Decision(Time moment) : at(moment) {}

    Player player;
    bool changed = false;
    ScoreKey score = 0;  // to be held
    Time at;
    std::optional<std::string_view> data;   // the submission's own, or what is held
    std::optional<std::string> ruled_data;  // a rule's, in place of `data`; copied, since the next
                                            // judgement overwrites it
    std::optional<EngineRow> held;
    std::optional<Activity> activity;  // of a rolling board, in place of a score
  };

  // The board's rule, then `keep`; for `add` the held score and the difference. Changes nothing.
  // Fails with  not_finite, bad_player, bad_data, out_of_range   of the values themselves
  //             closed, banned, not_joined                       of who may play, and when
  //             rejected, unavailable                            by the rule
  //             outside_window, unsupported                      by the engine
  Status decide(Act act, const Submission& submission, Decision& decision);
  // Fills an empty outcome. REQUIRES: nothing changed since the decision.
  void apply(const Decision& decision, Outcome& outcome);

  Result<Outcome> submit(Act act, const Submission& submission);
  // As submit, and tells what came of it. Costs two ranks more.
  Result<Change> submit_report(const Submission& submission);
  // A moderator's word: neither rule nor `keep`, and at any time.
  Result<Outcome> set(const Submission& submission);

  // Whether there was an entry to take off. Fails with bad_player.
  Result<bool> remove(std::string_view player);
  // Takes every entry off, those that a ban hides too; how many were listed. O(1): their memory is
  // given back later.
  // Fails with unavailable.
  Result<std::size_t> clear();

  // Submits the results in order, each for itself, and tells of those refused, by index in order;
  // returns how many changed an entry. `refused` changes nothing of the registry.
  //   threads   on boards that are concurrent, several threads may do this at once, while nobody
  //             does anything else with the registry. Such a board is found with Registry::peek.
  using RefusedResult = std::function<void(std::size_t index, const Refusal& refusal)>;
  std::size_t submit_all(std::span<const Submission> submissions, const RefusedResult& refused);
  // Sharded, its shards in memory, without a rule.
  bool is_concurrent() const;

  // ---- who may play

  // Whether the player was not in yet. With a score submits it too; if that is refused, nobody
  // joins. Fails as submit does.
  Result<bool> join(const Submission& submission, bool with_score);
  // Lets the player go and takes the entry off; whether there was anything to do.
  Result<bool> leave(std::string_view player);
  // Hides the entry and refuses the player; whether that is new. Unbanning brings it back as it
  // was.
  Result<bool> ban(std::string_view player);
  Result<bool> unban(std::string_view player);
  // Sorted by bytes. O(k log k) for k banned.
  std::vector<std::string> banned() const;
  bool is_banned(PlayerHandle player) const {
    return banned_.contains(player) ||
           (shared_.banned.contains(player) && !pardoned_.contains(player));
  }
  // Puts entries where bans of the whole registry, or their end, want them.
  void follow_registry_ban(std::string_view player);
  // Lifts whatever bans the player here, so that only the registry's word counts again.
  void clear_ban(std::string_view player);
  // Removes every trace; how many entries went.
  std::size_t forget(std::string_view player);

  // ---- seasons

  const Season& season() const { return season_; }
  std::optional<Time> resets_at() const { return season_clock_.due(); }
  // Ends the running season now, empty or not; its number. Fails with unavailable.
  Result<std::uint64_t> reset();
  // Numbers of the seasons kept, newest first, the running one first.
  std::vector<std::uint64_t> seasons() const;
  // A past season; null when it is not kept.
  const ArchivedSeason* archived(std::uint64_t number) const;

  // ---- copies of past seasons, where somebody makes them elsewhere (remotes.h)

  // The oldest past season that waits for its copy, and from which place of Engine::scan on: its
  // to_copy(). Null where none waits.
  const ArchivedSeason* season_to_copy() const;
  // Rows up to the place are there now, scanned when the season had that copy_version(). Whether
  // that holds: where it has another by now, as after forgetting a player, it waits as it does.
  bool note_copied(std::uint64_t season, std::uint64_t version, std::string_view to);
  // The copy is there, whole, or there will be none: the season waits no more, and goes where it is
  // one too many.
  void end_copy(std::uint64_t season);

  // ---- what one engine can, and others refuse as `unsupported`; more of it in standings.h

  // Capped, keep = best: joins another server's entries, ranks ignored; how many changed. Fails as
  // a submission with such a value would, and then changes nothing. The banned are skipped.
  Result<std::size_t> merge(const Entries& entries);
  // Rolling: the board as it will stand at a time if nothing more happens. Fails with not_finite,
  // out_of_range, and outside_window before the running bucket. Valid until the board's next
  // change.
  Result<std::unique_ptr<Standings>> at(double seconds) const;

  // The first n as a window, with data where asked for; a new one, and the caller's.
  std::shared_ptr<Window> window(std::size_t n, bool with_data) const;
  // Likewise a player with n above and n below, as around() has it.
  std::shared_ptr<Window> window_around(std::string_view player, std::size_t n,
                                        bool with_data) const;

  // ---- at tick

  // Tells the rule what counted since the last tick, on copies.
  void deliver_changes();

  std::size_t bytes() const;

 private:
  class ShardBatch;
  friend class BoardState;

  Board(Shared& shared, SpaceNumber space, std::string name, Spec spec, Time created);

  Status may_write() const { return shared_.store->accepts(); }
  // board_decide.cc: nothing changes, and what only that file calls is inline there.
  Status admit(const Player& player, bool moderator) const;
  Status check_open() const;  // by opens and closes
  Time moment_of(const Submission& submission);
  // What is known of a submission before its player has been found.
  struct Expected {
    std::uint64_t hash = 0;           // of the player's id
    PlayerHandle likely = kNoPlayer;  // whose it most likely is
  };
  bool takes_hints() const { return scores_ != nullptr && scores_->takes_hints(); }
  // Where finding it takes longer than memory does, as the decimals of a fraction, there is none.
  bool find_likely_key(double score, ScoreKey& key) const {
    if (!std::isfinite(score)) return false;
    if (form().has_decimals() && score != std::floor(score)) return false;
    return form().find_key(score, key);
  }
  PlayerHandle find_as_expected(const Submission& submission);
  // Of at(0) to at(count - 1), in an engine, if there is one, with these players.
  // REQUIRES: count <= ScoreEngine::kExpectedMax.
  template <typename SubmissionAt>
  void expect(const Players& players, ScoreEngine* engine, std::size_t count, SubmissionAt at,
              std::span<Expected> expected) const;
  // REQUIRES: the decision has its player. `open` is what may_write() said.
  Status decide_found(Act act, const Submission& submission, const Status& open,
                      Decision& decision);
  // `engine` and `in_engine` are the board's engine and the player, or a shard and the player
  // there; null where the board holds activity.
  Status judge(Act act, const Submission& submission, const Status& open, const ScoreEngine* engine,
               const Player& in_engine, Decision& decision, Arena& arena);
  Status admit_submission(const Submission& submission, const Player& player) const;
  Status decide_score(Act act, const Submission& submission, const ScoreEngine& engine,
                      const Player& in_engine, Decision& decision, Arena& arena);
  Status decide_activity(const Submission& submission, Decision& decision);
  Result<Verdict> ask_rule(const Submission& submission, double score, const Decision& decision);
  Status decide_by_rule(Act act, const Submission& submission, ScoreKey offered,
                        const ScoreEngine& engine, const Player& in_engine, Decision& decision,
                        Arena& arena);
  Status decide_by_keep(Act act, const Submission& submission, ScoreKey offered,
                        Decision& decision) const;
  Status decide_set(const Submission& submission, Decision& decision);
  Status check_fits(ScoreKey score) const;
  bool take(const Decision& decision);
  bool commit(const Decision& decision);
  Result<Outcome> applied(const Decision& decision);
  Change commit_and_report(const Decision& decision);
  bool rule_hears_changes() const;
  void tell_rule(const Change& change);
  void hide(const Player& player);
  void hold_hidden(std::string_view id, std::string packed);
  void unhide(std::string_view id);
  bool drop_hidden(PlayerHandle player);
  void drop_all_hidden();
  std::shared_ptr<Window> window_of(const Entries& entries, bool with_data) const;
  // The board is not what it was: readers may have it listed, once, until the next tick.
  void touched() {
    forget_top();
    list_changed();
  }
  // Likewise, in the one entry that the decision was about.
  void touched(const Decision& decision);
  void list_changed() {
    ++version_;
    if (!std::exchange(listed_, true)) shared_.changed.add(*this);
  }

  void keep() const;
  void keep_season(const ArchivedSeason& season) const;
  void mark_written();
  std::unique_ptr<Engine> make_engine(const Spec& spec, SpaceNumber first, Time now) const;
  void seat(std::unique_ptr<Engine> engine, SpaceNumber first);
  void start_engine(Time now);
  // The engine with its entries; the board goes on with an empty one.
  std::unique_ptr<Engine> swap_engine();
  void move_window(Time now);
  std::shared_lock<std::shared_mutex> enter_season();
  void end_season(Time ended, Time started);
  void trim_archives();
  void drop_archive(std::size_t index);
  ArchivedSeason* find_archived(std::uint64_t number);
  // Where anybody copies: the season waits, from that place on.
  void wait_for_copy(ArchivedSeason& season, std::string_view place);
  void restart_copy(ArchivedSeason& season);
  void load_copies();

  Shared& shared_;
  std::string name_;
  Spec spec_;
  Time created_;
  std::uint64_t version_ = 0;
  bool listed_ = false;  // among the changed
  std::uint64_t epoch_;
  std::optional<RuleId> rule_;
  Space space_;

  std::unique_ptr<Engine> engine_;
  SpaceNumber engine_space_ = 0;      // the first of its spaces
  Time turned_ = 0;                   // when the window of a rolling one last moved on
  ScoreEngine* scores_ = nullptr;     // the engine, where it holds scores
  RollingEngine* rolling_ = nullptr;  // the engine, where it holds activity
  bool is_capped_ = false;
  bool has_limits_ = false;  // not every score of the form fits
  Arena judged_;             // what the views of the last decision show

  Season season_;
  SeasonClock season_clock_;
  bool written_ = false;                                   // in the running season
  std::vector<std::unique_ptr<ArchivedSeason>> archives_;  // newest first

  PlayerSet joined_;
  PlayerSet banned_;    // here
  PlayerSet pardoned_;  // banned by the registry, and let back in here
  // Entries that bans hide, packed by the engine; each holds its player.
  Seldom<std::unordered_map<PlayerHandle, std::string>> hidden_;
  KeptRows hidden_rows_;
  Seldom<std::vector<Change>> pending_;  // for the rule's changed(), at tick
};

}  // namespace laurel
