// change.h - what comes in, and what came of it.
//
//   submission   one result that somebody hands in, not judged yet
//   entry        what a board holds of one player, as it is read
//   change       what one submission did: the only thing that anybody downstream is told
//
// All times are Unix time in microseconds, all ranks 1-based in the board's ranking mode.
// Views of players and data in a list of entries are valid until the board's next change, and as
// long as the list; those of a single entry until the next that is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/time.h"

namespace laurel {

// How a result is handed in: for `keep` to judge, or to be added whatever `keep` says.
enum class Act : std::uint8_t { submit, add };

struct Submission {
  std::string_view player;
  double score = 0;                      // for `add` the difference
  std::optional<std::string_view> data;  // nothing is not the same as an empty string
  std::optional<double> at;              // Unix seconds; nothing: now
};

struct Entry {
  std::string_view player;
  double score = 0;
  std::uint64_t rank = 0;
  Time at = 0;
  std::optional<std::string_view> data;
  std::uint64_t overall = 0;  // rank on the whole board, where `rank` is among a few
};

// A list of entries, with the bytes that some boards copy for it. Reading appends to it.
class Entries {
 public:
  using iterator = std::vector<Entry>::iterator;
  using const_iterator = std::vector<Entry>::const_iterator;

  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  Entry& operator[](std::size_t i) { return list_[i]; }
  const Entry& operator[](std::size_t i) const { return list_[i]; }
  const Entry& front() const { return list_.front(); }
  const Entry* data() const { return list_.data(); }
  iterator begin() { return list_.begin(); }
  iterator end() { return list_.end(); }
  const_iterator begin() const { return list_.begin(); }
  const_iterator end() const { return list_.end(); }

  void reserve(std::size_t entries) { list_.reserve(entries); }
  Entry& add() { return list_.emplace_back(); }
  // So many at once; the first of them.
  Entry* add(std::size_t entries) {
    list_.resize(list_.size() + entries);
    return list_.data() + list_.size() - entries;
  }
  void append(const Entry* first, std::size_t entries) {
    list_.insert(list_.end(), first, first + entries);
  }
  void clear() {
    list_.clear();
    arena_.clear();
  }
  // Without what the views of those who read it show.
  void clear_list() { list_.clear(); }
  std::size_t capacity() const { return list_.capacity(); }
  // Where readers keep what the views show.
  Arena& arena() { return arena_; }
  const Arena& arena() const { return arena_; }

 private:
  std::vector<Entry> list_;
  Arena arena_;
};

// What a submission came to, in brief.
struct Outcome {
  std::optional<double> score;  // now held; nothing where a capped board does not show the player
  bool changed = false;         // whether the entry is another than before
};

struct Change {
  std::string player;
  std::string board;
  std::optional<double> score;     // nothing where the player is not shown
  std::optional<double> previous;  // the score held before
  std::optional<std::uint64_t> rank;
  std::optional<std::uint64_t> previous_rank;  // nothing for a new entry
  std::uint64_t passed = 0;                    // positions overtaken; by a new entry all behind it
  Time at = 0;
  bool changed = false;
};

}  // namespace laurel
