#include "board/standings/standings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/checks.h"
#include "base/limits.h"
#include "board/standings/places.h"

namespace laurel {

namespace {

// Number of rows whose players are prefetched together.
constexpr std::size_t kRowsPerLookup = 16;

// Ranks of consecutive rows, one by one. Rows with equal scores share a rank as `ranking` says.
// scores(i) is the score of row i.
template <typename Scores>
class RunRanks {
 public:
  // `better`: how many rows have a better score than the first, if known.
  RunRanks(const EngineView& engine, Ranking ranking, std::size_t first,
           std::optional<std::size_t> better, std::size_t rows, Scores scores)
      : engine_(engine),
        ranking_(ranking),
        first_(first),
        better_(better),
        rows_(rows),
        scores_(scores) {}

  // REQUIRES: called for i = 0, 1, 2, ...
  Rank rank_of(std::size_t i) {
    const bool new_run = i == 0 || scores_(i) != scores_(i - 1);
    if (ranking_ == Ranking::ordinal || new_run) start_run(i);
    return rank_;
  }

 private:
  void start_run(std::size_t i) {
    const ScoreKey score = scores_(i);
    switch (ranking_) {
      case Ranking::competition: rank_ = (i == 0 ? better_of_first(score) : first_ + i) + 1; break;
      case Ranking::modified: rank_ = end_of_run(i); break;
      case Ranking::dense:
        rank_ = i > 0 ? rank_.whole() + 1 : first_ > 0 ? engine_.distinct_better(score) + 1 : 1;
        break;
      case Ranking::ordinal: rank_ = first_ + i + 1; break;
      case Ranking::fractional:
        rank_ = Rank::mean((i == 0 ? better_of_first(score) : first_ + i) + 1, end_of_run(i));
        break;
    }
  }

  std::uint64_t better_of_first(ScoreKey score) const {
    if (first_ == 0) return 0;
    return better_ ? *better_ : engine_.count_better(score);
  }

  // The number of rows up to the last one that has the score of row i.
  std::uint64_t end_of_run(std::size_t i) const {
    for (std::size_t next = i + 1; next < rows_; ++next) {
      if (scores_(next) != scores_(i)) return first_ + next;
    }
    return engine_.count_not_worse(scores_(i));  // the run may continue beyond these rows
  }

  const EngineView& engine_;
  Ranking ranking_;
  std::size_t first_;
  std::optional<std::size_t> better_;
  std::size_t rows_;
  Scores scores_;
  Rank rank_;
};

}  // namespace

void Standings::fill(Entry& out, const EngineRow& row) const {
  out.player = row.player;
  out.score = form_.score(row.score);
  out.at = row.at;
  out.data = row.data;
  out.overall = {};
}

// Prefetches the engine's record of the player while the id is looked up.
Player Standings::look_up(std::string_view id) const {
  if (!view_->wants_prefetch()) return {id, players_->find(id)};
  const std::uint64_t hash = players_->prefetch(id);
  const PlayerHandle likely = players_->prefetch_record(hash);
  view_->prefetch_player(likely);
  return {id, players_->find(id, hash, likely)};
}

std::optional<Entry> Standings::get(std::string_view id) const {
  found_.clear();
  const Player player = look_up(found_.keep(id));
  const std::optional<EngineRow> row = view_->find(player, found_);
  if (!row) return std::nullopt;
  Entry entry;
  fill(entry, *row);
  entry.rank = *view_->rank(player, ranking_);
  return entry;
}

std::optional<double> Standings::score(std::string_view id) const {
  found_.clear();
  const std::optional<EngineRow> row = view_->find(look_up(id), found_);
  if (!row) return std::nullopt;
  return form_.score(row->score);
}

std::optional<Standing> Standings::rank(std::string_view id, std::optional<Ranking> asked) const {
  const auto rank = view_->rank(look_up(id), asked.value_or(ranking_));
  if (!rank) return std::nullopt;
  return Standing{*rank, view_->size()};
}

std::span<const std::optional<double>> Standings::find_rank_changes(
    const Entries& entries, std::vector<std::optional<double>>& room) const {
  room.clear();
  room.reserve(entries.size());
  for (const Entry& entry : entries) room.push_back(rank_change(entry));
  return room;
}

std::span<const std::optional<double>> Standings::changes_in_top(std::uint64_t marks,
                                                                 std::size_t n) const {
  return top_->rank_changes(marks, n, [this](const Entry& entry) { return rank_change(entry); });
}

std::optional<double> Standings::rank_change(std::string_view player, std::size_t likely) const {
  const std::uint64_t marks = marks_version();
  if (marks == 0) return std::nullopt;
  const Entry* const shown = top_ ? top_->at(likely) : nullptr;
  if (shown != nullptr && shown->player == player) {
    return changes_in_top(marks, likely + 1).back();
  }
  const std::optional<Entry> entry = get(player);
  return entry ? rank_change(*entry) : std::nullopt;
}

// No entry need have the score.
Result<ScoreKey> Standings::key_of(double score) const {
  if (!std::isfinite(score)) return not_finite("the score", score);
  const std::optional<ScoreKey> key = form_.key(score);
  if (key && (!columns_ || columns_->is_whole(score))) return *key;
  return Refusal(Code::out_of_range, "the score {} is out of range for this board", score);
}

Result<Rank> Standings::rank_of(double score) const {
  const Result<ScoreKey> key = key_of(score);
  if (!key) return key.refusal();
  return view_->rank_of_newcomer(*key, ranking_);
}

void Standings::append_ranked(std::size_t first, std::optional<std::size_t> better,
                              const std::vector<EngineRow>& rows, Entries& out) const {
  RunRanks ranks(*view_, ranking_, first, better, rows.size(),
                 [&rows](std::size_t i) { return rows[i].score; });
  Entry* entry = out.add(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i, ++entry) {
    fill(*entry, rows[i]);
    entry->rank = ranks.rank_of(i);
  }
}

// Converts rows in memory directly to entries, without a list of rows.
void Standings::append_in_memory(const CountedTree& tree, std::size_t first, std::size_t n,
                                 Entries& out) const {
  RowCursor row = tree.from(first, n);
  if (row.at_end()) return;
  std::optional<std::size_t> better;
  if (const auto equals = row.equals_before()) better = first - *equals;
  n = std::min(n, tree.size() - first);
  std::vector<ScoreKey>& keys = last_read().keys;
  keys.resize(n);
  const std::span<Entry> entries(out.add(n), n);
  if (view_->has_data()) {
    fill_with_data(tree.order(), row, entries, keys, out.arena());
  } else {
    fill_without_data(tree.order(), row, entries, keys, out.arena());
  }
  RunRanks ranks(*view_, ranking_, first, better, n, [&keys](std::size_t i) { return keys[i]; });
  for (std::size_t i = 0; i < n; ++i) entries[i].rank = ranks.rank_of(i);
}

// Works in groups, so that the cache misses of their players overlap.
void Standings::fill_without_data(const RowOrder& order, RowCursor& row, std::span<Entry> out,
                                  std::vector<ScoreKey>& scores, Arena& arena) const {
  std::array<PlayerRecords::Location, kRowsPerLookup> records;
  for (std::size_t first = 0; first < out.size(); first += kRowsPerLookup) {
    const std::size_t n = std::min(kRowsPerLookup, out.size() - first);
    Entry* const entries = &out[first];
    ScoreKey* const keys = &scores[first];
    row.take(static_cast<std::uint32_t>(n), [&](std::uint32_t i, const Place& place) {
      const Row held = order.row(place);
      records[i] = players_->prefetch(held.player);
      keys[i] = held.score;
      Entry& entry = entries[i];
      entry.score = form_.score(held.score);
      entry.at = held.at;
      entry.data.reset();
      entry.overall = {};
    });
    char* room = nullptr;
    for (std::size_t i = 0; i < n; ++i) {
      if (records[i].is_packed() && room == nullptr) room = arena.room((n - i) * kUnpackRoom);
      entries[i].player = PlayerRecords::read_id(records[i], room);
    }
    if (room != nullptr) arena.shorten(room);
  }
}

// As fill_without_data(); the engine adds the data.
void Standings::fill_with_data(const RowOrder& order, RowCursor row, std::span<Entry> out,
                               std::vector<ScoreKey>& scores, Arena& arena) const {
  EngineRow shown;
  for (std::size_t i = 0; i < out.size();) {
    const std::size_t end = std::min(out.size(), i + kRowsPerLookup);
    RowCursor next = row;
    for (std::size_t asked = i; asked < end; ++asked, next.next()) {
      players_->prefetch(next.player());
    }
    for (; i < end; ++i, row.next()) {
      view_->show(order.row(row.place()), arena, shown);
      scores[i] = shown.score;
      fill(out[i], shown);
    }
  }
}

std::size_t Standings::read_bytes() const {
  std::size_t bytes = found_.bytes() + (top_ ? top_->bytes() : 0);
  if (!last_read_) return bytes;
  bytes += sizeof(LastRead) + last_read_->rows.capacity() * sizeof(EngineRow);
  return bytes + last_read_->keys.capacity() * sizeof(ScoreKey);
}

void Standings::fill_top(std::size_t n) const {
  if (!top_) top_ = std::make_unique<TopPage>();
  n = top_->begin(n);
  Entries& entries = top_->entries();
  std::vector<EngineRow>& rows = last_read().rows;
  rows.clear();
  view_->read(0, n, entries.arena(), rows);
  append_ranked(0, 0, rows, entries);
  top_->stand(rows.size() < n, rows.empty() ? 0 : rows.back().score);
}

// Reads without the cache. A top that the cache may hold is put into it for later reads.
void Standings::read_anew(std::size_t first, std::size_t n, Entries& out) const {
  if (first == 0 && n <= kTopPageMax) {
    fill_top(n);
    top_->copy(first, n, out);
    return;
  }
  if (const CountedTree* const tree = view_->in_memory()) {
    append_in_memory(*tree, first, n, out);
    return;
  }
  std::vector<EngineRow>& rows = last_read().rows;
  rows.clear();
  const std::optional<std::size_t> better = view_->read_ranked(first, n, out.arena(), rows);
  append_ranked(first, better, rows, out);
}

void Standings::bottom(std::size_t n, Entries& out) const {
  const std::size_t begin = out.size();
  const std::size_t size = view_->size();
  read(size - std::min(n, size), n, out);
  out.reverse(begin);
}

void Standings::around(std::string_view id, std::size_t n, Entries& out) const {
  const std::optional<std::size_t> position = this->position(id);
  if (!position) return;
  const PositionRange range = positions_around(*position, 1, n, view_->size());
  read(range.first, range.count, out);
}

void Standings::between(const ScoreRange& range, std::size_t limit, Entries& out) const {
  const std::optional<ScoreBounds> bounds = score_bounds(form_, range);
  if (!bounds) return;
  const std::size_t first = view_->count_better(bounds->best);
  const std::size_t last = view_->count_not_worse(bounds->worst);
  read(first, std::min(limit, last - first), out);
}

std::size_t Standings::count(const ScoreRange& range) const {
  const std::optional<ScoreBounds> bounds = score_bounds(form_, range);
  if (!bounds) return 0;
  return view_->count_between(bounds->best, bounds->worst);
}

std::optional<double> Standings::percentile(std::string_view id) const {
  found_.clear();
  const Player player = look_up(id);
  const std::optional<EngineRow> row = view_->find(player, found_);
  if (!row) return std::nullopt;
  const std::size_t not_worse = ranking_ == Ranking::ordinal ? *view_->position(player) + 1
                                                             : view_->count_not_worse(row->score);
  return percentile_of(not_worse, view_->size());
}

void Standings::among(std::span<const std::string_view> ids, Entries& out) const {
  struct Placed {
    std::size_t position;
    Player player;
    EngineRow row;
  };
  std::vector<Placed> placed;
  for (const std::string_view id : ids) {
    const Player player = look_up(id);
    if (const auto row = view_->find(player, out.arena())) {
      placed.push_back({*view_->position(player), player, *row});
      placed.back().row.player = out.arena().keep(id);
    }
  }
  std::sort(placed.begin(), placed.end(),
            [](const Placed& a, const Placed& b) { return a.position < b.position; });
  const auto same = [](const Placed& a, const Placed& b) { return a.position == b.position; };
  placed.erase(std::unique(placed.begin(), placed.end(), same), placed.end());

  // They are ranked as on a board of their own.
  std::uint64_t distinct = 0;
  for (std::size_t i = 0; i < placed.size();) {
    std::size_t end = i + 1;
    while (end < placed.size() && placed[end].row.score == placed[i].row.score) ++end;
    RankCounts counts{.better = i, .not_worse = end, .distinct_better = distinct++};
    for (; i < end; ++i) {
      counts.position = i;
      Entry& entry = out.add();
      fill(entry, placed[i].row);
      entry.rank = rank_of_row(ranking_, counts);
      entry.overall = *view_->rank(placed[i].player, ranking_);
    }
  }
}

std::optional<std::size_t> Standings::position(std::string_view id) const {
  return view_->position(look_up(id));
}

}  // namespace laurel
