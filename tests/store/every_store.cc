#include "every_store.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "store/memory_store.h"

namespace laurel {

namespace {

struct StoreKind {
  std::string name;
  std::unique_ptr<Store> (*make)();
};

const StoreKind kKinds[] = {
    {"memory", make_memory_store},
};

}  // namespace

void every_store(const std::function<void(Store&)>& test) {
  for (const StoreKind& kind : kKinds) {
    CAPTURE(kind.name);
    test(*kind.make());
  }
}

}  // namespace laurel
