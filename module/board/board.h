// board.h - one leaderboard: who is where, and by how much.
//
//   order      total: score, then `ties`, then byte order of the id. Every player has one position.
//   ranks      1-based, in the board's ranking mode.
//   scores     finite numbers; exact decimals where the spec says so. The unit is the owner's.
//   players    1 to kPlayerBytesMax bytes without a zero byte.
//   views      ids and data in entries are valid until the next change to any board of the
//   registry. threads    none. A board lives where its registry does: one caller at a time, any
//   thread. cost       n = size(). Every call O(log n) and O(k) for k entries, except where noted.
//
// Writing is in board.cc, reading in board_read.cc, joins and bans in board_admission.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "board/change.h"
#include "board/engine.h"
#include "board/score_bounds.h"
#include "board/shared.h"
#include "board/spec.h"
#include "board/window.h"
#include "rank/score.h"

namespace laurel {

// "211th of 1539".
struct Standing {
  std::uint64_t rank = 0;
  std::uint64_t size = 0;
};

class Board {
 public:
  // `shared` outlives the board.
  Board(Shared& shared, std::string name, Spec spec, Time created);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const std::string& name() const { return name_; }
  const Spec& spec() const { return spec_; }
  Time created() const { return created_; }
  // Goes up with every change of an entry.
  std::uint64_t version() const { return version_; }
  std::uint64_t epoch() const { return epoch_; }
  // REQUIRES: `spec` differs in nothing that describes the stored order.
  void update(Spec spec);

  // ---- writing

  // A submission that was judged and not applied yet.
  struct Decision {
    Player player;
    bool changed = false;
    ScoreKey score = 0;  // to be held
    Time at = 0;
    std::optional<std::string_view> data;   // the submission's own, or what is held
    std::optional<std::string> ruled_data;  // a rule's, in place of `data`; copied, since the next
                                            // judgement overwrites it
    std::optional<EngineRow> held;
  };

  // The board's rule, then `keep`; for `add` the held score and the difference. Changes nothing.
  // Fails with  not_finite, bad_player, bad_data, out_of_range   of the values themselves
  //             closed, banned, not_joined                       of who may play, and when
  //             rejected, unavailable                            by the rule
  Result<Decision> decide(Act act, const Submission& submission, Time at);
  // REQUIRES: nothing changed since the decision.
  Outcome apply(const Decision& decision);

  Result<Outcome> submit(Act act, const Submission& submission);
  // As submit, and tells what came of it. Costs two ranks more.
  Result<Change> submit_report(const Submission& submission);
  // A moderator's word: neither rule nor `keep`, and at any time.
  Result<Outcome> set(const Submission& submission);

  // Whether there was an entry to take off. Fails with bad_player.
  Result<bool> remove(std::string_view player);
  // Takes every entry off, those that a ban hides too; how many were listed. O(n).
  std::size_t clear();

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
  bool is_banned(PlayerHandle player) const;
  // Puts entries where bans of the whole registry, or their end, want them.
  void follow_registry_ban(std::string_view player);
  // Lifts whatever bans the player here, so that only the registry's word counts again.
  void clear_ban(std::string_view player);
  // Removes every trace; how many entries went.
  std::size_t forget(std::string_view player);

  // ---- reading

  std::size_t size() const { return engine_->size(); }
  std::optional<Entry> get(std::string_view player) const;
  std::optional<double> score(std::string_view player) const;
  std::optional<Standing> rank(std::string_view player, std::optional<Ranking> ranking) const;
  // The rank that a newcomer with this score would have now. Fails with not_finite, out_of_range.
  Result<std::uint64_t> rank_of(double score) const;
  // Appends to out the entries at positions first, first+1, ... (0-based), at most n, best first.
  void read(std::size_t first, std::size_t n, Entries& out) const;
  // The last n, worst first.
  void bottom(std::size_t n, Entries& out) const;
  // The player between n above and n below; slides at the ends. Empty when not ranked.
  void around(std::string_view player, std::size_t n, Entries& out) const;
  // Entries with a score in the range, best first, at most limit.
  void between(const ScoreRange& range, std::size_t limit, Entries& out) const;
  std::size_t count(const ScoreRange& range) const;
  // 100 x (players ranked strictly worse) / size.
  std::optional<double> percentile(std::string_view player) const;
  // Those listed who are ranked, best first; `rank` among themselves, `overall` on the board.
  // O(k log n) for k players.
  void among(std::span<const std::string_view> players, Entries& out) const;
  // 0-based place in the order.
  std::optional<std::size_t> position(std::string_view player) const;

  // The first n as a window, with data where asked for.
  WindowPtr window(std::size_t n, bool with_data) const;

  // ---- at tick

  // Tells the rule what counted since the last tick, on copies.
  void deliver_changes();

  std::size_t bytes() const;

 private:
  struct Hidden {
    ScoreKey score;
    Time at;
    std::optional<std::string> data;
  };

  Player look_up(std::string_view id) const { return {id, shared_.players.find(id)}; }
  Status admit(const Player& player, bool moderator) const;
  Time moment_of(const Submission& submission);
  Status decide_by_rule(Act act, const Submission& submission, ScoreKey offered,
                        Decision& decision);
  Status decide_by_keep(Act act, const Submission& submission, ScoreKey offered,
                        Decision& decision) const;
  Result<Decision> decide_set(const Submission& submission, Time at);
  void commit(const Decision& decision);
  Change commit_and_report(const Decision& decision);
  bool rule_hears_changes() const;
  void tell_rule(const Change& change);
  void hide(const Player& player);
  void unhide(std::string_view id);
  bool drop_hidden(PlayerHandle player);
  void fill(Entry& out, const EngineRow& row) const;
  void append_ranked(std::size_t first, Entries& out) const;
  void touched() { ++version_; }

  Shared& shared_;
  std::string name_;
  Spec spec_;
  ScoreForm form_;
  Time created_;
  std::uint64_t version_ = 0;
  std::uint64_t epoch_;
  std::optional<RuleId> rule_;
  std::unique_ptr<Engine> engine_;
  PlayerSet joined_;
  PlayerSet banned_;    // here
  PlayerSet pardoned_;  // banned by the registry, and let back in here
  std::unordered_map<PlayerHandle, Hidden>
      hidden_;                           // entries that bans hide; each holds its player
  std::vector<Change> pending_;          // for the rule's changed(), at tick
  mutable std::vector<EngineRow> rows_;  // of the last read; kept for its memory
};

}  // namespace laurel
