#include "store/check/tree_walk.h"

namespace laurel::lmdb {

PageUse::PageUse(std::uint64_t last) : bits_(last / 64 + 1), last_(last) {
  bits_[0] = (1U << kMetaPages) - 1;
}

bool PageUse::take(std::uint64_t first, std::uint64_t pages) {
  if (first > last_ || pages > last_ - first + 1) return false;
  for (std::uint64_t page = first; page < first + pages; ++page) {
    std::uint64_t& word = bits_[page / 64];
    const std::uint64_t bit = std::uint64_t{1} << (page % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
  }
  taken_ += pages;
  return true;
}

Status TreeWalk::run(const TreeRecord& record, std::uint64_t meta_page) {
  found_ = {.flags = record.flags, .depth = record.depth, .root = record.root};
  if ((record.root == kNoPage) != (record.depth == 0)) {
    return damage(meta_page, "a tree of {} levels has {} root", record.depth,
                  record.root == kNoPage ? "no" : "a");
  }
  if (record.depth > kDepthMax) return damage(meta_page, "a tree has {} levels", record.depth);
  if (record.depth > 0 && !page(record.root, {}, 1)) return *refusal_;
  if (found_ != record) {
    return damage(meta_page,
                  "{} entries on {} branch, {} leaf and {} overflow pages were counted, but there "
                  "are {} on {}, {} and {}",
                  record.entries, record.branch_pages, record.leaf_pages, record.overflow_pages,
                  found_.entries, found_.branch_pages, found_.leaf_pages, found_.overflow_pages);
  }
  return Done{};
}

bool TreeWalk::page(std::uint64_t number, const Bounds& bounds, unsigned level) {
  if (number >= pages_.whole()) return fail(number, "it lies beyond the end of the file");
  if (!use_.take(number)) return fail(number, "it is used twice, or is not among the used pages");
  const Page page(pages_.at(number), pages_.page_bytes);
  if (page.number() != number) return fail(number, "it has the number {}", page.number());
  if (const char* const fault = page_fault(page)) return fail(number, "{}", fault);
  const bool leaf_here = page.flags() == kLeaf;
  if (leaf_here != (level == found_.depth)) return fail(number, "it is not on its level");
  return leaf_here ? leaf(page, bounds) : branch(page, bounds, level);
}

bool TreeWalk::branch(const Page& page, const Bounds& bounds, unsigned level) {
  ++found_.branch_pages;
  if (!in_order(page, 1, bounds)) return false;
  Bounds child;
  for (std::size_t i = 0; i < page.nodes(); ++i) {
    child.from = i == 0 ? bounds.from : page.node(i).key();
    child.to = i + 1 == page.nodes() ? bounds.to : page.node(i + 1).key();
    if (!this->page(page.node(i).child(), child, level + 1)) return false;
  }
  return true;
}

bool TreeWalk::leaf(const Page& page, const Bounds& bounds) {
  ++found_.leaf_pages;
  found_.entries += page.nodes();
  if (!in_order(page, 0, bounds)) return false;
  for (std::size_t i = 0; i < page.nodes(); ++i) {
    const Node node = page.node(i);
    const auto value = this->value(page, node);
    if (!value) return false;
    if (const Status seen = visit_(node.key(), *value); !seen) {
      refusal_ =
          Refusal(seen.refusal().code(), "page {}: {}", page.number(), seen.refusal().message());
      return false;
    }
  }
  return true;
}

bool TreeWalk::in_order(const Page& page, std::size_t first, const Bounds& bounds) {
  if (order_ == KeyOrder::integers) {
    for (std::size_t i = first; i < page.nodes(); ++i) {
      if (page.node(i).key_bytes() != sizeof(std::uint64_t)) {
        return fail(page.number(), "key {} is not a number", i);
      }
    }
  }
  std::string_view last = page.node(first).key();
  if (bounds.from && before(last, *bounds.from)) {
    return fail(page.number(), "key {} lies before what its parent allows", first);
  }
  for (std::size_t i = first + 1; i < page.nodes(); ++i) {
    const std::string_view key = page.node(i).key();
    if (!before(last, key)) return fail(page.number(), "key {} is out of order", i);
    last = key;
  }
  if (bounds.to && !before(last, *bounds.to)) {
    return fail(page.number(), "its last key lies behind what its parent allows");
  }
  return true;
}

bool TreeWalk::before(std::string_view a, std::string_view b) const {
  if (order_ == KeyOrder::bytes) return a < b;
  return load<std::uint64_t>(a.data()) < load<std::uint64_t>(b.data());
}

std::optional<std::string_view> TreeWalk::value(const Page& page, const Node& node) {
  if (!node.overflows()) return node.value();
  const std::uint64_t first = node.run();
  if (first >= pages_.whole()) {
    fail(first, "a value of page {} lies beyond the end of the file", page.number());
    return std::nullopt;
  }
  const Page run(pages_.at(first), pages_.page_bytes);
  // A value replaced by a shorter one in the same transaction may keep its longer run.
  if (run.number() != first || run.flags() != kOverflow ||
      run.run_pages() < run_pages_for(node.value_bytes(), pages_.page_bytes) ||
      run.run_pages() > pages_.whole() - first) {
    fail(first, "it does not begin the {} bytes of a value of page {}", node.value_bytes(),
         page.number());
    return std::nullopt;
  }
  if (!use_.take(first, run.run_pages())) {
    fail(first, "a value of page {} shares it, or is not on a used page", page.number());
    return std::nullopt;
  }
  found_.overflow_pages += run.run_pages();
  return std::string_view(pages_.at(first) + kPageHeaderBytes, node.value_bytes());
}

}  // namespace laurel::lmdb
