#include "store/row_log.h"

namespace laurel {

namespace {

// Bytes between two words to the store about a buffer's growth.
constexpr std::size_t kGrowth = 16 * 1024;

}  // namespace

std::string_view RowLog::whole(std::string_view row) {
  key_.resize(prefix_bytes_);
  key_.append(row);
  return key_;
}

void RowLog::put(std::string_view row, std::string_view value) {
  open_.put(whole(row), value);
  tell_growth();
}

void RowLog::erase(std::string_view row) {
  open_.erase(whole(row));
  tell_growth();
}

// The first write at once: the store must know that there is one.
void RowLog::tell_growth() {
  if (open_.size() == 1) told_ = 0;
  const std::size_t bytes = open_.bytes() + open_.size() * sizeof(Batch::Write);
  if (open_.size() > 1 && bytes - told_ < kGrowth) return;
  const std::size_t more = bytes - told_;
  told_ = bytes;
  grown(more);
}

}  // namespace laurel
