// cost_board.h - a full board of one engine, for measuring what its operations cost.
//
// The board is in a registry of its own, in memory or in a directory. Ids have 12 bytes, scores are
// whole numbers below 10^10 that are drawn at random, keep = latest. A board of groups has a group
// for each 50 players; a combined board is the sum of two boards with the same players. Results for
// them are submitted to their first source.
//
//   failure   throws.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/members.h"
#include "board/spec/spec_change.h"
#include "registry/registry.h"

namespace laurel {

struct CostEngine {
  const char* name;
  std::vector<std::pair<const char*, FieldValue>> fields;
};

std::span<const CostEngine> cost_engines();

class CostBoard {
 public:
  // Opens a new board, or what the directory has. `path` is empty: in memory.
  CostBoard(const CostEngine& engine, const std::string& path, Log log);

  Registry& registry() { return *registry_; }
  Board& board() { return *board_; }
  // Players who have submitted. A capped board shows fewer, a board of groups has fewer rows.
  std::uint64_t members() const { return members_; }
  // Adds players until `members` have submitted.
  void fill(std::uint64_t members);

  // Random arguments. Drawing one takes a few nanoseconds.
  std::uint64_t any_number() { return random_() % members_; }
  double any_score() { return static_cast<double>(random_() % kScores); }
  std::size_t any_position() { return random_() % board_->size(); }
  // An id in the order; valid until the next call.
  std::string_view any_ranked();
  // A score that the board's entries may have.
  double any_held_score();
  // Finds out what the calls above draw from, after many submissions.
  void look();

  // One submission. Each thousandth is followed by a tick: 50 ms at 20,000 a second.
  void submit(std::uint64_t number);
  void submit_new();
  void submit_any() { submit(any_number()); }
  bool is_tick_next() const { return (submissions_ + 1) % kTickSubmissions == 0; }

 private:
  static constexpr std::uint64_t kScores = 10'000'000'000;
  static constexpr std::uint64_t kTickSubmissions = 1000;

  Board* open(const char* name, const SpecChange& spec);
  void submit_to(Board& board, std::string_view player);

  std::uint64_t members_ = 0;
  std::uint64_t submissions_ = 0;
  std::mt19937_64 random_{1};
  std::unique_ptr<Registry> registry_;
  std::vector<Board*> sources_;      // what is submitted to
  Board* board_ = nullptr;           // what is read
  std::vector<std::string> ranked_;  // ids of a board that shows few of its players
  std::uniform_real_distribution<double> held_;
  Id id_{0};
  std::string group_;
};

}  // namespace laurel
