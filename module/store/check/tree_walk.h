// tree_walk.h - walks an LMDB tree whose pages may hold arbitrary bytes.
//
//   page use  which pages are taken: by a tree, by an overflow run, or by the free list. No page is
//             taken twice, so a walk cannot loop.
//   walk      verifies that the tree matches its record: every page is valid by lmdb_format.h,
//             where its parent expects it, on its level and with its own number; keys are in order
//             and within the bounds of the parents' keys; the numbers of pages and entries are as
//             recorded.
//   visit     gets every entry, in key order if one thread walks; a refusal ends the walk.
//   fails     with bad_data, "page 17: ..."; with the visitor's refusal, prefixed by its page. The
//             damage that comes first in key order is the one that is reported.
//   cost      O(entries); one bit a page; one level of recursion for each level of the tree, 32 at
//             most.
//   threads   two if the caller asks for it, each with parts of the tree.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/check/check_threads.h"
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

// Any thread may take pages.
class PageUse {
 public:
  // Pages 0 to last, of which the meta pages are taken.
  explicit PageUse(std::uint64_t last);

  // Takes `pages` pages; returns false if one of them is taken or out of range, and then some may
  // be taken.
  bool take(std::uint64_t first, std::uint64_t pages = 1);
  std::uint64_t taken() const { return taken_; }
  // The first page from that one on that is not taken, or end(). O(pages between / 64).
  std::uint64_t next_left(std::uint64_t page) const { return next(page, 0); }
  // The first page from that one on that is taken, or end().
  std::uint64_t next_taken(std::uint64_t page) const { return next(page, ~std::uint64_t{0}); }
  std::uint64_t end() const { return last_ + 1; }

 private:
  std::uint64_t next(std::uint64_t page, std::uint64_t flip) const;

  std::vector<std::atomic<std::uint64_t>> bits_;
  std::uint64_t last_;
  std::atomic<std::uint64_t> taken_ = kMetaPages;
};

enum class KeyOrder : std::uint8_t {
  bytes,     // byte by byte, unsigned; a prefix comes first
  integers,  // 64-bit numbers
};

using EntryVisit = std::function<Status(std::string_view key, std::string_view value)>;
// Called before pages are touched for the first time; a refusal ends the walk.
using PageRead = std::function<Status(std::uint64_t first, std::uint64_t pages)>;

class TreeWalk {
 public:
  // All references outlive the walk. `read` may be empty.
  TreeWalk(const FilePages& pages, PageUse& use, KeyOrder order, const EntryVisit& visit,
           PageRead read = {})
      : pages_(pages), use_(use), order_(order), visit_(visit), read_(std::move(read)) {}

  // Call once. Damage of the record itself is reported for the meta page.
  Status run(const TreeRecord& record, std::uint64_t meta_page,
             CheckThreads threads = CheckThreads::one);

 private:
  // The keys of a page are >= `from` and < `to`.
  struct Bounds {
    std::optional<std::string_view> from;
    std::optional<std::string_view> to;
  };
  struct Part {
    std::uint64_t root = 0;
    Bounds bounds = {};
    unsigned level = 1;
  };
  class Walker;

  // Both add what is on the pages; they get the record's depth and root.
  Status walk(TreeRecord& found) const;
  Status walk_in_two(TreeRecord& found) const;

  const FilePages& pages_;
  PageUse& use_;
  KeyOrder order_;
  const EntryVisit& visit_;
  PageRead read_;
};

}  // namespace laurel::lmdb
