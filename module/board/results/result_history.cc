#include "board/results/result_history.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "board/persistent_rows.h"
#include "board/results/result_rows.h"

namespace laurel {

namespace {

static_assert(kHistoryMax <= 256, "a slot has one byte");

// Rows in memory that are no longer used.
class OldRows final : public Reclaimable {
 public:
  explicit OldRows(const Space& space) : space_(space) {}
  bool dismantle(std::size_t rows) override { return space_.erase_some(rows); }

 private:
  Space space_;
};

}  // namespace

Status ResultHistory::load() {
  const std::optional<std::string_view> space = board_.get({&kHistoryLetter, 1});
  if (!space) return Done{};
  if (space->size() != kSortableBytes) {
    return Refusal(Code::bad_data, "the history of a board cannot be decoded");
  }
  rows_.emplace(context_.store, number_of_sortable(*space));
  return Done{};
}

std::optional<SpaceNumber> ResultHistory::space() const {
  return rows_ ? std::optional(rows_->space().number()) : std::nullopt;
}

HistoryRows& ResultHistory::rows() {
  if (!rows_) {
    rows_.emplace(context_.store, ++context_.last_space);
    PersistentRows(board_, kHistoryLetter).put("", sortable(rows_->space().number()));
  }
  return *rows_;
}

// The slots follow from the size. Counts are dropped, so that a player's rows are looked at again.
void ResultHistory::resize(std::size_t most) {
  assert(most >= 1 && most <= kHistoryMax);
  if (most == most_) return;
  most_ = most;
  counts_.clear();
  expect_waiting_rows();
}

void ResultHistory::expect_waiting_rows() {
  if (context_.store.is_durable()) dropped_until_ = context_.store.progress().commits_begun + 1;
}

// Whether rows of a player without a count may wait for the disk. A commit begins when the one
// before it can be read from the disk.
ResultHistory::Waiting ResultHistory::waiting_rows() {
  if (dropped_until_ == 0) return Waiting::left_out;
  if (context_.store.progress().commits_begun <= dropped_until_) return Waiting::included;
  dropped_until_ = 0;
  return Waiting::left_out;
}

void ResultHistory::set_count(std::uint64_t hash, std::uint32_t count) {
  if (counts_.set(hash, count)) expect_waiting_rows();
}

void ResultHistory::prepare(std::string_view player, ResultRow row) {
  prepared_.hash = context_.players.hash(player);
  row.number = 0;  // who holds nothing has no results
  if (row.before) {
    const std::optional<std::uint32_t> count = counts_.find(prepared_.hash);
    row.number = count ? *count : load_count(player);
  }
  prepared_.number = row.number;
  pack_result(row, packed_);
}

void ResultHistory::keep(std::string_view player) {
  rows().put(player, slot_of(prepared_.number), packed_);
  set_count(prepared_.hash, prepared_.number + 1);
}

void ResultHistory::put(std::string_view player, const ResultRow& row) {
  pack_result(row, packed_);
  rows().put(player, slot_of(row.number), packed_);
}

// By number.
std::vector<ResultHistory::Placed> ResultHistory::read(std::string_view player,
                                                       Waiting waiting) const {
  std::vector<Placed> placed;
  if (!rows_) return placed;
  rows_->each_of(player, waiting, [&](std::string_view, HistorySlot slot, std::string_view packed) {
    if (const auto row = unpack_result(packed)) placed.push_back({slot, kept_result(*row)});
  });
  std::ranges::sort(placed, {}, [](const Placed& each) { return each.result.number; });
  return placed;
}

// Leaves the newest ones, up to `most`, without a gap.
void ResultHistory::cut_off(std::vector<Placed>& placed) const {
  std::size_t first = placed.size();
  while (first > 0 && placed.size() - first < most_) {
    if (first < placed.size() &&
        placed[first - 1].result.number + 1 != placed[first].result.number) {
      break;
    }
    --first;
  }
  placed.erase(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(first));
}

// The number of a player who is not in memory: looks at the rows, and puts them in order if the
// size was another one.
std::uint32_t ResultHistory::load_count(std::string_view player) {
  std::vector<Placed> placed = read(player, waiting_rows());
  if (placed.empty()) return 0;
  const std::size_t all = placed.size();
  std::vector<HistorySlot> slots;
  for (const Placed& each : placed) slots.push_back(each.slot);
  cut_off(placed);
  const bool in_order =
      placed.size() == all && std::ranges::all_of(placed, [&](const Placed& each) {
        return each.slot == slot_of(each.result.number);
      });
  if (!in_order) {
    const MemoryGuarantee guaranteed(placed.size() * 8 * kDataBytesMax);
    for (const HistorySlot slot : slots) rows_->erase(player, slot);
    for (const Placed& each : placed) put(player, row_of(each.result));
  }
  return placed.back().result.number + 1;
}

std::vector<KeptResult> ResultHistory::of(std::string_view player) const {
  std::vector<Placed> placed = read(player, Waiting::included);
  cut_off(placed);
  std::vector<KeptResult> results;
  results.reserve(placed.size());
  for (Placed& each : placed) results.push_back(std::move(each.result));
  return results;
}

void ResultHistory::each(const EachPlayer& visit) const {
  if (!rows_) return;
  std::string player;
  std::vector<Placed> placed;
  const auto show = [&] {
    std::ranges::sort(placed, {}, [](const Placed& each) { return each.result.number; });
    cut_off(placed);
    std::vector<KeptResult> results;
    for (Placed& each : placed) results.push_back(std::move(each.result));
    if (!results.empty()) visit(player, results);
    placed.clear();
  };
  rows_->each([&](std::string_view id, HistorySlot slot, std::string_view packed) {
    if (id != player) {
      show();
      player = id;
    }
    if (const auto row = unpack_result(packed)) placed.push_back({slot, kept_result(*row)});
  });
  show();
}

void ResultHistory::replace(std::string_view player, std::span<const KeptResult> results) {
  end(player);
  if (results.size() > most_) results = results.last(most_);
  std::uint32_t number = 0;
  for (const KeptResult& result : results) {
    ResultRow row = row_of(result);
    row.number = number++;
    put(player, row);
  }
  if (number > 0) set_count(context_.players.hash(player), number);
}

void ResultHistory::end(std::string_view player) {
  if (!rows_) return;
  const std::uint64_t hash = context_.players.hash(player);
  if (const std::optional<std::uint32_t> count = counts_.find(hash)) {
    const std::size_t kept = std::min<std::size_t>(*count, most_);
    for (std::size_t slot = 0; slot < kept; ++slot) {
      rows_->erase(player, static_cast<HistorySlot>(slot));
    }
  } else {
    for (const Placed& each : read(player, waiting_rows())) rows_->erase(player, each.slot);
  }
  set_count(hash, 0);
}

void ResultHistory::begin_anew(Reclaimer& reclaimer) {
  counts_.clear();
  dropped_until_ = 0;
  if (!rows_) return;
  const Space left = rows_->space();
  rows_->retire();
  rows_.reset();
  PersistentRows(board_, kHistoryLetter).erase("");
  if (!context_.store.is_durable()) reclaimer.take(std::make_unique<OldRows>(left));
}

void ResultHistory::rename(std::string_view from, std::string_view to) {
  const std::vector<KeptResult> results = of(from);
  end(from);
  replace(to, results);
}

}  // namespace laurel
