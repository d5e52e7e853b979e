// every_store.h - the contract of store.h is tested once, on every implementation of it.
#pragma once

#include <functional>

#include "store/store.h"

namespace laurel {

// Runs the test on an empty store of each kind. A failure names the kind.
void every_store(const std::function<void(Store&)>& test);

}  // namespace laurel
