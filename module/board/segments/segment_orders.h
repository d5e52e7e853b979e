// segment_orders.h - the segments of one season of a board: for each attribute that it names, an
// order of the players of each value.
//
//   row       the caller tells of each row of the board: put() and erase(). The attributes of a
//             player are asked for when the player comes to the board, and told when they change.
//   value     has a segment while a player on the board has it.
//   limit     kSegmentValuesMax values of a board, fewer in tests. A player with one more is in no
//             segment of that attribute, until the value changes or the player comes again.
//   players   are of the registry, and held while they have a row.
//   memory    per player and attribute a row of the segment (segment.h), and 4 bytes, or up to 16
//             if the board has few of the registry's players; about 200 bytes for each value.
//   cost      v values: O(log n) a change of a row; O(log n + log v) a player who comes, or whose
//             value changes.
//   threads   as the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "board/reclaimer.h"
#include "board/segments/segment.h"
#include "board/segments/segment_boards.h"
#include "rank/player/player_numbers.h"

namespace laurel {

// A value, and how many players have it.
struct SegmentSize {
  std::string_view value;  // valid until the next change
  std::size_t size = 0;
};

// Hears of changes in segments: boards of groups.
class SegmentListener {
 public:
  virtual ~SegmentListener() = default;
  // A player with this value had the row `before`, and has `after`; null: none. Both are this
  // player's. The rows of the segment are those after the change.
  virtual void segment_changed(std::string_view attribute, std::string_view value,
                               const SegmentRows& rows, const Row* before, const Row* after) = 0;
};

class SegmentOrders final : public Reclaimable {
 public:
  // `order` is the board's. `players` and `order` outlive the use of this, `players` also its end.
  SegmentOrders(Players& players, const EngineView& order, Ties ties,
                const std::vector<std::string>& attributes,
                std::size_t values_max = kSegmentValuesMax);
  ~SegmentOrders() override;
  SegmentOrders(const SegmentOrders&) = delete;
  SegmentOrders& operator=(const SegmentOrders&) = delete;

  std::size_t attributes() const { return attributes_.size(); }
  // Whether the player has a row here.
  bool has(PlayerHandle player) const {
    return player != kNoPlayer && attributes_.front().segment_of.find(player) != kNoNumber;
  }

  // Adds a player's row. `attributes` are the player's (profile/attributes.h). Returns false if a
  // segment is missing because there are too many values. REQUIRES: !has(player.handle).
  bool add(const Player& player, ScoreKey score, Time at, std::string_view attributes);
  // Hints, in this order, that the player's row will change: for the numbers of the segments, the
  // segments, and their rows. No answer depends on them.
  void prefetch_numbers(PlayerHandle player) const;
  void prefetch_segments(PlayerHandle player) const;
  void prefetch_rows(PlayerHandle player);
  // Moves a player's row. REQUIRES: has(player.handle).
  void put(const Player& player, ScoreKey score, Time at);
  // Removes a player's row. REQUIRES: has(player.handle).
  void erase(const Player& player);

  // The player's attributes changed. Moves the row, which is this one, to other segments.
  // REQUIRES: has(player.handle).
  enum class Moved : std::uint8_t { no, yes, out };  // out: there are too many values
  Moved move(const Player& player, ScoreKey score, Time at, std::string_view attributes);

  // The number of an attribute, or attributes() if the board has no segments of it.
  std::size_t find_attribute(std::string_view name) const;
  // The players with a value; an empty board if there are none. Valid until the next change.
  const SegmentBoard& board(std::size_t attribute, std::string_view value,
                            const SegmentForm& form) const;
  // The values with players, the largest first, equals by bytes. O(v log v).
  std::vector<SegmentSize> sizes(std::size_t attribute) const;
  // Calls visit(value, rows) for each value with players.
  template <typename Visit>
  void each_segment(std::size_t attribute, Visit visit) const {
    for (const auto& [value, numbered] : attributes_[attribute].by_value) {
      visit(std::string_view(value), numbered.segment.rows());
    }
  }
  void rank_by(Ranking ranking) { boards_.rank_by(ranking); }
  // The listener hears of changes in the segments of this attribute; null: no one does. It outlives
  // the orders' last change.
  void listen(std::size_t attribute, SegmentListener* listener) {
    attributes_[attribute].listener = listener;
  }
  // Loops over segments end. Call it before `order` ends; then nothing is read here.
  void end_boards() { boards_.end_all(); }

  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const;  // O(v)
  void check() const;         // for tests

 private:
  // Numbers of segments; kNoNumber means: not on the board.
  static constexpr std::uint32_t kNoSegment = kNoNumber - 1;

  struct NumberedSegment {
    NumberedSegment(std::uint32_t number_in, Players& players, Ties ties, const EngineView& order)
        : number(number_in), segment(players, ties, order) {}
    std::uint32_t number;
    Segment segment;
  };
  using ByValue = std::map<std::string, NumberedSegment, std::less<>>;
  struct Attribute {
    explicit Attribute(std::string name_in) : name(std::move(name_in)) {}
    std::string name;
    ByValue by_value;
    std::deque<ByValue::iterator> by_number;
    std::deque<std::uint32_t> free_numbers;
    PlayerNumbers segment_of;  // of each player on the board
    SegmentListener* listener = nullptr;
  };

  // Calls act(segment) with each segment that has the player.
  template <typename Act>
  void with_segments(PlayerHandle player, Act act) const {
    for (const Attribute& attribute : attributes_) {
      const std::uint32_t number = attribute.segment_of.find(player);
      if (number < kNoSegment) act(attribute.by_number[number]->second.segment);
    }
  }
  std::uint32_t enter(Attribute& attribute, const Player& player, const Row& row,
                      std::string_view value);
  void leave(Attribute& attribute, const Player& player);

  Players& players_;
  const EngineView& order_;
  Ties ties_;
  std::size_t values_max_;
  std::deque<Attribute> attributes_;
  std::size_t values_ = 0;  // of all attributes
  Segment nobody_;
  mutable SegmentBoards boards_;
};

}  // namespace laurel
