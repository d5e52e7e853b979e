// tree_walk.h - walking a tree of LMDB's whose pages may hold anything.
//
//   page use   which pages are taken: by a tree, by a run, or by being listed as free. No page is
//              taken twice, so no walk goes in a circle.
//   walk       sees to it that the tree is what its record says: every page is as lmdb_format.h
//              wants it, where its parent expects it, on its level, with its own number; keys in
//              order, within what the parents' keys allow; as many pages and entries as counted.
//   visit      is told every entry, in the order of keys; refuses, and the walk ends.
//   fails      with bad_data, "page 17: ..."; with the visitor's refusal, its page in front.
//   cost       O(entries); a bit a page, a level of recursion a level of the tree, 32 at most.
//   threads    one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/durable/lmdb_format.h"

namespace laurel::lmdb {

template <typename... Args>
Refusal damage(std::uint64_t page, fmt::format_string<Args...> format, Args&&... args) {
  return {Code::bad_data, "page {}: {}", page, fmt::format(format, std::forward<Args>(args)...)};
}

// The file as pages; those behind its end were never written, or are cut off.
struct FilePages {
  std::string_view bytes;
  std::size_t page_bytes = kPageBytesMin;

  std::uint64_t whole() const { return bytes.size() / page_bytes; }
  // REQUIRES: number < whole()
  const char* at(std::uint64_t number) const { return bytes.data() + number * page_bytes; }
};

class PageUse {
 public:
  // Of pages 0 to last, of which those of the metas are taken.
  explicit PageUse(std::uint64_t last);

  // Takes so many pages; false if one of them is taken or out of range, and then some may be taken.
  bool take(std::uint64_t first, std::uint64_t pages = 1);
  std::uint64_t taken() const { return taken_; }

 private:
  std::vector<std::uint64_t> bits_;
  std::uint64_t last_;
  std::uint64_t taken_ = kMetaPages;
};

enum class KeyOrder : std::uint8_t {
  bytes,     // byte by byte, unsigned, then the shorter
  integers,  // 64-bit numbers
};

using EntryVisit = std::function<Status(std::string_view key, std::string_view value)>;

class TreeWalk {
 public:
  // All outlive the walk.
  TreeWalk(const FilePages& pages, PageUse& use, KeyOrder order, const EntryVisit& visit)
      : pages_(pages), use_(use), order_(order), visit_(visit) {}

  // Once. Damage that is the record's own is told of the meta page.
  Status run(const TreeRecord& record, std::uint64_t meta_page);

 private:
  // Keys of a page are not before `from`, and before `to`.
  struct Bounds {
    std::optional<std::string_view> from;
    std::optional<std::string_view> to;
  };

  bool page(std::uint64_t number, const Bounds& bounds, unsigned level);
  bool branch(const Page& page, const Bounds& bounds, unsigned level);
  bool leaf(const Page& page, const Bounds& bounds);
  bool in_order(const Page& page, std::size_t first, const Bounds& bounds);
  bool before(std::string_view a, std::string_view b) const;
  // The value of a leaf's node, wherever it lies.
  std::optional<std::string_view> value(const Page& page, const Node& node);
  // Remembers the damage; false.
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
