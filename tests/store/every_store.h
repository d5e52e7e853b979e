// every_store.h - runs the contract tests of store.h on each implementation.
#pragma once

#include <functional>

#include "store/store.h"

namespace laurel {

// Runs the test on an empty store of each kind; a failure names the kind.
void every_store(const std::function<void(Store&)>& test);

}  // namespace laurel
