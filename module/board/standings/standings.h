// standings.h - reads entries and ranks of a board, or of one of its past seasons.
//
//   ranks     1-based, in the given ranking mode.
//   players   unknown players and invalid ids have no entry.
//   views     in a list: valid until the engine's next change, and as long as the list. In a single
//             entry: until the next get.
//   threads   one caller at a time.
//   cost      n = size(). O(log n), and O(k) for k entries, unless the engine says otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "board/spec/score_bounds.h"
#include "board/standings/change.h"
#include "board/standings/top_page.h"
#include "engine/engine.h"
#include "engine/paged/paged_layout.h"
#include "rank/score/score.h"

namespace laurel {

// "211th of 1539".
struct Standing {
  Rank rank;
  std::uint64_t size = 0;
};

// Unsupported: `what` belongs to `engine`.
Refusal no_other_engine(std::string_view what, std::string_view engine);

// Fails with not_finite, or out_of_range unless 0 <= confidence <= 1.
Status check_confidence(double confidence);

class EntryCursor;

// Hears of each change of the rows of standings: of boards that are made from them.
class RowListener {
 public:
  virtual ~RowListener() = default;
  // Hints that the player's row may change soon, to prefetch what following it needs: in this
  // order, what indexes have of the player, and rows. No answer depends on them.
  virtual void prefetch_player(PlayerHandle player) const = 0;
  virtual void prefetch_row(PlayerHandle player) const = 0;
  // The player's row is about to change. `next`: the row that the board will hold, null if that is
  // not certain. A board that drops rows may hold one without showing it. row_changed() follows.
  virtual void row_will_change(const Player& player, const RowKey* next) = 0;
  // The player's row changed, came or went, and perhaps, on a board that drops rows, the last row
  // that is shown. The change is done; it is not in the standings' cached top yet.
  virtual void row_changed(const Player& player) = 0;
  // All rows changed, or will have when the caller's write is done.
  virtual void all_changed() = 0;
  // The player's attributes are these now.
  virtual void attributes_changed(std::string_view player, std::string_view attributes) = 0;
  // The running season will end soon; it still has its rows. May throw std::bad_alloc, and then
  // the season continues.
  virtual void season_will_end() = 0;
  // It ended at that time, and the next one runs. After season_will_end() and all_changed().
  virtual void season_ended(Time ended) = 0;
  // How many orders follow the rows (kMemoryPerBoardBytes).
  virtual std::size_t followers() const = 0;
};

class Standings {
 public:
  // `players` and `view` must outlive the standings, or their last use.
  Standings(const Players& players, const ScoreForm& form, Ties ties, Ranking ranking,
            const EngineView* view, ScoreColumns::Ptr columns)
      : players_(&players),
        form_(form),
        ties_(ties),
        ranking_(ranking),
        view_(view),
        columns_(std::move(columns)) {}
  Standings(const Standings&) = delete;
  Standings& operator=(const Standings&) = delete;
  virtual ~Standings() = default;

  // Null: no one listens. The listener must outlive the standings, or their last change.
  void listen(RowListener* listener) {
    listener_ = listener;
    note_told();
  }
  const RowListener* listener() const { return listener_; }
  // Whether the players are groups of players, which have no profiles.
  virtual bool lists_groups() const { return false; }
  // Rows as the engine has them, for boards that are made from these standings: a player's, if it
  // is shown; those at positions first, first+1, ..., at most n, appended to `out`.
  std::optional<EngineRow> find_row(const Player& player, Arena& arena) const {
    return view_->find(player, arena);
  }
  void rows_from(std::size_t first, std::size_t n, Arena& arena,
                 std::vector<EngineRow>& out) const {
    view_->read(first, n, arena, out);
  }
  // Hints, in this order, that the player's row will be read. No answer depends on them.
  void prefetch_player(PlayerHandle player) const { view_->prefetch_player(player); }
  void prefetch_row(PlayerHandle player) const { view_->prefetch_row(player); }

  std::size_t size() const { return view_->size(); }
  // Null if scores are plain numbers; else a score is a whole score (score_columns.h).
  const ScoreColumns::Ptr& columns() const { return columns_; }
  // The rank that the entry's player had at the last mark, in this mode; absent if the player was
  // not ranked then, or there was no mark. REQUIRES: the entry was just read.
  virtual std::optional<Rank> rank_at_mark(const Entry&) const { return std::nullopt; }
  // 0 if rank_at_mark() gives nothing; else a number that changes before any of its answers does,
  // as long as the entry is the same.
  std::uint64_t marks_version() const { return marks_version_ == nullptr ? 0 : *marks_version_; }
  // How many ranks the entry's player climbed since the last mark, negative: fell; absent as
  // rank_at_mark(). REQUIRES: the entry was just read.
  std::optional<double> rank_change(const Entry& entry) const {
    const std::optional<Rank> was = rank_at_mark(entry);
    if (!was) return std::nullopt;
    return static_cast<double>(*was) -
           static_cast<double>(entry.overall != 0 ? entry.overall : entry.rank);
  }
  // That of each entry of a list; nothing if the board has no marks. The changes of the cached top
  // are kept with it, others are written to `room`. They are valid until the next change or read of
  // the board, and as long as `room`. REQUIRES: the entries were just read.
  std::span<const std::optional<double>> rank_changes(
      const Entries& entries, std::vector<std::optional<double>>& room) const {
    const std::uint64_t marks = marks_version();
    if (marks == 0) return {};
    if (top_ && top_->begins_with(entries)) {
      const auto known = top_->known_changes(marks, entries.size());
      return known.empty() ? changes_in_top(marks, entries.size()) : known;
    }
    return find_rank_changes(entries, room);
  }
  // That of a player who is probably at this position: players in the order of a list that was just
  // read cost next to nothing. Absent also if the player is not ranked.
  std::optional<double> rank_change(std::string_view player, std::size_t likely) const;
  std::optional<Entry> get(std::string_view player) const;
  std::optional<double> score(std::string_view player) const;
  std::optional<Standing> rank(std::string_view player, std::optional<Ranking> ranking) const;
  // The rank that a new player with this score would have. Fails with not_finite, out_of_range.
  Result<Rank> rank_of(double score) const;
  // 0-based position in the order.
  std::optional<std::size_t> position(std::string_view player) const;

  // Makes later positions and ranks in the board's mode cheaper: see EngineView::prepare_ranks.
  bool prepare_ranks(std::size_t rows) const { return view_->prepare_ranks(ranking_, rows); }

  // Appends to out the entries at positions first, first+1, ... (0-based), at most n, best first.
  void read(std::size_t first, std::size_t n, Entries& out) const {
    if (top_ && top_->has(first, n)) {
      top_->copy(first, n, out);
    } else {
      read_anew(first, n, out);
    }
  }
  // The last n, worst first.
  void bottom(std::size_t n, Entries& out) const;
  // The player with n entries above and n below; n = 0 gives the player alone. Near an end the
  // range is shifted. Empty if the player is not ranked.
  void around(std::string_view player, std::size_t n, Entries& out) const;
  // Entries with a score in the range, best first, at most limit.
  void between(const ScoreRange& range, std::size_t limit, Entries& out) const;
  std::size_t count(const ScoreRange& range) const;
  // 100 x (players ranked strictly worse) / size.
  std::optional<double> percentile(std::string_view player) const;
  // The score at a position, 0-based; absent behind the last one. As the next, allocates nothing if
  // the entries are in memory.
  std::optional<double> score_at(std::size_t position) const;
  // The worst held score whose player's percentile is at least p; absent if there is none. Fails
  // as check_percentage does.
  Result<std::optional<double>> score_at_percentile(double p) const;
  // The first p percent of the entries: at least one if p is above 0, all from 100 on; at most
  // limit. Fails as check_percentage does.
  Status top_percent(double p, std::size_t limit, Entries& out) const;
  // The n entries before and the n after the place where a new player with this score would be, 2n
  // as far as the board has them: near an end the range is shifted. Returns the rank that the new
  // player would have. Fails as rank_of does.
  Result<Rank> around_score(double score, std::size_t n, Entries& out) const;
  // The ranked players of the list, best first; `rank` is among them, `overall` on the board. O(k
  // log n) for k players.
  void among(std::span<const std::string_view> players, Entries& out) const;

  // ---- operations of one engine, `unsupported` on others

  // Capped: the score to beat; absent until the board is full.
  Result<std::optional<double>> lowest() const;
  // Padded: the key of the player's entry; absent if there is none.
  Result<std::optional<std::string>> key(std::string_view player) const;
  // Paged.
  struct Layout {
    PagedLayout pages;
    std::optional<double> lowest;
  };
  Result<Layout> layout() const;
  // Sharded: how many entries to read from each shard so that they contain the first n with this
  // probability. Fails as check_confidence does.
  Result<std::size_t> fetch_size(std::size_t n, double confidence) const;
  // Sharded: the first n from a single read of the shards; whether they are certainly exact. Fails
  // as check_confidence does.
  Result<bool> top_once(std::size_t n, double confidence, Entries& out) const;

 protected:
  // Returns change(), which may change the player's row; to `next`, if it is given. Tells cursors
  // and the listener of it. A player without a handle is looked up after the change. REQUIRES: if
  // the player has a handle and is held after the change, it is that handle.
  template <typename Change>
  auto change_row(const Player& player, Change change, const RowKey* next = nullptr) {
    return !is_told_ ? change() : change_row_told(player, change, next);
  }
  // Whether anyone may have to be told of a change: one test for all of them. Call note_told() when
  // keeps_other_orders() changes.
  bool is_told() const { return is_told_; }
  void note_told() const {
    is_told_ = cursors_ != nullptr || listener_ != nullptr || keeps_other_orders();
  }
  // Whether orders are kept beside the engine's: at a mark, or of segments.
  virtual bool keeps_other_orders() const { return false; }
  // Apart, so that change_row() costs nothing if no one is told.
  template <typename Change>
  [[gnu::noinline]] auto change_row_told(const Player& player, Change& change, const RowKey* next) {
    const HeardChange heard(*this, player, next);
    if (cursors_ == nullptr) return change();
    const RowChange told(*this, player.id);
    return change();
  }
  // Call when rows change in any other way.
  void tell_all_changed() const {
    if (listener_ != nullptr) listener_->all_changed();
  }
  RowListener* hearer() const { return listener_; }
  bool has_cursors() const { return cursors_ != nullptr; }
  // Call before the engine's rows go, before they change all at once, and before the engine ends.
  void empty_cursors();
  void rewind_cursors();
  void detach_cursors();
  // What the engine holds of the player, also if it is not shown.
  virtual std::optional<EngineRow> held_row(const Player& player, Arena& arena) const {
    return view_->find(player, arena);
  }

  Player look_up(std::string_view id) const;
  const ScoreForm& form() const { return form_; }
  // rank_at_mark() gives something from now on. `version` is marks_version(), and outlives this.
  void follow_marks(const std::uint64_t& version) { marks_version_ = &version; }
  void show(const EngineView* view) {
    view_ = view;
    forget_top();
  }
  void rank_by(Ranking ranking) {
    ranking_ = ranking;
    forget_top();
  }
  // Must be called when rows of the engine change: without a score after any change, with a score
  // if one row changed. The score is then the better one of before and after.
  void forget_top() {
    if (top_) top_->forget();
  }
  void forget_top(ScoreKey score) {
    if (top_) top_->forget(score);
  }
  // Memory kept between reads.
  std::size_t read_bytes() const;
  // Appends the rows, at positions first, first+1, ..., with their ranks. `better`: how many rows
  // have a better score than the first of them, if known.
  void append_ranked(std::size_t first, std::optional<std::size_t> better,
                     const std::vector<EngineRow>& rows, Entries& out) const;

 private:
  friend class EntryCursor;

  // Tells cursors of the change of a player's row that happens while it exists.
  class RowChange {
   public:
    RowChange(const Standings& standings, std::string_view player);
    ~RowChange();
    RowChange(const RowChange&) = delete;
    RowChange& operator=(const RowChange&) = delete;

   private:
    const Standings& standings_;
    Arena arena_;
    std::string_view player_;
    std::optional<EngineRow> before_;
  };
  // Tells the listener of the change that happens while it exists.
  class HeardChange {
   public:
    HeardChange(const Standings& standings, const Player& player, const RowKey* next);
    ~HeardChange();
    HeardChange(const HeardChange&) = delete;
    HeardChange& operator=(const HeardChange&) = delete;

   private:
    const Standings& standings_;
    PlayerHandle player_;
    std::size_t size_;
    std::array<char, kPlayerBytesMax> id_;  // the given one may be a view of the row
  };

  Result<ScoreKey> key_of(double score) const;
  std::optional<ScoreKey> key_at(std::size_t position) const;
  void attach(EntryCursor& cursor) const;
  void detach(EntryCursor& cursor) const;
  void touch(EntryCursor& cursor) const;
  void fill(Entry& out, const EngineRow& row) const;
  void read_anew(std::size_t first, std::size_t n, Entries& out) const;
  void append_in_memory(const CountedTree& tree, std::size_t first, std::size_t n,
                        Entries& out) const;
  void fill_with_data(const RowOrder& order, RowCursor row, std::span<Entry> out,
                      std::vector<ScoreKey>& scores, Arena& arena) const;
  void fill_without_data(const RowOrder& order, RowCursor& row, std::span<Entry> out,
                         std::vector<ScoreKey>& scores, Arena& arena) const;
  void fill_top(std::size_t n) const;
  std::span<const std::optional<double>> changes_in_top(std::uint64_t marks, std::size_t n) const;
  std::span<const std::optional<double>> find_rank_changes(
      const Entries& entries, std::vector<std::optional<double>>& room) const;

  const Players* players_;
  ScoreForm form_;
  Ties ties_;
  Ranking ranking_;
  const EngineView* view_;
  ScoreColumns::Ptr columns_;
  const std::uint64_t* marks_version_ = nullptr;
  mutable std::unique_ptr<TopPage> top_;    // null until the first read of a top
  mutable EntryCursor* cursors_ = nullptr;  // the one used last; each knows the next
  RowListener* listener_ = nullptr;
  mutable bool is_told_ = false;  // there are cursors, a listener or other orders
  mutable Arena found_;           // memory of the last single entry
  struct LastRead {               // kept for its memory
    std::vector<EngineRow> rows;
    std::vector<ScoreKey> keys;
  };
  LastRead& last_read() const {
    if (!last_read_) last_read_ = std::make_unique<LastRead>();
    return *last_read_;
  }
  mutable std::unique_ptr<LastRead> last_read_;  // null until the first read
};

}  // namespace laurel
