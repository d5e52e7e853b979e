// key_counts.h - counts the keys of a padded board in blocks, so that a rank far down the board
// reads two blocks in place of all keys before it.
//
//   block     consecutive keys in byte order: where it begins, how many keys it has, and how many
//             scores have their first key in it. At most twice `block_keys` keys.
//   built     in steps of any size, since counting a large board takes longer than a tick may.
//             Until it is complete it answers nothing.
//   writes    plan() before the board's batch is written, apply() after it: if writing the batch
//             fails, nothing has changed.
//   memory    about 1.5 bytes a key.
//   cost      n keys. Counts and seeks: O(n / block_keys) additions, and at most a block of keys
//             read, which EngineReads::entries has. A write: O(log n), and with distinct scores
//             four seeks.
//   threads   none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/padded/padded_keys.h"

namespace laurel {

class KeyCounts {
 public:
  static constexpr std::size_t kBlockKeys = 64;

  // The first three arguments outlive this object. `with_distinct`: distinct() will be called.
  KeyCounts(const PaddedKeys& keys, const Space& space, EngineReads& reads, bool with_distinct,
            std::size_t block_keys = kBlockKeys);

  // Counts up to `n` more keys. Returns true when all keys are counted.
  bool extend(std::size_t n);
  bool complete() const { return complete_; }
  bool with_distinct() const { return with_distinct_; }

  // These require that it is complete.
  std::size_t size() const;
  std::size_t count(const KeyRange& range) const;
  // The number of scores that have keys in the range. REQUIRES: the range begins and ends between
  // two scores.
  std::size_t distinct(const KeyRange& range) const;
  // Moves the cursor to the key that has `before` keys before it in byte order.
  bool seek(Cursor& cursor, std::size_t before) const;

  // A write of the board: what it does to the blocks.
  struct Write {
    struct Step {
      std::size_t block = 0;
      int keys = 0;
      int scores = 0;
    };
    std::array<Step, 4> steps{};
    std::size_t count = 0;
  };
  // The board is about to erase one key and to insert another one; an empty key stands for none.
  Write plan(std::string_view erased, std::string_view inserted);
  void apply(const Write& write) noexcept;

  std::size_t bytes() const;
  // Aborts with a message if a block is wrong. For tests.
  void check() const;

 private:
  struct Before {
    std::size_t keys = 0;
    std::size_t scores = 0;
  };
  Before before(std::string_view key) const;
  std::size_t block_of(std::string_view key) const;
  bool is_counted(std::string_view key) const { return complete_ || key < counted_to_; }
  bool in_board(const Cursor& cursor) const { return cursor.key().starts_with(all_.from); }
  bool score_begins(Cursor& cursor) const;
  void add(Write& write, std::string_view key, int keys, int scores) const;
  void plan_one(Write& write, std::string_view key, int sign, std::string_view erased) const;
  void merge(std::size_t block);
  void split(std::size_t block);

  const PaddedKeys& keys_;
  const Space& space_;
  EngineReads& reads_;
  const KeyRange all_;
  const bool with_distinct_;
  const std::size_t block_keys_;
  bool complete_ = false;
  std::string counted_to_;  // keys from this one on are not counted yet
  // The blocks in order. Counts are apart from the keys, so that adding them up reads little.
  std::vector<std::string> begins_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> scores_;
};

}  // namespace laurel
