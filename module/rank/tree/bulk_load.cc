#include "rank/tree/bulk_load.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/limits.h"
#include "base/process/work_thread.h"
#include "rank/prefetch.h"

namespace laurel {

namespace {

// With fewer rows a second thread saves less than a few milliseconds.
constexpr std::size_t kRowsForTwoThreads = 100'000;

// A row with its number. The numbers have the order of the ids.
struct Numbered {
  ScoreKey score = 0;
  Time at = 0;
  std::uint32_t number = 0;
};

struct StandsBefore {
  Ties ties;

  bool operator()(const Numbered& a, const Numbered& b) const {
    if (a.score != b.score) return a.score < b.score;
    if (ties == Ties::earliest && a.at != b.at) return a.at < b.at;
    if (ties == Ties::latest && a.at != b.at) return a.at > b.at;
    return ties == Ties::player_desc ? a.number > b.number : a.number < b.number;
  }
};

}  // namespace

void BulkLoad::add(std::string_view id, ScoreKey score, Time at) {
  assert(!id.empty() && id.size() <= kPlayerBytesMax && "an id has 1 to 255 bytes");
  assert(size_ < kPlayersMax && "too many players");
  const std::size_t in_chunk = size_ % kChunkRows;
  if (in_chunk == 0) add_chunk();
  Chunk& chunk = *chunks_.back();
  chunk.rows[in_chunk] = {score, at, kNoPlayer};
  chunk.id_sizes[in_chunk] = static_cast<std::uint8_t>(id.size());
  chunk.ids.append(id);
  ++size_;
  differing_ |= score ^ chunks_.front()->rows.front().score;
}

void BulkLoad::add_chunk() {
  const std::size_t ids_bytes = chunks_.empty() ? 0 : chunks_.back()->ids.size();
  chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
  chunks_.back()->ids.reserve(ids_bytes + ids_bytes / 16);  // about the size of the last chunk
}

// Called only when the number of players is known, so that the index is split in advance. An index
// that grows moves each player about once.
void BulkLoad::hold_players() {
  constexpr std::size_t kAtOnce = 64;
  std::array<std::string_view, kAtOnce> ids;
  std::array<PlayerHandle, kAtOnce> held;
  players_.reserve(std::max(players_.size(), size_));
  for (std::size_t first = 0; first < size_; first += kChunkRows) {
    Chunk& chunk = *chunks_[first / kChunkRows];
    const std::size_t rows = std::min(kChunkRows, size_ - first);
    std::size_t begin = 0;
    for (std::size_t done = 0; done < rows; done += kAtOnce) {
      const std::size_t n = std::min(kAtOnce, rows - done);
      for (std::size_t i = 0; i < n; ++i) {
        ids[i] = std::string_view(chunk.ids).substr(begin, chunk.id_sizes[done + i]);
        begin += ids[i].size();
      }
      players_.hold_all(std::span(ids).first(n), held);
      for (std::size_t i = 0; i < n; ++i) chunk.rows[done + i].player = held[i];
    }
    chunk.ids = {};
  }
}

// Sorts by the 32 highest bits in which scores differ, which separate most scores, and then
// compares rows with equal bits.
std::vector<KeyedNumber> BulkLoad::sorted(Ties ties) const {
  const int shift = std::max(static_cast<int>(std::bit_width(differing_)) - 32, 0);
  std::vector<KeyedNumber> order(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    order[i] = keyed_number(static_cast<std::uint32_t>(row(i).score >> shift),
                            static_cast<std::uint32_t>(i));
  }
  sort_by_key(order);
  sort_equals(order, ties);
  return order;
}

void BulkLoad::sort_equals(std::vector<KeyedNumber>& order, Ties ties) const {
  std::vector<Numbered> equals;
  for (auto first = order.begin(); first != order.end();) {
    const auto differs = [key = key_of(*first)](KeyedNumber entry) { return key_of(entry) != key; };
    const auto end = std::find_if(first + 1, order.end(), differs);
    if (end - first > 1) {
      equals.clear();
      for (auto entry = first; entry != end; ++entry) {
        const Row& row_of = row(number_of(*entry));
        equals.push_back({row_of.score, row_of.at, number_of(*entry)});
      }
      std::sort(equals.begin(), equals.end(), StandsBefore{ties});
      std::transform(
          equals.begin(), equals.end(), first,
          [key = key_of(*first)](const Numbered& e) { return keyed_number(key, e.number); });
    }
    first = end;
  }
}

void BulkLoad::finish(CountedTree& tree) {
  std::vector<KeyedNumber> order;
  if (size_ < kRowsForTwoThreads) {
    hold_players();
    order = sorted(tree.ties());
  } else {  // sorting reads no player
    WorkThread sorting([this, &order, ties = tree.ties()] { order = sorted(ties); });
    hold_players();
    sorting.wait();
  }
  constexpr std::size_t kAhead = 24;  // adjacent rows are far apart in memory
  tree.build(size_, [&](std::size_t i) {
    if (i + kAhead < size_) prefetch(&row(number_of(order[i + kAhead])));
    return row(number_of(order[i]));
  });
}

}  // namespace laurel
