// replay_window.h - which numbers of packets were seen, so that each is taken once.
//
//   window   of the newest number and kWidth - 64 before it. Older numbers count as seen: a packet
//            that is so late is lost.
//   threads  none.
//   cost     O(1); 136 bytes.
//   source   RFC 6479, "IPsec Anti-Replay Algorithm without Bit Shifting".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace laurel {

class ReplayWindow {
 public:
  static constexpr std::uint64_t kWidth = 1024;

  // Whether the number was not seen. The caller asks before it knows that the packet is authentic,
  // and calls take() when it knows.
  bool is_new(std::uint64_t number) const {
    if (number >= next_) return true;
    if (number + (kWidth - 64) < next_) return false;
    return (words_[place(number)] & bit(number)) == 0;
  }

  // REQUIRES: is_new(number).
  void take(std::uint64_t number) {
    if (number >= next_) {
      // Clears the words between the newest number and this one.
      const std::uint64_t before = next_ == 0 ? 0 : (next_ - 1) / 64;
      const std::uint64_t steps = std::min<std::uint64_t>(number / 64 - before, words_.size());
      for (std::uint64_t i = 1; i <= steps; ++i) words_[(before + i) % words_.size()] = 0;
      next_ = number + 1;
    }
    words_[place(number)] |= bit(number);
  }

 private:
  static std::size_t place(std::uint64_t number) { return number / 64 % (kWidth / 64); }
  static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << number % 64; }

  std::uint64_t next_ = 0;  // after the newest number
  std::array<std::uint64_t, kWidth / 64> words_{};
};

}  // namespace laurel
