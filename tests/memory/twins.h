// twins.h - two registries with one history. The heap of one of them ends within its calls.
//
// A call that had no memory must have changed nothing; it is made again. After each call both
// registries hold the same.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>

#include "board/fixture.h"
#include "folder.h"

namespace laurel::test {

class Twins {
 public:
  // `poor` is durable if there is a folder.
  Twins(std::uint64_t seed, const Folder* folder);

  // Makes the call on both. It throws std::bad_alloc if it had no memory.
  using Call = std::function<void(Registry& registry)>;
  void call(const Call& call);
  // Ends seasons that are due and moves windows: a lookup does, whatever becomes of its call.
  void bring_up_to_date();
  // Closes the poor one and opens it again.
  void reopen();

  std::mt19937_64& random() { return random_; }
  std::size_t below(std::size_t end) { return random_() % end; }
  Time now() const { return *now_; }
  void wait(Time time) { *now_ += time; }
  Registry& rich() { return *rich_; }
  // Calls that had no memory, calls that used the reserve, and the most blocks that one of them
  // used.
  std::size_t refused = 0;
  std::size_t rescued = 0;
  std::size_t most_blocks = 0;

 private:
  std::unique_ptr<Registry> open(const std::string& path) const;
  bool try_call(const Call& call);

  std::mt19937_64 random_;
  std::shared_ptr<Time> now_;
  std::string path_;
  std::unique_ptr<Registry> rich_;
  std::unique_ptr<Registry> poor_;
};

}  // namespace laurel::test
