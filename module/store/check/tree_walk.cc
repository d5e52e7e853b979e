#include "store/check/tree_walk.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/process/work_thread.h"

namespace laurel::lmdb {

namespace {

// Parts for two threads to share, at least: then both end at about the same time.
constexpr std::size_t kParts = 64;
// With fewer entries a second thread costs more than it saves.
constexpr std::uint64_t kEntriesForTwo = 1000;

void add(TreeRecord& sum, const TreeRecord& more) {
  sum.branch_pages += more.branch_pages;
  sum.leaf_pages += more.leaf_pages;
  sum.overflow_pages += more.overflow_pages;
  sum.entries += more.entries;
}

}  // namespace

PageUse::PageUse(std::uint64_t last) : bits_(last / 64 + 1), last_(last) {
  bits_[0] = (1U << kMetaPages) - 1;
}

bool PageUse::take(std::uint64_t first, std::uint64_t pages) {
  if (first > last_ || pages > last_ - first + 1) return false;
  for (std::uint64_t page = first; page < first + pages; ++page) {
    const std::uint64_t bit = std::uint64_t{1} << (page % 64);
    if ((bits_[page / 64].fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return false;
  }
  taken_ += pages;
  return true;
}

// The first page from that one on whose bit, after `flip`, is not set.
std::uint64_t PageUse::next(std::uint64_t page, std::uint64_t flip) const {
  while (page <= last_) {
    const std::uint64_t left = ~(bits_[page / 64] ^ flip) >> (page % 64);
    if (left != 0) return std::min(page + static_cast<unsigned>(std::countr_zero(left)), end());
    page += 64 - page % 64;
  }
  return end();
}

// Checks parts of the tree, one after another, and counts what is in them.
class TreeWalk::Walker {
 public:
  Walker(const TreeWalk& walk, unsigned depth) : walk_(walk), depth_(depth) {}

  // Both return false for damage.
  bool check(const Part& part);
  // Checks only the root of the part, and appends its children. REQUIRES: it is above the leaves.
  bool open(const Part& part, std::vector<Part>& children);

  const TreeRecord& found() const { return found_; }
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  // Takes the page, which has that level, and checks all of it but its keys.
  bool take(std::uint64_t number, unsigned level);
  bool leaf(const Page& page, const Bounds& bounds);
  bool in_order(const Page& page, std::size_t first, const Bounds& bounds);
  bool before(std::string_view a, std::string_view b) const;
  // The value of a leaf's node, inline or in an overflow run.
  std::optional<std::string_view> value(const Page& page, const Node& node);
  bool read(std::uint64_t first, std::uint64_t pages = 1);
  Page page(std::uint64_t number) const {
    return {walk_.pages_.at(number), walk_.pages_.page_bytes};
  }
  // Stores the damage; returns false.
  template <typename... Args>
  bool fail(std::uint64_t page, fmt::format_string<Args...> format, Args&&... args) {
    refusal_ = damage(page, format, std::forward<Args>(args)...);
    return false;
  }

  const TreeWalk& walk_;
  unsigned depth_;
  TreeRecord found_;
  std::optional<Refusal> refusal_;
};

Status TreeWalk::run(const TreeRecord& record, std::uint64_t meta_page, CheckThreads threads) {
  if ((record.root == kNoPage) != (record.depth == 0)) {
    return damage(meta_page, "a tree of {} levels has {} root", record.depth,
                  record.root == kNoPage ? "no" : "a");
  }
  if (record.depth > kDepthMax) return damage(meta_page, "a tree has {} levels", record.depth);
  TreeRecord found = {.flags = record.flags, .depth = record.depth, .root = record.root};
  if (record.depth > 0) {
    const bool one = threads == CheckThreads::one || record.entries < kEntriesForTwo;
    const Status sound = one ? walk(found) : walk_in_two(found);
    if (!sound) return sound;
  }
  if (found != record) {
    return damage(meta_page,
                  "{} entries on {} branch, {} leaf and {} overflow pages were counted, but there "
                  "are {} on {}, {} and {}",
                  record.entries, record.branch_pages, record.leaf_pages, record.overflow_pages,
                  found.entries, found.branch_pages, found.leaf_pages, found.overflow_pages);
  }
  return Done{};
}

Status TreeWalk::walk(TreeRecord& found) const {
  Walker walker(*this, found.depth);
  if (!walker.check({.root = found.root})) return *walker.refusal();
  add(found, walker.found());
  return Done{};
}

// Opens levels from the root on until there are enough parts. Then both threads take one part after
// another in key order, and walk all parts that come before a damaged one to their end.
Status TreeWalk::walk_in_two(TreeRecord& found) const {
  Walker top(*this, found.depth);
  std::vector<Part> parts = {{.root = found.root}};
  while (parts.size() < kParts && parts.front().level < found.depth) {
    std::vector<Part> children;
    for (const Part& part : parts) {
      if (!top.open(part, children)) return *top.refusal();
    }
    parts = std::move(children);
  }

  struct Worker {
    Walker walker;
    std::size_t damaged = ~std::size_t{0};  // the number of its part with damage
  };
  std::atomic<std::size_t> next = 0;
  const auto work = [&](Worker& worker) {
    for (std::size_t i = next++; i < parts.size(); i = next++) {
      if (worker.walker.check(parts[i])) continue;
      worker.damaged = i;
      next = parts.size();
      return;
    }
  };
  std::array<Worker, 2> workers = {Worker{Walker(*this, found.depth)},
                                   Worker{Walker(*this, found.depth)}};
  WorkThread second([&] { work(workers[1]); });
  work(workers[0]);
  second.wait();
  const Worker& first = workers[0].damaged < workers[1].damaged ? workers[0] : workers[1];
  if (first.walker.refusal()) return *first.walker.refusal();
  for (const Walker* walker : {&top, &workers[0].walker, &workers[1].walker}) {
    add(found, walker->found());
  }
  return Done{};
}

bool TreeWalk::Walker::check(const Part& part) {
  if (part.level == depth_)
    return take(part.root, part.level) && leaf(page(part.root), part.bounds);
  std::vector<Part> children;
  return open(part, children) && std::all_of(children.begin(), children.end(),
                                             [&](const Part& child) { return check(child); });
}

bool TreeWalk::Walker::open(const Part& part, std::vector<Part>& children) {
  if (!take(part.root, part.level)) return false;
  const Page page = this->page(part.root);
  ++found_.branch_pages;
  if (!in_order(page, 1, part.bounds)) return false;
  for (std::size_t i = 0; i < page.nodes(); ++i) {
    const bool last = i + 1 == page.nodes();
    children.push_back({.root = page.node(i).child(),
                        .bounds = {i == 0 ? part.bounds.from : page.node(i).key(),
                                   last ? part.bounds.to : page.node(i + 1).key()},
                        .level = part.level + 1});
  }
  return true;
}

bool TreeWalk::Walker::take(std::uint64_t number, unsigned level) {
  if (number >= walk_.pages_.whole()) return fail(number, "it lies beyond the end of the file");
  if (!walk_.use_.take(number)) {
    return fail(number, "it is used twice, or is not among the used pages");
  }
  if (!read(number)) return false;
  const Page page = this->page(number);
  if (page.number() != number) return fail(number, "it has the number {}", page.number());
  if (const char* const fault = page_fault(page)) return fail(number, "{}", fault);
  if ((page.flags() == kLeaf) != (level == depth_)) return fail(number, "it is not on its level");
  return true;
}

bool TreeWalk::Walker::leaf(const Page& page, const Bounds& bounds) {
  ++found_.leaf_pages;
  found_.entries += page.nodes();
  if (!in_order(page, 0, bounds)) return false;
  for (std::size_t i = 0; i < page.nodes(); ++i) {
    const Node node = page.node(i);
    const auto value = this->value(page, node);
    if (!value) return false;
    if (const Status seen = walk_.visit_(node.key(), *value); !seen) {
      refusal_ =
          Refusal(seen.refusal().code(), "page {}: {}", page.number(), seen.refusal().message());
      return false;
    }
  }
  return true;
}

bool TreeWalk::Walker::in_order(const Page& page, std::size_t first, const Bounds& bounds) {
  if (walk_.order_ == KeyOrder::integers) {
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

bool TreeWalk::Walker::before(std::string_view a, std::string_view b) const {
  if (walk_.order_ == KeyOrder::bytes) return a < b;
  return load<std::uint64_t>(a.data()) < load<std::uint64_t>(b.data());
}

std::optional<std::string_view> TreeWalk::Walker::value(const Page& page, const Node& node) {
  if (!node.overflows()) return node.value();
  const std::uint64_t first = node.run();
  if (first >= walk_.pages_.whole()) {
    fail(first, "a value of page {} lies beyond the end of the file", page.number());
    return std::nullopt;
  }
  if (!read(first)) return std::nullopt;
  const Page run(walk_.pages_.at(first), walk_.pages_.page_bytes);
  // A value replaced by a shorter one in the same transaction may keep its longer run.
  if (run.number() != first || run.flags() != kOverflow ||
      run.run_pages() < run_pages_for(node.value_bytes(), walk_.pages_.page_bytes) ||
      run.run_pages() > walk_.pages_.whole() - first) {
    fail(first, "it does not begin the {} bytes of a value of page {}", node.value_bytes(),
         page.number());
    return std::nullopt;
  }
  if (!walk_.use_.take(first, run.run_pages())) {
    fail(first, "a value of page {} shares it, or is not on a used page", page.number());
    return std::nullopt;
  }
  if (!read(first + 1, run.run_pages() - 1)) return std::nullopt;
  found_.overflow_pages += run.run_pages();
  return std::string_view(walk_.pages_.at(first) + kPageHeaderBytes, node.value_bytes());
}

bool TreeWalk::Walker::read(std::uint64_t first, std::uint64_t pages) {
  if (!walk_.read_) return true;
  const Status done = walk_.read_(first, pages);
  if (!done) refusal_ = done.refusal();
  return static_cast<bool>(done);
}

}  // namespace laurel::lmdb
