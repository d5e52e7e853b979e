#include "store/check/lmdb_format.h"

#include <algorithm>
#include <array>

#include "base/limits.h"

namespace laurel::lmdb {

namespace {

TreeRecord read_tree(const char* at) {
  TreeRecord tree;
  tree.flags = load<std::uint16_t>(at + 4);
  tree.depth = load<std::uint16_t>(at + 6);
  tree.branch_pages = load<std::uint64_t>(at + 8);
  tree.leaf_pages = load<std::uint64_t>(at + 16);
  tree.overflow_pages = load<std::uint64_t>(at + 24);
  tree.entries = load<std::uint64_t>(at + 32);
  tree.root = load<std::uint64_t>(at + 40);
  return tree;
}

// A set of offsets in a page, all of them even.
class Offsets {
 public:
  explicit Offsets(std::size_t page_bytes) : words_(page_bytes / 128 + 1) {
    std::fill_n(bits_.begin(), words_, 0);
  }

  // Returns true if the offset was not yet in the set.
  bool add(std::size_t offset) {
    std::uint64_t& word = bits_[offset / 128];
    const std::uint64_t bit = std::uint64_t{1} << (offset / 2 % 64);
    const bool added = (word & bit) == 0;
    word |= bit;
    return added;
  }

  friend bool operator==(const Offsets& a, const Offsets& b) {
    return std::equal(a.bits_.begin(), a.bits_.begin() + a.words_, b.bits_.begin());
  }

 private:
  std::size_t words_;
  std::array<std::uint64_t, kPageBytesMax / 128 + 1> bits_;  // deliberately not zeroed as a whole
};

}  // namespace

Meta read_meta(const char* page) {
  const char* const meta = page + kPageHeaderBytes;
  return {.page_number = load<std::uint64_t>(page),
          .page_flags = load<std::uint16_t>(page + 10),
          .magic = load<std::uint32_t>(meta),
          .version = load<std::uint32_t>(meta + 4),
          .map_bytes = load<std::uint64_t>(meta + 16),
          // Stored in the free list's record, in a field unused there.
          .page_bytes = load<std::uint32_t>(meta + 24),
          .free = read_tree(meta + 24),
          .main = read_tree(meta + 72),
          .last_page = load<std::uint64_t>(meta + 120),
          .transaction = load<std::uint64_t>(meta + 128)};
}

const char* page_fault(const Page& page) {
  const bool leaf = page.flags() == kLeaf;
  if (!leaf && page.flags() != kBranch) return "it is neither a branch nor a leaf";
  if (page.lower() < kPageHeaderBytes || page.lower() % 2 != 0 || page.upper() % 2 != 0 ||
      page.lower() > page.upper() || page.upper() > page.bytes()) {
    return "its free room is not within it";
  }
  if (page.nodes() < (leaf ? 1U : 2U)) return "it has too few nodes";

  // The nodes fill their room without overlap if no two begin at the same offset, and the offsets
  // where nodes end are those where nodes begin, except for the first and the last. Then the sizes
  // add up to the room; an overlap would make the sum larger.
  const std::size_t node_max = node_bytes_max(page.bytes());
  Offsets begins(page.bytes());
  Offsets ends(page.bytes());
  for (std::size_t i = 0; i < page.nodes(); ++i) {
    const std::size_t begin = page.offset(i);
    if (begin % 2 != 0 || begin < page.upper() || begin + kNodeHeaderBytes > page.bytes()) {
      return "a node is not where nodes are";
    }
    const Node node(page.node(i));
    if (node.key_bytes() > kStoreKeyBytesMax) return "a key is too long";
    if (node.key_bytes() == 0 && (leaf || i > 0)) return "a key is empty";
    std::size_t size = kNodeHeaderBytes + node.key_bytes();
    if (leaf) {
      if ((node.flags() & ~kNodeOverflows) != 0) return "a node is of no known kind";
      size += node.overflows() ? sizeof(std::uint64_t) : node.value_bytes();
      if (size > node_max) return "a value is too long for its page";
    }
    const std::size_t end = begin + size + size % 2;
    if (end > page.bytes()) return "a node ends beyond its page";
    if (!begins.add(begin)) return "two nodes begin at one place";
    ends.add(end);
  }
  begins.add(page.bytes());
  ends.add(page.upper());
  return begins == ends ? nullptr : "its nodes do not fill their room";
}

}  // namespace laurel::lmdb
