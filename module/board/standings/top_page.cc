#include "board/standings/top_page.h"

#include <utility>

namespace laurel {

std::size_t TopPage::begin(std::size_t n) {
  if (changes_) changes_->marks = 0;
  if (std::exchange(stands_, false)) {
    n = std::min(std::max(n, 2 * entries_.size()), kTopPageMax);
    entries_.clear_list();
  } else {
    entries_.clear();
    ++fill_;
  }
  return n;
}

// Data is copied, because an engine may move it without a change of its row. Ids do not move.
void TopPage::stand(bool is_whole, ScoreKey last) {
  for (Entry& entry : entries_) {
    if (entry.data) entry.data = entries_.arena().keep(*entry.data);
  }
  stands_ = true;
  is_whole_ = is_whole;
  last_ = last;
}

std::size_t TopPage::bytes() const {
  const std::size_t changes =
      changes_ ? sizeof *changes_ + changes_->known.capacity() * sizeof(std::optional<double>) : 0;
  return sizeof *this + entries_.capacity() * sizeof(Entry) + entries_.arena().bytes() + changes;
}

}  // namespace laurel
