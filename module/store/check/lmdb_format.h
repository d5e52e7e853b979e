// lmdb_format.h - the layout of an LMDB file, to read it without LMDB.
//
//   file    pages of one size; page n begins at n times the page size. Numbers are little-endian,
//           and aligned to two bytes at best.
//   metas   pages 0 and 1. Transaction n writes its state to page n & 1: the roots of the free
//           list's tree and of the main tree, and the number of the last page.
//   page    a header of 16 bytes: the page's number, its flags, and where its free room begins and
//           ends, or for an overflow run its number of pages.
//   nodes   pointers follow the header in key order. The nodes fill the rest of the page, from the
//           end of its free room on, without gaps and in any order.
//   leaf    key and value; a value that would make the node longer than node_bytes_max is in an
//           overflow run of pages: one header, then the value.
//   branch  key and child page: the child's keys are not less than the key. The first node's key
//           has no meaning and is usually empty.
//   trust   read_meta takes any bytes. The numbers of a page header may be read from any page;
//           nodes only from one for which page_fault returns null.
//   source  LMDB 0.9.24, mdb.c: MDB_page, MDB_meta, MDB_db, MDB_node, mdb_node_add.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace laurel::lmdb {

static_assert(std::endian::native == std::endian::little,
              "LMDB writes numbers as the machine does");

inline constexpr std::uint32_t kMagic = 0xBEEFC0DE;
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kNoPage = ~std::uint64_t{0};  // the root of an empty tree
inline constexpr std::uint64_t kMetaPages = 2;
inline constexpr std::size_t kMetaBytes = 152;  // of a meta page that have a meaning
// LMDB uses the system's page size, limited because a page stores the end of its room in 16 bits.
inline constexpr std::size_t kPageBytesMin = 4096;
inline constexpr std::size_t kPageBytesMax = 32768;
inline constexpr std::size_t kPageHeaderBytes = 16;
inline constexpr std::size_t kNodeHeaderBytes = 8;
inline constexpr unsigned kDepthMax = 32;  // the limit of LMDB's cursors

// Flags of a page, and the flag of a leaf's node.
inline constexpr std::uint16_t kBranch = 0x01;
inline constexpr std::uint16_t kLeaf = 0x02;
inline constexpr std::uint16_t kOverflow = 0x04;
inline constexpr std::uint16_t kMeta = 0x08;
inline constexpr std::uint16_t kNodeOverflows = 0x01;

// Flags of the free list's tree, whose keys are integers; the record also holds the environment's
// flags.
inline constexpr std::uint16_t kIntegerKeys = 0x0008;
inline constexpr std::uint16_t kNoSubdirectory = 0x4000;

template <typename T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The description of a tree in a meta page.
struct TreeRecord {
  std::uint16_t flags = 0;
  std::uint16_t depth = 0;  // number of levels; 0 for an empty tree
  std::uint64_t branch_pages = 0;
  std::uint64_t leaf_pages = 0;
  std::uint64_t overflow_pages = 0;
  std::uint64_t entries = 0;
  std::uint64_t root = kNoPage;

  friend bool operator==(const TreeRecord&, const TreeRecord&) = default;
};

struct Meta {
  std::uint64_t page_number = 0;
  std::uint16_t page_flags = 0;
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  std::uint64_t map_bytes = 0;
  std::uint32_t page_bytes = 0;
  TreeRecord free;
  TreeRecord main;
  std::uint64_t last_page = 0;
  std::uint64_t transaction = 0;
};

// REQUIRES: kMetaBytes bytes are readable at `page`.
Meta read_meta(const char* page);

class Node {
 public:
  explicit Node(const char* at) : at_(at) {}

  std::size_t key_bytes() const { return load<std::uint16_t>(at_ + 6); }
  std::string_view key() const { return {at_ + kNodeHeaderBytes, key_bytes()}; }

  // REQUIRES: a node of a branch.
  std::uint64_t child() const {
    return load<std::uint32_t>(at_) | std::uint64_t{load<std::uint16_t>(at_ + 4)} << 32;
  }

  // These require a node of a leaf.
  std::uint16_t flags() const { return load<std::uint16_t>(at_ + 4); }
  bool overflows() const { return (flags() & kNodeOverflows) != 0; }
  std::size_t value_bytes() const { return load<std::uint32_t>(at_); }
  std::string_view value() const { return {behind_key(), value_bytes()}; }  // unless it overflows
  std::uint64_t run() const { return load<std::uint64_t>(behind_key()); }   // if so: first page

 private:
  const char* behind_key() const { return at_ + kNodeHeaderBytes + key_bytes(); }

  const char* at_;
};

class Page {
 public:
  // Views a whole page of `bytes` bytes.
  Page(const char* at, std::size_t bytes) : at_(at), bytes_(bytes) {}

  std::size_t bytes() const { return bytes_; }
  std::uint64_t number() const { return load<std::uint64_t>(at_); }
  std::uint16_t flags() const { return load<std::uint16_t>(at_ + 10); }
  std::size_t lower() const { return load<std::uint16_t>(at_ + 12); }
  std::size_t upper() const { return load<std::uint16_t>(at_ + 14); }
  std::uint32_t run_pages() const { return load<std::uint32_t>(at_ + 12); }  // of an overflow run

  std::size_t nodes() const { return (lower() - kPageHeaderBytes) / 2; }
  std::size_t offset(std::size_t i) const {
    return load<std::uint16_t>(at_ + kPageHeaderBytes + 2 * i);
  }
  Node node(std::size_t i) const { return Node(at_ + offset(i)); }

 private:
  const char* at_;
  std::size_t bytes_;
};

// The maximum size of a leaf's node, without its pointer.
inline std::size_t node_bytes_max(std::size_t page_bytes) {
  return (((page_bytes - kPageHeaderBytes) / 2) & ~std::size_t{1}) - 2;
}

// The number of pages in an overflow run for a value of that size.
inline std::uint64_t run_pages_for(std::uint64_t value_bytes, std::size_t page_bytes) {
  return (kPageHeaderBytes - 1 + value_bytes) / page_bytes + 1;
}

// Returns null if the bounds and nodes of a page are valid, otherwise a description of the fault. A
// valid page is a branch or a leaf and has enough nodes. Each node lies within the page, with key
// and value sizes that LMDB writes, and the nodes fill their room exactly, without overlap. The
// order of keys, child pages and overflow runs are not checked. O(nodes).
const char* page_fault(const Page& page);

}  // namespace laurel::lmdb
