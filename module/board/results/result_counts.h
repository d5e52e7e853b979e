// result_counts.h - how many results of a player a history has numbered: a cache of bounded size.
//
//   bounded   players are divided into two generations of at most kResultCountsMax. When the newer
//             is full it becomes the older, and what was the older is forgotten.
//   key       the keyed hash of the player's id, 64 bits. Of two players with one hash the numbers
//             would have gaps, and their histories be shorter; among 10 million players that
//             happens with a probability of 1 in 300,000.
//   memory    12 bytes in tables that are half to three quarters full. They grow in small steps.
//   threads   none of its own; one caller at a time.
//   cost      O(1), about one cache miss.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace laurel {

class ResultCounts {
 public:
  std::optional<std::uint32_t> find(std::uint64_t hash);
  // Returns true if others were forgotten.
  bool set(std::uint64_t hash, std::uint32_t count);
  void clear();
  std::size_t bytes() const { return newer_.bytes() + older_.bytes(); }

 private:
  // An open table with linear probing.
  class Segment {
   public:
    const std::uint32_t* find(std::uint64_t hash) const;
    // Returns whether the hash is new.
    bool set(std::uint64_t hash, std::uint32_t count);
    std::size_t bytes() const { return room_ * sizeof(Entry); }

   private:
    static constexpr std::uint32_t kFree = 0xFFFFFFFFU;
    struct Entry {
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      std::uint32_t count = kFree;
    };
    Entry& place(std::uint64_t hash) const;
    void grow();

    std::unique_ptr<Entry[]> entries_;
    std::uint32_t room_ = 0;  // a power of two, or 0
    std::uint32_t used_ = 0;
  };
  struct Generation {
    static constexpr std::size_t kSegments = 256;

    Segment& segment(std::uint64_t hash) { return (*segments)[hash >> 56]; }
    std::size_t bytes() const;

    std::unique_ptr<std::array<Segment, kSegments>> segments;  // null: empty
    std::size_t size = 0;
  };

  Generation newer_;
  Generation older_;
};

}  // namespace laurel
