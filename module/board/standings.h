// standings.h - reading the entries of a board, or of one of its seasons: who is where, with which
// rank.
//
//   ranks     1-based, in the given ranking mode.
//   players   that nobody holds, and strings that are no ids, are simply not there.
//   views     of a list are valid until the engine's next change and as long as the list; those of
//             a single entry until the next get.
//   threads   one caller at a time.
//   cost      n = size(). Every call O(log n) and O(k) for k entries, but where engine says other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seldom.h"
#include "board/change.h"
#include "board/score_bounds.h"
#include "board/top_page.h"
#include "engine/engine.h"
#include "engine/paged/paged_engine.h"
#include "rank/score.h"

namespace laurel {

// "211th of 1539".
struct Standing {
  std::uint64_t rank = 0;
  std::uint64_t size = 0;
};

// unsupported: what belongs to engine "...".
Refusal no_other_engine(std::string_view what, std::string_view engine);

// not_finite, out_of_range: it is no probability.
Status check_confidence(double confidence);

class Standings {
 public:
  // `players` and `view` outlive the standings, or their last use.
  Standings(const Players& players, const ScoreForm& form, Ranking ranking, const EngineView* view)
      : players_(&players), form_(form), ranking_(ranking), view_(view) {}
  virtual ~Standings() = default;

  std::size_t size() const { return view_->size(); }
  std::optional<Entry> get(std::string_view player) const;
  std::optional<double> score(std::string_view player) const;
  std::optional<Standing> rank(std::string_view player, std::optional<Ranking> ranking) const;
  // The rank that a newcomer with this score would have now. Fails with not_finite, out_of_range.
  Result<std::uint64_t> rank_of(double score) const;
  // 0-based place in the order.
  std::optional<std::size_t> position(std::string_view player) const;

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
  // The player between n above and n below, with n = 0 alone; slides at the ends. Empty when not
  // ranked.
  void around(std::string_view player, std::size_t n, Entries& out) const;
  // Entries with a score in the range, best first, at most limit.
  void between(const ScoreRange& range, std::size_t limit, Entries& out) const;
  std::size_t count(const ScoreRange& range) const;
  // 100 x (players ranked strictly worse) / size.
  std::optional<double> percentile(std::string_view player) const;
  // Those listed who are ranked, best first; `rank` among themselves, `overall` on the board.
  // O(k log n) for k players.
  void among(std::span<const std::string_view> players, Entries& out) const;

  // ---- what one engine can, and others refuse as `unsupported`

  // Capped: the score to beat, nothing until the board is full.
  Result<std::optional<double>> lowest() const;
  // Padded: the key under which the player's entry lies; nothing when there is none.
  Result<std::optional<std::string>> key(std::string_view player) const;
  // Paged.
  struct Layout {
    PagedLayout pages;
    std::optional<double> lowest;
  };
  Result<Layout> layout() const;
  // Sharded: how many entries of each shard contain the first n with that probability. Fails with
  // not_finite, out_of_range where it is none.
  Result<std::size_t> fetch_size(std::size_t n, double confidence) const;
  // Sharded: the first n, read once and no more; whether they are certainly exact. Fails likewise.
  Result<bool> top_once(std::size_t n, double confidence, Entries& out) const;

 protected:
  Player look_up(std::string_view id) const;
  const ScoreForm& form() const { return form_; }
  void show(const EngineView* view) {
    view_ = view;
    forget_top();
  }
  void rank_by(Ranking ranking) {
    ranking_ = ranking;
    forget_top();
  }
  // Whoever changes the engine's rows says so: any of them, or one whose better score, of that
  // before and that after, is this.
  void forget_top() {
    if (top_) top_->forget();
  }
  void forget_top(ScoreKey score) {
    if (top_) top_->forget(score);
  }
  // Of what reads keep for the next ones.
  std::size_t read_bytes() const;
  // Appends the rows, which stand at positions first, first+1, ..., with their ranks. `better`: how
  // many rows have a better score than the first of them, where that is known.
  void append_ranked(std::size_t first, std::optional<std::size_t> better,
                     const std::vector<EngineRow>& rows, Entries& out) const;

 private:
  void fill(Entry& out, const EngineRow& row) const;
  void read_anew(std::size_t first, std::size_t n, Entries& out) const;
  void append_in_memory(const CountedTree& tree, std::size_t first, std::size_t n,
                        Entries& out) const;
  void fill_with_data(const RowOrder& order, RowCursor row, std::span<Entry> out,
                      std::vector<ScoreKey>& scores) const;
  void fill_without_data(const RowOrder& order, RowCursor& row, std::span<Entry> out,
                         std::vector<ScoreKey>& scores) const;
  void fill_top(std::size_t n) const;

  const Players* players_;
  ScoreForm form_;
  Ranking ranking_;
  const EngineView* view_;
  mutable std::unique_ptr<TopPage> top_;  // null until a top is read
  mutable Arena found_;                   // of the last single entry
  struct LastRead {                       // kept for its memory
    std::vector<EngineRow> rows;
    std::vector<ScoreKey> keys;
  };
  mutable Seldom<LastRead> last_read_;
};

}  // namespace laurel
