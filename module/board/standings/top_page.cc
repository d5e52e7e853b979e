#include "board/standings/top_page.h"

#include <atomic>
#include <utility>

namespace laurel {

std::size_t TopPage::begin(std::size_t n) {
  if (changes_) changes_->marks = 0;
  if (std::exchange(reach_, 0) > 0) {
    n = std::min(std::max(n, 2 * entries_.size()), kTopPageMax);
    entries_.clear_list();
  } else {
    entries_.clear();
    static std::atomic<std::uint64_t> fills = 0;
    fill_ = (fills.fetch_add(1, std::memory_order_relaxed) + 1) << Entries::kSourceShift;
  }
  return n;
}

// Data is copied, because an engine may move it without a change of its row. Ids do not move.
void TopPage::stand(bool is_whole, ScoreKey last) {
  for (Entry& entry : entries_) {
    if (entry.data) entry.data = entries_.arena().keep(*entry.data);
  }
  reach_ = is_whole ? kWhole : entries_.size();
  last_ = last;
}

std::size_t TopPage::bytes() const {
  const std::size_t changes =
      changes_ ? sizeof *changes_ + changes_->known.capacity() * sizeof(std::optional<double>) : 0;
  return sizeof *this + entries_.capacity() * sizeof(Entry) + entries_.arena().bytes() + changes;
}

}  // namespace laurel
