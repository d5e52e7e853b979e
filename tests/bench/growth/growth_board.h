// growth_board.h - a board that grows by a pattern of play: which players submit, and which scores.
//
// A pattern has a property of real games that random players with random scores do not have. Ids
// differ in 12 letters. In longer ids these are the last, so that comparing two ids reads all
// bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting_clock.h"
#include "bench/members.h"
#include "registry/registry.h"

namespace laurel {

struct Pattern {
  enum class Scores : std::uint8_t { random, rising, falling, steps };

  const char* name = "uniform";
  Scores scores = Scores::random;
  std::uint64_t distinct = 10'000'000'000;  // random scores, or the largest step
  std::uint64_t hot_in = 1;                 // nine of ten results are of one in `hot_in` players
  std::size_t id_bytes = Id::kBytes;
  const char* keep = "latest";
  const char* ties = "earliest";
};

inline RegistryOptions growth_registry() {
  return {.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)};
}

// Board `name` of the registry with the pattern's spec, created if it is new.
Board& growth_board(Registry& registry, std::string_view name, const Pattern& pattern);

// The ids of a pattern.
class PatternIds {
 public:
  explicit PatternIds(const Pattern& pattern) : bytes_(pattern.id_bytes, '=') {}
  // Valid until the next call.
  std::string_view operator()(std::uint64_t number) {
    const Id id(number);
    std::copy_n(id.letters, Id::kBytes, bytes_.end() - Id::kBytes);
    return bytes_;
  }

 private:
  std::string bytes_;
};

class GrowingBoard {
 public:
  explicit GrowingBoard(const Pattern& pattern)
      : pattern_(pattern),
        ids_(pattern),
        registry_(growth_registry()),
        board_(growth_board(registry_, "b", pattern)) {}

  std::uint64_t size() const { return size_; }
  double bytes_a_member() const {
    return static_cast<double>(registry_.stats().bytes) / static_cast<double>(size_);
  }

  // One call each. Every thousandth result is followed by a tick: 50 ms at 20,000 a second.
  void insert() { submit(size_++); }
  void update() { submit(anybody()); }
  void rank();
  void top_10() { read_10(0); }
  void page_of_10() { read_10(random_() % size_); }
  void count();

 private:
  std::uint64_t anybody() {
    const bool hot = pattern_.hot_in > 1 && random_() % 10 > 0;
    return random_() % (hot ? size_ / pattern_.hot_in + 1 : size_) % size_;
  }
  double next_score();
  double held_score();
  void submit(std::uint64_t number);
  void read_10(std::size_t first);

  const Pattern pattern_;
  PatternIds ids_;
  std::mt19937_64 random_{1};
  std::uint64_t size_ = 0;
  std::uint64_t submissions_ = 0;
  Registry registry_;
  Board& board_;
  Entries entries_;
};

}  // namespace laurel
