// tree_page.h - a page of the copy-on-write tree, and what pages share.
//
//   page     kTreePageBytes bytes that hold cells with distinct keys in ascending order.
//   level    leaves are level 0; pages above point to pages of the level below.
//   cell     a key and its payload. In a leaf the payload is a value, stored in the page or, if it
//            is long, shared. In upper pages it is a child, and the key is a lower bound of the
//            child's keys. The first child's key is empty, so that it gets all smaller keys.
//   room     cells grow from the end of the page, a table of their offsets from its beginning. The
//            space of erased cells is compacted when an insertion needs it.
//   shared   pages and long values count their references: from pages above, and from trees whose
//            root they are. With one reference the referrer owns the object; with more than one it
//            is immutable.
//   owner    a page copies and drops raw pointers; TreeMemory does the reference counting.
//   threads  counts are thread-safe. A page is read by any number of threads, or changed by one
//            thread that owns every page on the path to it.
//   cost     a search compares O(log cells) keys; insert and erase move at most one page of bytes.
//   source   the slotted page: J. Gray, A. Reuter, "Transaction Processing", 14.3.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/limits.h"

namespace laurel {

// A reference count, which begins with one.
class Counted {
 public:
  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  // Returns true if this was the last reference. Reads by the other holders then happened before
  // this call.
  bool release() { return holders_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool single() const { return holders_.load(std::memory_order_acquire) == 1; }

 private:
  std::atomic<std::uint32_t> holders_{1};
};

// A value too long for a page; its bytes follow this header.
class LongValue : public Counted {
 public:
  explicit LongValue(std::size_t size) : size_(static_cast<std::uint32_t>(size)) {}

  char* room() { return reinterpret_cast<char*>(this + 1); }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(this + 1), size_}; }

 private:
  std::uint32_t size_;
};

// What a cell holds: inline bytes, or a shared object if `pointer` is set.
struct Payload {
  std::string_view bytes = {};
  Counted* pointer = nullptr;
};

class TreePage : public Counted {
 public:
  explicit TreePage(unsigned level) : level_(static_cast<std::uint16_t>(level)) {}
  // Copies the cells; pointers are copied without counting them.
  TreePage(const TreePage& page);
  TreePage& operator=(const TreePage&) = delete;

  static constexpr std::size_t kRoom = kTreePageBytes - 4 - 6 * sizeof(std::uint16_t);
  // The bytes of kRoom that a cell uses, including its entry in the offset table.
  static std::size_t cell_bytes(std::string_view key, const Payload& payload);

  unsigned level() const { return level_; }
  std::size_t count() const { return count_; }
  std::size_t used() const { return kRoom - room(); }

  // REQUIRES for all functions with a slot: slot < count().
  std::string_view key(std::size_t slot) const;
  Payload payload(std::size_t slot) const;
  std::string_view value(std::size_t slot) const;  // REQUIRES: level() == 0
  TreePage* child(std::size_t slot) const;         // REQUIRES: level() > 0

  // The first slot whose key is not less than `key`; count() if there is none.
  std::size_t lower_bound(std::string_view key) const;
  bool has(std::size_t slot, std::string_view key) const;
  // The slot of the child whose range contains the key. REQUIRES: level() > 0.
  std::size_t child_slot(std::string_view key) const;

  // Inserts a cell before the slot, or at the end if slot == count(); returns false if there is no
  // room. REQUIRES: neither the key nor the payload is a view of this page.
  bool insert(std::size_t slot, std::string_view key, const Payload& payload);
  void erase(std::size_t slot);
  // Overwrites a payload in place; returns false if its size differs from the old one.
  bool replace(std::size_t slot, const Payload& payload);
  // Appends the other page's cells from slot `first` on. REQUIRES: there is room.
  void append(const TreePage& other, std::size_t first);
  void truncate(std::size_t count);

  // How to split a full page for a new cell of `cell` bytes at the slot. The first `keep` cells
  // stay and the rest go to another page; `stays` is true if the new cell stays too. Usually the
  // split halves the page. During a run of adjacent insertions it splits at the insertion point, so
  // that the pages left behind are full.
  struct Division {
    std::size_t keep = 0;
    bool stays = false;
  };
  Division division(std::size_t slot, std::size_t cell) const;

 private:
  static constexpr std::uint16_t kNoSlot = UINT16_MAX;

  std::size_t room() const;
  int run_at(std::size_t slot) const;
  void end_run();
  std::size_t bytes_before(std::size_t slot) const;
  void gather();
  std::uint16_t offset(std::size_t slot) const;
  void set_offset(std::size_t slot, std::size_t offset);

  std::uint16_t level_;
  std::uint16_t count_ = 0;
  std::uint16_t begin_ = kRoom;       // of the cells
  std::uint16_t lost_ = 0;            // bytes between cells that erased cells left
  std::uint16_t inserted_ = kNoSlot;  // the slot of the last insertion
  // Length of the current run of insertions, each after the previous one; negative: each before it.
  std::int16_t run_ = 0;
  char bytes_[kRoom];
};

static_assert(sizeof(TreePage) <= kTreePageBytes);
static_assert(kTreePageBytes <= UINT16_MAX);

}  // namespace laurel
