// state.h - one state of a board's top or of a player's surroundings, as text for all viewers.
//
//   made once   its text has all entries that are published. What a viewer wants of them, the
//               first n or n above and below, is a stretch of the text: nothing is made for it.
//   id          names the state: "EPOCH-VERSION", of a state that may be outdated
//               "EPOCH-VERSION-stale". Gateways of one server have equal ids for equal states.
//   gone        the state of a board that is not published: the reason in place of the entries.
//   threads     immutable.
//   cost        making: O(entries), about 0.3 us each. A cut: no copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board/standings/top_snapshot.h"

namespace laurel::web {

struct StateId {
  std::uint64_t epoch = 0;  // 0: of no state
  std::uint64_t version = 0;
  std::uint64_t season = 0;  // 0: not known. The text does not have it
  bool stale = false;

  explicit operator bool() const { return epoch != 0; }
  friend bool operator==(const StateId&, const StateId&) = default;
};
// Empty for no state.
std::string to_text(const StateId& id);
// The inverse, without the season; of no state if the text is not an id.
StateId state_id_of(std::string_view text);
// Whether a viewer that has `held` has the state: if its season is not known, it counts as equal.
bool is_held(const StateId& held, const StateId& state);

class State;
using StatePtr = std::shared_ptr<const State>;

class State {
 public:
  // What it is a state of. With a player it is the entries around the player.
  struct Subject {
    std::string_view board;
    std::string_view player = {};
  };
  State(const Subject& subject, const Window& window, std::uint64_t season, bool is_stale);
  // The state of a board that is gone.
  explicit State(std::string_view board);

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // It is the id of no state if the board is gone.
  const StateId& id() const { return id_; }
  bool is_gone() const { return !id_; }

  // The stretches of the text that make an event or a message, in order. They point into the state.
  //   n    of a top: the first n entries; around a player: n above and below. It may be more than
  //        there are.
  using Pieces = std::array<std::string_view, 3>;
  // An event with its id: the lines "id", "event" and "data", and an empty line.
  Pieces event(unsigned n) const { return cut(n, 0, "]}\n\n"); }
  // Without the line "id", which the caller writes.
  Pieces event_without_id(unsigned n) const { return cut(n, event_at_, "]}\n\n"); }
  // The JSON alone.
  Pieces json(unsigned n) const { return cut(n, json_at_, "]}"); }

 private:
  Pieces cut(unsigned n, std::size_t from, std::string_view end) const;
  void begin(std::string_view event);
  void append_entry(const WindowEntry& entry, const ScoreColumns* columns);

  StateId id_;
  std::string text_;                      // the event: its lines, and the entries
  std::size_t event_at_ = 0;              // in text_: where the line "event" begins
  std::size_t json_at_ = 0;               // where the JSON begins
  std::size_t entries_at_ = 0;            // where the first entry begins
  std::vector<std::uint32_t> ends_;       // where each entry ends; a comma follows
  std::optional<std::size_t> player_at_;  // the entry of the player
  bool is_around_ = false;
};

std::string joined(const State::Pieces& pieces);

}  // namespace laurel::web
