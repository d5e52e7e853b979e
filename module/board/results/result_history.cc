#include "board/results/result_history.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "board/persistent_rows.h"
#include "board/results/history_slots.h"
#include "board/results/result_rows.h"

namespace laurel {

namespace {

// What is no longer used.
class OldHistory final : public Reclaimable {
 public:
  OldHistory(const Space& space, HistoryHeads heads, bool has_rows)
      : space_(space), heads_(std::move(heads)), has_rows_(has_rows) {}
  bool dismantle(std::size_t rows) override {
    if (heads_.free_part()) return true;
    return has_rows_ && space_.erase_some(rows);
  }

 private:
  Space space_;
  HistoryHeads heads_;
  bool has_rows_;  // that no log erases
};

// The board's row.
std::string log_row(SpaceNumber space) { return sortable(space) + kRecordLogForm; }

}  // namespace

// ---- the records of one chunk

class ResultHistory::Chunk {
 public:
  struct Record {
    HistoryRecord record;
    std::uint64_t hash;  // of its player
    std::uint32_t offset;
  };

  // Prefetches the heads of all players. The records are views of `bytes`.
  Chunk(std::string_view bytes, const Players& players, const HistoryHeads& heads) {
    records_.reserve(bytes.size() / kUsualRecordBytes);
    whole_ = RecordLog::each_in(bytes, [&](std::uint32_t offset, std::string_view record) {
      const std::optional<HistoryRecord> read = read_record(record);
      whole_records_ = whole_records_ && read;
      if (!read) return;
      const std::uint64_t hash = players.hash(read->player);
      heads.prefetch(hash);
      records_.push_back({*read, hash, offset});
    });
  }

  bool is_whole() const { return whole_ && whole_records_; }
  std::span<const Record> records() const { return records_; }

 private:
  static constexpr std::size_t kUsualRecordBytes = 48;

  bool whole_ = false;
  bool whole_records_ = true;
  std::vector<Record> records_;
};

// ---- opening

Status ResultHistory::load(const Engine::LoadProgress& progress) {
  const std::optional<std::string_view> found = board_.get({&kHistoryLetter, 1});
  if (!found) return Done{};
  const std::string row(*found);
  const Refusal damaged(Code::bad_data, "the history of a board cannot be decoded");
  if (row.size() < kSortableBytes) return damaged;
  const SpaceNumber space = number_of_sortable(std::string_view(row).substr(0, kSortableBytes));
  if (row.size() == kSortableBytes) return load_old_form(space);
  if (row != log_row(space)) return damaged;
  log_.emplace(context_.store, space);
  bool whole = true;
  std::uint64_t told = 0;
  whole = log_->load([&](std::uint64_t number, std::string_view bytes) {
    const Chunk chunk(bytes, context_.players, heads_);
    whole = whole && chunk.is_whole();
    for (const Chunk::Record& each : chunk.records()) {
      whole = whole && take_in(each.record, each.hash, {number, each.offset});
    }
    if (records_ - told < Engine::kRowsPerProgress) return;
    progress(Engine::kRowsPerProgress);
    told += Engine::kRowsPerProgress;
  }) && whole;
  if (!whole) return damaged;
  return Done{};
}

// The next record when a log is read.
bool ResultHistory::take_in(const HistoryRecord& record, std::uint64_t hash,
                            const RecordLog::Place& place) {
  ++records_;
  const std::optional<HistoryHead> was = heads_.find(hash);
  if (record.kept == 0) {
    if (was) kept_ -= was->kept;
    heads_.erase(hash);
    return true;
  }
  if (!unpack_result(record.packed)) return false;
  const HistoryHead head{.place = 0,
                         .number = result_number(record.packed) & (kHistoryNumbers - 1),
                         .kept = record.kept};
  set_head(hash, was, head, place);
  return true;
}

// Appends everything to a log in a new space. The old one is then a space without an owner.
Status ResultHistory::load_old_form(SpaceNumber space) {
  const bool whole = each_in_slots(
      Space(context_.store, space),
      [this](std::string_view player, const auto& results) { replace(player, results); });
  if (!whole) return Refusal(Code::bad_data, "the history of a board cannot be decoded");
  if (!log_) PersistentRows(board_, kHistoryLetter).erase("");
  return Done{};
}

std::optional<SpaceNumber> ResultHistory::space() const {
  return log_ ? std::optional(log_->space().number()) : std::nullopt;
}

RecordLog& ResultHistory::log() {
  if (!log_) {
    log_.emplace(context_.store, ++context_.last_space);
    PersistentRows(board_, kHistoryLetter).put("", log_row(log_->space().number()));
  }
  return *log_;
}

std::size_t ResultHistory::bytes() const {
  return sizeof *this + heads_.bytes() + (log_ ? log_->bytes() : 0);
}

void ResultHistory::resize(std::size_t most) {
  assert(most >= 1 && most <= kHistoryMax);
  most_ = most;
}

// ---- a result

// `holds`: the player has an entry; else there are no results.
HistoryHead ResultHistory::next_head(const std::optional<HistoryHead>& head, bool holds) const {
  HistoryHead next{.place = 0, .number = 0, .kept = 1};
  if (!head) return next;
  next.number = (head->number + 1) % kHistoryNumbers;
  if (holds) next.kept = static_cast<std::uint8_t>(std::min<std::size_t>(head->kept + 1U, most_));
  return next;
}

void ResultHistory::set_head(std::uint64_t hash, const std::optional<HistoryHead>& was,
                             HistoryHead head, const RecordLog::Place& place) {
  head.place = short_place(place);
  kept_ += head.kept;
  if (was) kept_ -= was->kept;
  heads_.set(hash, head);
}

void ResultHistory::prepare(std::string_view player, ResultRow row) {
  prepared_.hash = context_.players.hash(player);
  prepared_.was = heads_.find(prepared_.hash);
  prepared_.head = next_head(prepared_.was, row.before.has_value());
  row.number = prepared_.head.number;
  begin_record({.kept = prepared_.head.kept,
                .before = prepared_.was ? prepared_.was->place : 0,
                .player = player,
                .packed = {}},
               record_);
  append_result(row, record_);
}

void ResultHistory::keep() {
  const RecordLog::Place place = log().append(record_);
  ++records_;
  set_head(prepared_.hash, prepared_.was, prepared_.head, place);
  if (log_->last() != cleaned_at_ && records_ > records_max()) clean();
}

// ---- reading

// Visits up to `most` of the records that count, newest first; returns how many there were.
template <typename Visit>
std::size_t ResultHistory::walk(HistoryHead head, std::size_t most, Visit visit) const {
  std::uint64_t chunk = log_->last();
  std::size_t visited = 0;
  for (ShortPlace at = head.place; visited < std::min<std::size_t>(head.kept, most); ++visited) {
    const RecordLog::Place place = full_place(at, chunk);
    const std::string_view bytes = log_->read(place);
    const std::optional<HistoryRecord> record = read_record(bytes);
    if (!record || record->kept == 0) break;
    visit(*record, bytes);
    at = record->before;
    chunk = place.chunk;
  }
  return visited;
}

std::vector<KeptResult> ResultHistory::results_of(const HistoryHead& head,
                                                  std::string_view player) const {
  std::vector<KeptResult> results;
  walk(head, most_, [&](const HistoryRecord& record, std::string_view) {
    const std::optional<ResultRow> row = unpack_result(record.packed);
    if (row && record.player == player) results.push_back(kept_result(*row));
  });
  std::ranges::reverse(results);
  return results;
}

std::vector<KeptResult> ResultHistory::of(std::string_view player) const {
  const std::optional<HistoryHead> head = heads_.find(context_.players.hash(player));
  return head ? results_of(*head, player) : std::vector<KeptResult>();
}

// A record that is its player's newest stands for the player.
void ResultHistory::each(const EachPlayer& visit) const {
  if (!log_) return;
  for (std::uint64_t number = log_->first(); number <= log_->last(); ++number) {
    const std::string bytes(log_->chunk(number));
    const Chunk chunk(bytes, context_.players, heads_);
    for (const Chunk::Record& each : chunk.records()) {
      const std::optional<HistoryHead> head = heads_.find(each.hash);
      if (!head || head->place != short_place({number, each.offset})) continue;
      visit(each.record.player, results_of(*head, each.record.player));
    }
  }
}

// ---- other changes

void ResultHistory::replace(std::string_view player, std::span<const KeptResult> results) {
  if (results.empty()) return end(player);
  if (results.size() > most_) results = results.last(most_);
  const std::uint64_t hash = context_.players.hash(player);
  const std::optional<HistoryHead> was = heads_.find(hash);
  HistoryHead head = next_head(was, false);
  RecordLog::Place place;
  for (const KeptResult& result : results) {
    if (&result != results.data()) {
      head.number = (head.number + 1) % kHistoryNumbers;
      ++head.kept;
    }
    begin_record({.kept = head.kept, .before = short_place(place), .player = player, .packed = {}},
                 record_);
    ResultRow row = row_of(result);
    row.number = head.number;
    append_result(row, record_);
    place = log().append(record_);
    ++records_;
  }
  set_head(hash, was, head, place);
}

void ResultHistory::end(std::string_view player) {
  const std::uint64_t hash = context_.players.hash(player);
  const std::optional<HistoryHead> was = heads_.find(hash);
  if (!was) return;
  begin_record({.kept = 0, .before = 0, .player = player, .packed = {}}, record_);
  log_->append(record_);
  ++records_;
  kept_ -= was->kept;
  heads_.erase(hash);
}

void ResultHistory::start_over(Reclaimer& reclaimer) {
  if (!log_) return;
  const bool durable = context_.store.is_durable();
  auto left = std::make_unique<OldHistory>(log_->space(), std::exchange(heads_, {}), !durable);
  log_->retire();
  log_.reset();
  records_ = kept_ = passed_ = cleaned_at_ = 0;
  PersistentRows(board_, kHistoryLetter).erase("");
  reclaimer.take(std::move(left));
}

void ResultHistory::rename(std::string_view from, std::string_view to) {
  const std::vector<KeptResult> results = of(from);
  end(from);
  replace(to, results);
}

// ---- cleaning

std::uint64_t ResultHistory::records_max() const { return 2 * kept_ + kHistoryPastResults; }

// Passes the oldest records. Chunks that may wait for the disk are left for a later call.
void ResultHistory::clean() {
  std::size_t moved = 0;
  for (std::size_t chunks = 0; chunks < kHistoryCleanedChunks; ++chunks) {
    const std::uint64_t oldest = log_->first();
    if (records_ <= records_max() || !log_->is_settled(oldest)) break;
    chunk_.assign(log_->chunk(oldest));  // the log is appended to meanwhile
    const Chunk chunk(chunk_, context_.players, heads_);
    for (const auto& [record, hash, offset] : chunk.records().subspan(passed_)) {
      if (moved >= kHistoryMovedResults) break;
      moved += pass(record, hash);
      ++passed_;
      --records_;
    }
    if (chunk_.empty() || passed_ < chunk.records().size()) break;
    log_->drop_first();
    passed_ = 0;
  }
  cleaned_at_ = log_->last();
}

// Returns how many records were appended. Of the numbers of a player's records the newest `kept`
// count. One that only seems to, after very many, has the same effect.
std::size_t ResultHistory::pass(const HistoryRecord& record, std::uint64_t hash) {
  if (record.kept == 0) return 0;
  const std::optional<HistoryHead> head = heads_.find(hash);
  if (!head) return 0;
  const std::uint32_t newer = head->number - result_number(record.packed);
  return newer % kHistoryNumbers < head->kept ? append_again(hash, *head) : 0;
}

// With new numbers: the former records no longer count.
std::size_t ResultHistory::append_again(std::uint64_t hash, const HistoryHead& was) {
  moved_.bytes.clear();
  moved_.ends.clear();
  walk(was, was.kept, [&](const HistoryRecord&, std::string_view bytes) {
    moved_.bytes.append(bytes);
    moved_.ends.push_back(moved_.bytes.size());
  });
  HistoryHead head = was;
  head.kept = 0;
  RecordLog::Place place;
  for (std::size_t i = moved_.ends.size(); i-- > 0;) {  // the oldest first
    const std::size_t begin = i == 0 ? 0 : moved_.ends[i - 1];
    const std::optional<HistoryRecord> record =
        read_record(std::string_view(moved_.bytes).substr(begin, moved_.ends[i] - begin));
    head.number = (head.number + 1) % kHistoryNumbers;
    ++head.kept;
    begin_record(
        {.kept = head.kept, .before = short_place(place), .player = record->player, .packed = {}},
        record_);
    append_result(record->packed, head.number, record_);
    place = log_->append(record_);
    ++records_;
  }
  if (head.kept > 0) set_head(hash, was, head, place);
  return head.kept;
}

}  // namespace laurel
