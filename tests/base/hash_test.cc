#include "base/hash.h"

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("two secrets hash the same id differently, one always alike") {
  const HashSecret a = HashSecret::random();
  const HashSecret b = HashSecret::random();
  CHECK(a("p_alice") == a("p_alice"));
  CHECK(a("p_alice") != b("p_alice"));
  CHECK(HashSecret::fixed(1)("p_alice") == HashSecret::fixed(1)("p_alice"));
  CHECK(HashSecret::fixed(1)("p_alice") != HashSecret::fixed(2)("p_alice"));
}

TEST_CASE("the stable hash is the same for ever") {
  CHECK(stable_hash("p_alice") == 3320868373626841403U);
}

}  // namespace laurel
