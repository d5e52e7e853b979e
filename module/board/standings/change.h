// change.h - submissions, entries, and the changes that submissions made.
//
//   submission   one result, not yet decided
//   entry        a player's place on a board, as read
//   change       what one submission did; rules and watches are told nothing else
//
// On a board whose scores have columns a score is a whole score, as one number
// (rank/score/score_columns.h).
// All times are Unix time in microseconds, all ranks 1-based in the board's ranking mode. A rank of
// 0 is none.
// In a list of entries, views of players and data are valid until the board's next change, and as
// long as the list. In a single entry they are valid until the next single read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/arena.h"
#include "base/time.h"
#include "rank/score/score_columns.h"
#include "rank/tree/rank.h"

namespace laurel {

struct Submission {
  std::string_view player;
  double score = 0;                           // for `add`: the difference
  std::optional<std::string_view> data = {};  // absent is not an empty string
  std::optional<double> at = {};              // Unix seconds; absent: now
  std::optional<std::string_view> id = {};    // of the result: it counts once
  // On a board with columns, if not null: the score's values, in place of `score`. Values that are
  // no whole score are differences, or are refused.
  const ColumnValues* columns = nullptr;

  // Sets the score to these values, which outlive the submission.
  void set_values(const ScoreColumns& form, const ColumnValues& values) {
    const Result<double> whole = form.number(values);
    score = whole ? *whole : 0;
    columns = whole ? nullptr : &values;
  }
};

struct Entry {
  std::string_view player;
  double score = 0;
  Rank rank;
  Time at = 0;
  std::optional<std::string_view> data;
  Rank overall;  // rank on the whole board, if `rank` is among a few players
};

// A list of entries, with the bytes that some boards copy for it. Reading appends. Its memory is
// kept as long as the list and is not zeroed, so an entry costs only what is written into it.
class Entries {
 public:
  using iterator = Entry*;
  using const_iterator = const Entry*;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Entry& operator[](std::size_t i) { return list_[i]; }
  const Entry& operator[](std::size_t i) const { return list_[i]; }
  const Entry& front() const { return list_[0]; }
  const Entry* data() const { return list_.get(); }
  iterator begin() { return list_.get(); }
  iterator end() { return list_.get() + size_; }
  const_iterator begin() const { return list_.get(); }
  const_iterator end() const { return list_.get() + size_; }

  void reserve(std::size_t entries) {
    if (entries > room_) grow(entries);
  }
  Entry& add() { return *add(1) = {}; }
  // Adds n entries and returns the first. They are uninitialized: the caller sets every member.
  Entry* add(std::size_t entries) { return add(entries, kNoSource); }
  void append(const Entry* first, std::size_t entries) {
    std::copy_n(first, entries, add(entries));
  }
  // Appends the first entries of a cache, and notes its fill: a number above 0, shifted by
  // kSourceShift, that no other fill of any cache has. Comparing entries would take longer than
  // copying them. Behind other entries the sum is no fill's number.
  static constexpr unsigned kSourceShift = 32;
  void append_first(const Entry* first, std::size_t entries, std::uint64_t fill) {
    std::copy_n(first, entries, add(entries, fill + size_));
  }
  // Whether the list still is what was appended of that fill, and nothing else.
  bool are_first_of(std::uint64_t fill) const { return source_ == fill; }
  void clear() {
    clear_list();
    arena_.clear();
  }
  // Removes the entries, and keeps the bytes that their views point to.
  void clear_list() { size_ = 0; }
  void reverse(std::size_t first) {
    source_ = kNoSource;
    std::reverse(begin() + first, end());
  }
  std::size_t capacity() const { return room_; }
  // Memory for the bytes that views point to.
  Arena& arena() { return arena_; }
  const Arena& arena() const { return arena_; }

 private:
  static constexpr std::uint64_t kNoSource = 0;
  // Lists begin at a cache line. A copy of a cached top takes up to a fifth longer at other places.
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(Entry* list) const { ::operator delete(list, kLine); }
  };

  Entry* add(std::size_t entries, std::uint64_t source) {
    source_ = source;
    if (entries > room_ - size_) grow(std::max(size_ + entries, 2 * room_));
    Entry* const first = end();
    size_ += entries;
    return first;
  }
  [[gnu::noinline]] void grow(std::size_t room) {
    std::unique_ptr<Entry[], Free> list(
        static_cast<Entry*>(::operator new(room * sizeof(Entry), kLine)));
    std::uninitialized_default_construct_n(list.get(), room);
    std::copy_n(list_.get(), size_, list.get());
    list_ = std::move(list);
    room_ = room;
  }

  std::unique_ptr<Entry[], Free> list_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
  std::uint64_t source_ = kNoSource;  // the fill of a cache that the entries are the first ones of
  Arena arena_;
};

// The result of a submission, in brief.
struct Outcome {
  std::optional<double> score;  // now held; absent if a capped board does not show the player
  bool changed = false;         // whether the entry changed
};

struct Change {
  std::string player;
  std::string board;
  std::optional<double> score = {};     // absent if the player is not shown
  std::optional<double> previous = {};  // the score before
  std::optional<Rank> rank = {};
  std::optional<Rank> previous_rank = {};  // absent for a new entry
  std::uint64_t passed = 0;                // positions gained; for a new entry, all behind it
  Time at = 0;
  bool changed = false;
  ScoreColumns::Ptr columns = {};  // of the board, if its scores have any
};

}  // namespace laurel
