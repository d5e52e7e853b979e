#define DOCTEST_CONFIG_IMPLEMENT  // the precompiled header has the other half
#include <doctest/doctest.h>

#include "base/memory_guarantee.h"

int main(int argc, char** argv) {
  // All registries of the test share this. With a sanitizer, to allocate it takes 5 ms, and some
  // tests open a thousand registries, one after the other.
  const laurel::MemoryReserve reserve;
  return doctest::Context(argc, argv).run();
}
