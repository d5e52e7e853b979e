// ample_time.h - CPU time that no call uses up, for tests of the counted limits.
//
// On a busy machine a thread can be charged tens of milliseconds for a page fault or for time that
// the hypervisor took, and then a call ends by time. hostile_test.cc tests the real limit.
#pragma once

#include <cstdint>

#include "base/limits.h"

namespace laurel::test {

inline constexpr std::int64_t kAmpleNs = 100'000 * kRuleCallNsMax;

}  // namespace laurel::test
