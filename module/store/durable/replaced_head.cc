#include "store/durable/replaced_head.h"

#include <unistd.h>

namespace laurel {

ReplacedHead::ReplacedHead(int descriptor, std::uint64_t page_bytes, std::uint64_t transaction)
    : descriptor_(descriptor),
      at_(static_cast<std::int64_t>(transaction % lmdb::kMetaPages * page_bytes)),
      known_(read(bytes_)) {}

bool ReplacedHead::read(Bytes& bytes) const {
  return ::pread(descriptor_, bytes.data(), bytes.size(), at_) ==
         static_cast<ssize_t>(bytes.size());
}

void ReplacedHead::put_back() const {
  Bytes now;
  if (!known_ || (read(now) && now == bytes_)) return;
  (void)!::pwrite(descriptor_, bytes_.data(), bytes_.size(), at_);
}

}  // namespace laurel
