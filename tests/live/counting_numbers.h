// counting_numbers.h - numbers of streams and epochs that count up, in place of random ones.
#pragma once

#include <cstdint>

#include "live/server/publication.h"

namespace laurel::test {

class CountingNumbers final : public Publication::Numbers {
 public:
  std::uint32_t stream() override { return ++streams_; }
  std::uint64_t epoch() override { return 100 + ++epochs_; }

 private:
  std::uint32_t streams_ = 0;
  std::uint64_t epochs_ = 0;
};

}  // namespace laurel::test
