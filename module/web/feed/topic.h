// topic.h - what streams show: the top of a board, or the entries around a player.
//
//   state     none until the server has said anything of it; then the newest state, or that the
//             board is gone.
//   viewers   are offered each new state, as fast as the rate allows (pacer.h).
//   owner     is told when the last viewer has left, and may destroy the topic then.
//   threads   one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "web/feed/state.h"

namespace laurel::web {

class Pacer;

// A stream, as its topics see it.
class Viewer {
 public:
  // The topic has a new state. It may call leave(), of any topic.
  //   part   as given to join()
  //   now    when the pass over all viewers began
  virtual void offer(std::uint8_t part, Time now) = 0;

 protected:
  ~Viewer() = default;
};

class Topic {
 public:
  class Owner {
   public:
    // No viewer is left. May destroy the topic.
    virtual void unused(Topic& topic) = 0;

   protected:
    ~Owner() = default;
  };

  // What brings new states to the viewers: a Pacer.
  class Schedule {
   public:
    // Some viewers have not the newest state.
    virtual void changed(Topic& topic) = 0;
    // The topic is destroyed.
    virtual void forget(Topic& topic) = 0;

   protected:
    ~Schedule() = default;
  };

  Topic(std::string board, std::string player, Owner& owner, Schedule& schedule)
      : board_(std::move(board)), player_(std::move(player)), owner_(owner), schedule_(schedule) {}
  ~Topic();
  Topic(const Topic&) = delete;
  Topic& operator=(const Topic&) = delete;

  const std::string& board() const { return board_; }
  const std::string& player() const { return player_; }  // empty: it is the top of the board

  // Null until the server has said anything.
  const StatePtr& state() const { return state_; }
  bool is_here() const { return state_ && !state_->is_gone(); }

  // What the server said. The state is made again if any of it differs.
  void show(const Window& window, std::uint64_t season, bool is_stale);
  void show_gone();

  // A viewer stays until it leaves. Its place changes when others leave.
  //   place   where the viewer keeps the place, until it has left
  void join(Viewer& viewer, std::uint8_t part, std::uint32_t& place);
  void leave(std::uint32_t place);
  bool is_used() const { return !viewers_.empty(); }

 private:
  friend class Pacer;

  struct Place {
    Viewer* viewer;
    std::uint32_t* place;
    std::uint8_t part;
  };
  void set(StatePtr state);

  std::string board_, player_;
  Owner& owner_;
  Schedule& schedule_;
  StatePtr state_;
  std::vector<Place> viewers_;

  // The pacer's:
  enum class Pace : std::uint8_t { rests, waits, runs };
  Pace pace_ = Pace::rests;
  bool again_ = false;                // after this pass
  std::size_t cursor_ = 0;            // in viewers_: the next one of this pass
  Time pass_at_ = 0;                  // when this pass began, or the last one
  Time next_pass_at_ = 0;             // not before
  bool is_held_ = false;              // the next pass waits for a state that is expected
  Time changed_at_ = 0, period_ = 0;  // of the newest state, and since the one before it
  std::uint64_t changed_in_ = 0;      // the run of the pacer that follows the newest state
};

}  // namespace laurel::web
