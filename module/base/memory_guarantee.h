// memory_guarantee.h - a write that runs out of memory changes nothing.
//
//   promise    The caller of such a write gets `unavailable: no memory`, and all is as it was.
//   decide     A write first checks and prepares, and changes nothing. If an allocation fails then,
//              it throws std::bad_alloc.
//   apply      Then the write makes a MemoryGuarantee, and changes. While the guarantee exists no
//              allocation of its thread fails: if the heap has nothing left, it gets a block of the
//              reserve, by the new handler (std::set_new_handler). Making the guarantee throws
//              std::bad_alloc if the reserve is not whole and cannot be filled up again.
//   answer     std::bad_alloc becomes that refusal where Lua and C call (bindings/lua/args.h,
//              plugin/convert.h), and for each result of a batch (board/submission/batch.cc).
//   freeing    A write that frees memory, such as a drop of a board, must be possible when memory
//              has ended. Half of the reserve is enough for it.
//   reserve    kMemoryReserveBlocks blocks of the process, as long as a registry is open. They are
//              never written, so they take address space and hardly any memory.
//   bound      What grows while a write is applied grows in small steps: no container of entries
//              doubles (rank/player/player_texts.h, store/row_writes.h). A write that needs more,
//              such as a ban on many boards, says so, and asks the system first.
//   threads    any; they share the reserve.
//   cost       two accesses to a variable of the thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/limits.h"
#include "base/result.h"

namespace laurel {

// The answer to a write without memory.
Refusal no_memory();

// What operator new does if the heap has nothing left: returns if it pays to try again, or throws
// std::bad_alloc. For libraries that allocate by themselves.
void ask_for_memory();

// The system allocates the variables of a thread when the thread first uses them, and ends the
// process if it has no memory then. A thread that calls this when it starts is safe from that.
void allocate_thread_variables();

// Keeps the reserve of the process filled, as far as memory allows, while it exists.
class MemoryReserve {
 public:
  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // Whether the reserve has that many blocks. If it is not whole, tries to fill it first.
  static bool has(std::size_t blocks) {
    return missing() == 0 || fill() || missing() <= kMemoryReserveBlocks - blocks;
  }
  static bool is_whole() { return has(kMemoryReserveBlocks); }
  // Blocks that were given away and not replaced yet.
  static std::size_t missing() { return missing_.load(std::memory_order_relaxed); }
  // Address space in use.
  static std::size_t bytes();

 private:
  friend class MemoryGuarantee;

  static bool fill();
  static bool give();

  static std::atomic<std::size_t> missing_;
};

class [[nodiscard]] MemoryGuarantee {
  // Each thread has one.
  struct Current {
    bool stands;
    void* more;  // what a write asked for beyond the reserve; never written
  };

 public:
  // Whether the write frees more memory than it takes.
  enum class Frees : std::uint8_t { no, yes };

  // `bytes`: what the write may need, if that can be more than half of what it has of the reserve.
  // Throws std::bad_alloc. If the thread has a guarantee already, that one counts, and this one
  // does nothing.
  explicit MemoryGuarantee(std::size_t bytes = 0, Frees frees = Frees::no)
      : counts_(!current_.stands) {
    if (counts_) begin(bytes, frees);
  }
  // For work that may as well be done later: does not throw. Without memory it does not stand.
  explicit MemoryGuarantee(const std::nothrow_t&, Frees frees = Frees::no)
      : counts_(!current_.stands && MemoryReserve::has(needed(frees))) {
    if (counts_) current_.stands = true;
  }
  bool stands() const { return current_.stands; }
  ~MemoryGuarantee() {
    if (!counts_) return;
    current_.stands = false;
    if (current_.more != nullptr) give_more();
  }
  MemoryGuarantee(const MemoryGuarantee&) = delete;
  MemoryGuarantee& operator=(const MemoryGuarantee&) = delete;

  // For a part of a write that may as well be done later: allocations in it may fail.
  class Suspension {
   public:
    Suspension() : suspended_(std::exchange(current_, Current{})) {}
    ~Suspension() { current_ = suspended_; }
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

   private:
    Current suspended_;
  };

 private:
  friend class MemoryReserve;
  friend void allocate_thread_variables();

  static std::size_t needed(Frees frees) {
    return frees == Frees::yes ? kMemoryReserveBlocks / 2 : kMemoryReserveBlocks;
  }
  static void begin(std::size_t bytes, Frees frees) {
    const std::size_t blocks = needed(frees);
    if (!MemoryReserve::has(blocks)) throw_no_memory();
    if (bytes > blocks * kMemoryReserveBlockBytes / 2) current_.more = ::operator new(bytes);
    current_.stands = true;
  }
  static void give_more() { ::operator delete(std::exchange(current_.more, nullptr)); }
  [[noreturn]] static void throw_no_memory();
  static void find_memory();  // the new handler

  static inline constinit thread_local Current current_{};

  bool counts_;  // of the thread's guarantees, the outermost one
};

}  // namespace laurel
