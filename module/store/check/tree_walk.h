// tree_walk.h - walks an LMDB tree whose pages may hold arbitrary bytes.
//
//   page use  which pages are taken: by a tree, by an overflow run, or by the free list. No page is
//             taken twice, so a walk cannot loop.
//   walk      verifies that the tree matches its record: every page is valid by lmdb_format.h,
//             where its parent expects it, on its level and with its own number; keys are in order
//             and within the bounds of the parents' keys; the numbers of pages and entries are as
//             recorded.
//   visit     gets every entry in key order; a refusal ends the walk.
//   fails     with bad_data, "page 17: ..."; with the visitor's refusal, prefixed by its page.
//   cost      O(entries); one bit a page; one level of recursion for each level of the tree, 32 at
//             most.
//   threads   one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/check/lmdb_format.h"

namespace laurel::lmdb {

template <typename... Args>
Refusal damage(std::uint64_t page, fmt::format_string<Args...> format, Args&&... args) {
  return {Code::bad_data, "page {}: {}", page, fmt::format(format, std::forward<Args>(args)...)};
}

// The file as pages. Pages beyond its end were never written, or were cut off.
struct FilePages {
  std::string_view bytes;
  std::size_t page_bytes = kPageBytesMin;

  std::uint64_t whole() const { return bytes.size() / page_bytes; }
  // REQUIRES: number < whole()
  const char* at(std::uint64_t number) const { return bytes.data() + number * page_bytes; }
};

class PageUse {
 public:
  // Pages 0 to last, of which the meta pages are taken.
  explicit PageUse(std::uint64_t last);

  // Takes `pages` pages; returns false if one of them is taken or out of range, and then some may
  // be taken.
  bool take(std::uint64_t first, std::uint64_t pages = 1);
  std::uint64_t taken() const { return taken_; }

 private:
  std::vector<std::uint64_t> bits_;
  std::uint64_t last_;
  std::uint64_t taken_ = kMetaPages;
};

enum class KeyOrder : std::uint8_t {
  bytes,     // byte by byte, unsigned; a prefix comes first
  integers,  // 64-bit numbers
};

using EntryVisit = std::function<Status(std::string_view key, std::string_view value)>;

class TreeWalk {
 public:
  // All references outlive the walk.
  TreeWalk(const FilePages& pages, PageUse& use, KeyOrder order, const EntryVisit& visit)
      : pages_(pages), use_(use), order_(order), visit_(visit) {}

  // Call once. Damage of the record itself is reported for the meta page.
  Status run(const TreeRecord& record, std::uint64_t meta_page);

 private:
  // The keys of a page are >= `from` and < `to`.
  struct Bounds {
    std::optional<std::string_view> from;
    std::optional<std::string_view> to;
  };

  bool page(std::uint64_t number, const Bounds& bounds, unsigned level);
  bool branch(const Page& page, const Bounds& bounds, unsigned level);
  bool leaf(const Page& page, const Bounds& bounds);
  bool in_order(const Page& page, std::size_t first, const Bounds& bounds);
  bool before(std::string_view a, std::string_view b) const;
  // The value of a leaf's node, inline or in an overflow run.
  std::optional<std::string_view> value(const Page& page, const Node& node);
  // Stores the damage; returns false.
  template <typename... Args>
  bool fail(std::uint64_t page, fmt::format_string<Args...> format, Args&&... args) {
    refusal_ = damage(page, format, std::forward<Args>(args)...);
    return false;
  }

  const FilePages& pages_;
  PageUse& use_;
  KeyOrder order_;
  const EntryVisit& visit_;
  TreeRecord found_;
  std::optional<Refusal> refusal_;
};

}  // namespace laurel::lmdb
