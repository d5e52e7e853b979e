#include "store/check/free_list.h"

#include <algorithm>
#include <functional>

#include "store/check/lmdb_format.h"

namespace laurel {

Status FreeList::add(std::string_view key, std::string_view value) {
  constexpr std::size_t kNumber = sizeof(std::uint64_t);
  const auto by = lmdb::load<std::uint64_t>(key.data());
  if (by == 0 || by > transaction_) {
    return Refusal(Code::bad_data, "transaction {} is said to have freed pages; {} was the last",
                   by, transaction_);
  }
  const std::uint64_t count = value.size() < kNumber ? 0 : lmdb::load<std::uint64_t>(value.data());
  if (value.size() < kNumber || value.size() % kNumber != 0 || count > value.size() / kNumber - 1) {
    return Refusal(Code::bad_data, "a list of {} pages in {} bytes", count, value.size());
  }
  std::uint64_t above = lmdb::kNoPage;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const auto page = lmdb::load<std::uint64_t>(value.data() + i * kNumber);
    if (page >= above || !use_.take(page)) {
      return Refusal(Code::bad_data, "page {} is listed as free, but is in use, or is listed twice",
                     page);
    }
    above = page;
    if (page >= file_pages_) ++behind_end_;
    if (by == transaction_) last_.push_back(page);
  }
  size_ += count;
  return Done{};
}

bool FreeList::freed_last(std::uint64_t page) const {
  return std::binary_search(last_.begin(), last_.end(), page, std::greater<>());
}

}  // namespace laurel
