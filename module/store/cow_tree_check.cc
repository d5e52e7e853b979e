#include "base/invariant.h"
#include "store/cow_tree.h"

namespace laurel {

void CowTree::check() const {
  must(root_->level() == 0 || root_->count() > 1, "a root has a single child");
  must(check_page(*root_, {}, std::nullopt) == size_, "entries are miscounted");
}

std::size_t CowTree::check_page(const TreePage& page, std::string_view low,
                                std::optional<std::string_view> high) const {
  must(page.count() > 0 || &page == root_, "a page is empty");
  std::size_t used = 0;
  for (std::size_t slot = 0; slot < page.count(); ++slot) {
    const std::string_view key = page.key(slot);
    must(slot == 0 || page.key(slot - 1) < key, "keys are out of order");
    must(!high || key < *high, "a key is not less than the next separator");
    used += TreePage::cell_bytes(key, page.payload(slot));
  }
  must(used == page.used(), "a page's bytes are miscounted");
  if (page.level() == 0) {
    must(page.count() == 0 || page.key(0) >= low, "a key is less than its separator");
    return page.count();
  }

  must(page.key(0).empty(), "a first child has a separator");
  std::size_t entries = 0;
  for (std::size_t slot = 0; slot < page.count(); ++slot) {
    const TreePage& child = *page.child(slot);
    must(child.level() + 1 == page.level(), "a page does not know its level");
    entries += check_page(child, slot == 0 ? low : page.key(slot),
                          slot + 1 < page.count() ? page.key(slot + 1) : high);
  }
  return entries;
}

}  // namespace laurel
