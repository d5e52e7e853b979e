#include "engine/padded/key_counts.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/invariant.h"

namespace laurel {

KeyCounts::KeyCounts(const PaddedKeys& keys, const Space& space, EngineReads& reads,
                     bool with_distinct, std::size_t block_keys)
    : keys_(keys),
      space_(space),
      reads_(reads),
      all_(keys.all()),
      with_distinct_(with_distinct),
      block_keys_(block_keys),
      counted_to_(all_.from) {
  begins_.push_back(all_.from);
  rows_.push_back(0);
  scores_.push_back(0);
}

// True if the key at the cursor is the first one of its score. Leaves the cursor there.
bool KeyCounts::score_begins(Cursor& cursor) const {
  const std::string key(cursor.key());
  const bool is_first =
      !cursor.previous() || !in_board(cursor) || keys_.score(cursor.key()) != keys_.score(key);
  cursor.seek(key);
  return is_first;
}

bool KeyCounts::extend(std::size_t n) {
  if (complete_) return true;
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  bool stands = cursor->seek(counted_to_) && in_board(*cursor);
  bool begins = with_distinct_ && stands && score_begins(*cursor);
  std::string score;
  for (; stands && n > 0; --n) {
    ++reads_.entries;
    if (rows_.back() >= block_keys_) {
      begins_.emplace_back(cursor->key());
      rows_.push_back(0);
      scores_.push_back(0);
    }
    ++rows_.back();
    scores_.back() += begins ? 1 : 0;
    if (with_distinct_) score.assign(keys_.score(cursor->key()));
    stands = cursor->next() && in_board(*cursor);
    begins = with_distinct_ && stands && keys_.score(cursor->key()) != score;
  }
  complete_ = !stands;
  counted_to_ = stands ? std::string(cursor->key()) : all_.to;
  return complete_;
}

std::size_t KeyCounts::size() const {
  return std::accumulate(rows_.begin(), rows_.end(), std::size_t{0});
}

std::size_t KeyCounts::block_of(std::string_view key) const {
  const auto after = std::upper_bound(begins_.begin() + 1, begins_.end(), key);
  return static_cast<std::size_t>(after - begins_.begin()) - 1;
}

KeyCounts::Before KeyCounts::before(std::string_view key) const {
  assert(complete_);
  const std::size_t block = block_of(key);
  const auto end = static_cast<std::ptrdiff_t>(block);
  Before sum{.keys = std::accumulate(rows_.begin(), rows_.begin() + end, std::size_t{0}),
             .scores = std::accumulate(scores_.begin(), scores_.begin() + end, std::size_t{0})};
  if (key == begins_[block]) return sum;
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  bool stands = cursor->seek(begins_[block]);
  bool begins = with_distinct_ && stands && score_begins(*cursor);
  std::string score;
  while (stands && cursor->key() < key) {
    ++reads_.entries;
    ++sum.keys;
    sum.scores += begins ? 1 : 0;
    if (with_distinct_) score.assign(keys_.score(cursor->key()));
    stands = cursor->next();
    begins = with_distinct_ && stands && keys_.score(cursor->key()) != score;
  }
  return sum;
}

std::size_t KeyCounts::count(const KeyRange& range) const {
  if (range.from >= range.to) return 0;
  const std::size_t to = range.to >= all_.to ? size() : before(range.to).keys;
  return to - before(range.from).keys;
}

std::size_t KeyCounts::distinct(const KeyRange& range) const {
  assert(with_distinct_);
  if (range.from >= range.to) return 0;
  const std::size_t to = range.to >= all_.to
                             ? std::accumulate(scores_.begin(), scores_.end(), std::size_t{0})
                             : before(range.to).scores;
  return to - before(range.from).scores;
}

bool KeyCounts::seek(Cursor& cursor, std::size_t before) const {
  assert(complete_);
  std::size_t block = 0;
  while (block < rows_.size() && before >= rows_[block]) before -= rows_[block++];
  if (block == rows_.size()) return false;
  bool stands = cursor.seek(begins_[block]);
  for (; stands && before > 0; --before) {
    ++reads_.entries;
    stands = cursor.next();
  }
  return stands && in_board(cursor);
}

void KeyCounts::add(Write& write, std::string_view key, int keys, int scores) const {
  if (is_counted(key)) write.steps[write.count++] = {block_of(key), keys, scores};
}

// Inserting or erasing a key changes where its score begins. `erased`: a key that is still in the
// store, and is to be ignored.
void KeyCounts::plan_one(Write& write, std::string_view key, int sign,
                         std::string_view erased) const {
  if (!with_distinct_) return add(write, key, sign, 0);
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  const auto has_score = [&](bool stands) {
    return stands && in_board(*cursor) && keys_.score(cursor->key()) == keys_.score(key);
  };
  bool stands = cursor->seek_before(key);
  if (stands && cursor->key() == erased) stands = cursor->previous();
  if (has_score(stands)) return add(write, key, sign, 0);

  stands = cursor->seek(key);
  while (stands && (cursor->key() == key || cursor->key() == erased)) stands = cursor->next();
  if (has_score(stands)) add(write, cursor->key(), 0, -sign);
  add(write, key, sign, sign);
}

KeyCounts::Write KeyCounts::plan(std::string_view erased, std::string_view inserted) {
  if (!erased.empty() && is_counted(erased)) merge(block_of(erased));
  if (!inserted.empty() && is_counted(inserted)) split(block_of(inserted));
  Write write;
  if (!erased.empty()) plan_one(write, erased, -1, {});
  if (!inserted.empty()) plan_one(write, inserted, +1, erased);
  return write;
}

void KeyCounts::apply(const Write& write) noexcept {
  for (std::size_t i = 0; i < write.count; ++i) {
    const Write::Step& step = write.steps[i];
    rows_[step.block] += static_cast<std::uint32_t>(step.keys);
    scores_[step.block] += static_cast<std::uint32_t>(step.scores);
  }
}

// Merges a small block with a neighbour, so that the number of blocks follows that of the keys.
void KeyCounts::merge(std::size_t block) {
  if (rows_[block] > block_keys_ / 4) return;
  for (const std::size_t second : {block, block + 1}) {
    if (second == 0 || second == rows_.size()) continue;
    if (rows_[second - 1] + rows_[second] > block_keys_) continue;
    rows_[second - 1] += rows_[second];
    scores_[second - 1] += scores_[second];
    const auto at = static_cast<std::ptrdiff_t>(second);
    begins_.erase(begins_.begin() + at);
    rows_.erase(rows_.begin() + at);
    scores_.erase(scores_.begin() + at);
    return;
  }
}

// Cuts a full block into two.
void KeyCounts::split(std::size_t block) {
  if (rows_[block] < 2 * block_keys_) return;
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  bool stands = cursor->seek(begins_[block]);
  bool begins = with_distinct_ && stands && score_begins(*cursor);
  std::uint32_t rows = 0;
  std::uint32_t scores = 0;
  std::string score;
  for (; stands && rows < rows_[block] / 2; ++rows) {
    ++reads_.entries;
    scores += begins ? 1 : 0;
    if (with_distinct_) score.assign(keys_.score(cursor->key()));
    stands = cursor->next();
    begins = with_distinct_ && stands && keys_.score(cursor->key()) != score;
  }
  assert(stands && "a block has all the keys that it counts");
  const auto next = static_cast<std::ptrdiff_t>(block) + 1;
  // All memory first: an allocation that fails changes nothing.
  begins_.reserve(begins_.size() + 1);
  rows_.reserve(rows_.size() + 1);
  scores_.reserve(scores_.size() + 1);
  begins_.emplace(begins_.begin() + next, cursor->key());
  rows_.insert(rows_.begin() + next, rows_[block] - rows);
  scores_.insert(scores_.begin() + next, scores_[block] - scores);
  rows_[block] = rows;
  scores_[block] = scores;
}

std::size_t KeyCounts::bytes() const {
  std::size_t bytes = sizeof *this + (rows_.capacity() + scores_.capacity()) * sizeof rows_[0];
  for (const std::string& begin : begins_) bytes += sizeof begin + begin.capacity();
  return bytes;
}

void KeyCounts::check() const {
  const std::unique_ptr<Cursor> cursor = space_.cursor();
  std::vector<std::uint32_t> rows(rows_.size());
  std::vector<std::uint32_t> scores(rows_.size());
  std::string score;
  for (bool stands = cursor->seek(all_.from); stands && in_board(*cursor);
       stands = cursor->next()) {
    if (!is_counted(cursor->key())) break;
    const std::size_t block = block_of(cursor->key());
    ++rows[block];
    if (keys_.score(cursor->key()) != score) ++scores[block];
    score.assign(keys_.score(cursor->key()));
  }
  must(rows == rows_, "each block counts its keys");
  must(!with_distinct_ || scores == scores_, "each block counts the scores that begin in it");
}

}  // namespace laurel
