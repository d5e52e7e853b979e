// deadlines.h - calls objects when their time has come.
//
//   time      of the steady clock, in microseconds.
//   owner     refers to the objects. Each leaves by itself when it is destroyed.
//   threads   one.
//   cost      O(log objects).
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "base/time.h"

namespace laurel::web {

class Deadlines;

// An object with at most one deadline.
class Timed {
 public:
  explicit Timed(Deadlines& deadlines) : deadlines_(deadlines) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 protected:
  virtual ~Timed();

  // Replaces the deadline; nullopt: none.
  void set_deadline(std::optional<Time> at);
  // The deadline has passed; there is none now. It may destroy the object.
  virtual void on_deadline(Time now) = 0;

 private:
  friend class Deadlines;
  Deadlines& deadlines_;
  std::optional<Time> at_;
};

class Deadlines {
 public:
  // Calls those that have passed.
  void run(Time now);

 private:
  friend class Timed;
  std::set<std::pair<Time, Timed*>> all_;
};

}  // namespace laurel::web
