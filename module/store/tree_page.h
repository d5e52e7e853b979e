// tree_page.h - a page of the copy-on-write tree, and what pages share.
//
//   page     kTreePageBytes bytes that hold cells in the order of their keys, which differ.
//   level    leaves are level 0; a page above holds the pages of the level below.
//   cell     a key and what belongs to it: in a leaf a value, inside the page or, when it is long,
//            shared; above, a child with the least key that may come to it. The first child's key
//            is empty: what is smaller than everything comes to it too.
//   room     cells grow from the end, a table of their places from the beginning. What an erased
//            cell leaves behind is gathered when an insertion needs it.
//   shared   pages and long values count who points at them: pages above, and trees as their root.
//            With one holder they belong to whom it belongs to; with more nobody changes them.
//   owner    a page copies and drops pointers as they are: TreeMemory does the counting.
//   threads  counts are for any thread. A page is read by any number of threads, or changed by one
//            that came to it through single holders only.
//   cost     a search compares O(log cells) keys; insert and erase move at most the page.
//   source   the slotted page: J. Gray, A. Reuter, "Transaction Processing", 14.3.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/limits.h"

namespace laurel {

// Counts its holders; begins with one.
class Counted {
 public:
  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  // Whether this holder was the last one. What the others read happened before, then.
  bool release() { return holders_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool single() const { return holders_.load(std::memory_order_acquire) == 1; }

 private:
  std::atomic<std::uint32_t> holders_{1};
};

// A value too long for a page; its bytes lie behind it.
class LongValue : public Counted {
 public:
  explicit LongValue(std::size_t size) : size_(static_cast<std::uint32_t>(size)) {}

  char* room() { return reinterpret_cast<char*>(this + 1); }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(this + 1), size_}; }

 private:
  std::uint32_t size_;
};

// What a cell holds: bytes of its own or, where `pointer` is set, something shared.
struct Payload {
  std::string_view bytes = {};
  Counted* pointer = nullptr;
};

class TreePage : public Counted {
 public:
  explicit TreePage(unsigned level) : level_(static_cast<std::uint16_t>(level)) {}
  // The same cells, pointers as they are.
  TreePage(const TreePage& page);
  TreePage& operator=(const TreePage&) = delete;

  static constexpr std::size_t kRoom = kTreePageBytes - 4 - 6 * sizeof(std::uint16_t);
  // What a cell takes of it, its place in the table included.
  static std::size_t cell_bytes(std::string_view key, const Payload& payload);

  unsigned level() const { return level_; }
  std::size_t count() const { return count_; }
  std::size_t used() const { return kRoom - room(); }

  // REQUIRES of all that take a slot: slot < count().
  std::string_view key(std::size_t slot) const;
  Payload payload(std::size_t slot) const;
  std::string_view value(std::size_t slot) const;  // REQUIRES: level() == 0
  TreePage* child(std::size_t slot) const;         // REQUIRES: level() > 0

  // The first slot whose key is not less; count() when there is none.
  std::size_t lower_bound(std::string_view key) const;
  bool has(std::size_t slot, std::string_view key) const;
  // The child that this key comes to. REQUIRES: level() > 0.
  std::size_t child_slot(std::string_view key) const;

  // Puts a cell before the slot, or behind all; false when there is no room. REQUIRES: neither the
  // key nor the payload is a view of this page.
  bool insert(std::size_t slot, std::string_view key, const Payload& payload);
  void erase(std::size_t slot);
  // Writes over a payload where it lies; false when it does not take as many bytes as the old one.
  bool replace(std::size_t slot, const Payload& payload);
  // Adds the other page's cells from this slot on behind the own ones. REQUIRES: there is room.
  void append(const TreePage& other, std::size_t first);
  void truncate(std::size_t count);

  // How a full page makes room for a cell of so many bytes at the slot: `keep` cells stay, those
  // behind go to another page, and the new one stays or goes. Usually that halves the page. While
  // cells come in a run, each next to the one before, it divides where they come: what the run
  // leaves behind is full.
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
  std::uint16_t lost_ = 0;            // bytes among them that erased cells left
  std::uint16_t inserted_ = kNoSlot;  // the slot of the last insertion
  std::int16_t run_ = 0;  // how many insertions were each behind, or below 0 each before, the last
  char bytes_[kRoom];
};

static_assert(sizeof(TreePage) <= kTreePageBytes);
static_assert(kTreePageBytes <= UINT16_MAX);

}  // namespace laurel
