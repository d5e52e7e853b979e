// attempts.h - how many results of each player a board took in the running season, and how many
// more the player was granted.
//
//   player   is held while there is a count for the player.
//   season   a count ends with it: start_over() leaves the table to the reclaimer, so that no reset
//            visits the players.
//   memory   4 bytes a player, 16 more for players with grants.
//   disk     in a durable store a row a player, in a space of its own for each season; a row of the
//            board names the space.
//   cost     of(), take(): O(1), about one cache miss.
//   threads  none of its own; one caller at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "board/reclaimer.h"
#include "engine/engine.h"
#include "rank/player/player_numbers.h"
#include "store/space.h"

namespace laurel {

struct AttemptCount {
  std::uint64_t taken = 0;
  std::int64_t granted = 0;  // negative: fewer

  // How many are left of that many and the grants; at least 0.
  std::uint64_t left(std::uint64_t attempts) const {
    const std::int64_t all = static_cast<std::int64_t>(attempts) + granted;
    const auto used = static_cast<std::int64_t>(taken);
    return all > used ? static_cast<std::uint64_t>(all - used) : 0;
  }
};

// How many results of a player were taken in the running season, and how many are left.
struct AttemptsOf {
  std::uint64_t taken = 0;
  std::uint64_t left = 0;
};

// The counts in memory.
class AttemptTable final : public Reclaimable {
 public:
  explicit AttemptTable(Players& players) : players_(players) {}
  ~AttemptTable() override;

  AttemptCount of(PlayerHandle player) const {
    const std::uint32_t number = player == kNoPlayer ? kNoNumber : numbers_.find(player);
    if (number < kGranted) return {.taken = number, .granted = 0};
    return number == kNoNumber ? AttemptCount{} : of_granted(number);
  }
  void prefetch(PlayerHandle player) const { numbers_.prefetch(player); }
  bool has(PlayerHandle player) const {
    return player != kNoPlayer && numbers_.find(player) != kNoNumber;
  }
  // Counts one more, and returns the count. The handle may be void, unless there is a count.
  AttemptCount add_one(const Player& player);
  // Counts of zero are kept, too.
  void set(std::string_view player, const AttemptCount& count);
  // Returns whether there was a count.
  bool erase(PlayerHandle player);
  template <typename Visit>
  void each(Visit visit) const {
    numbers_.each([&](PlayerHandle player, std::uint32_t) { visit(player, of(player)); });
  }
  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const;

 private:
  // Below it a number is how many were taken, without a grant; else a place in granted_.
  static constexpr std::uint32_t kGranted = std::uint32_t{1} << 31;

  struct Granted {
    PlayerHandle player;
    AttemptCount count;
  };
  AttemptCount of_granted(std::uint32_t number) const { return granted_[number - kGranted].count; }
  void erase_granted(std::uint32_t number);

  Players& players_;
  PlayerNumbers numbers_;
  std::deque<Granted> granted_;  // dense: the last one moves into the gap of an erased one
};

class Attempts {
 public:
  // `board` is the board's space.
  Attempts(const EngineContext& context, const Space& board);
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  // Reads the counts in a durable store. Call it once, before anything else. Fails with bad_data.
  Status load(const Engine::LoadProgress& progress);
  // The space of the counts, if they have one.
  std::optional<SpaceNumber> space() const { return space_; }

  // Prefetches what the others read of the player.
  void prefetch(PlayerHandle player) const { table_->prefetch(player); }
  AttemptCount of(PlayerHandle player) const { return table_->of(player); }
  AttemptCount of(std::string_view player) const { return of(context_.players.find(player)); }
  bool has(std::string_view player) const { return table_->has(context_.players.find(player)); }
  // Counts a result. The handle may be void, unless there is a count.
  void take(const Player& player);
  void set(std::string_view player, const AttemptCount& count);
  // Removes the count of a player.
  void erase(std::string_view player);
  // Removes all counts: the season ended, or the board is dropped.
  void start_over(Reclaimer& reclaimer);
  void each(const std::function<void(std::string_view player, const AttemptCount&)>& visit) const;

  std::size_t bytes() const { return sizeof *this + table_->bytes(); }

 private:
  void open(SpaceNumber space);
  // To the disk.
  void write(std::string_view player, const AttemptCount& count);

  EngineContext context_;
  Space board_;
  const bool is_durable_;
  std::unique_ptr<AttemptTable> table_;
  std::optional<SpaceNumber> space_;
  std::unique_ptr<WriteBuffer> rows_;  // null if the store is not durable
  std::string value_;                  // kept to reuse its memory
};

}  // namespace laurel
