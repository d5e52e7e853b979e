#include "base/hash.h"

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("a keyed hash depends on the bytes and on the secret only") {
  const HashSecret a = HashSecret::random();
  const HashSecret b = HashSecret::random();
  CHECK(a("p_alice") == a("p_alice"));
  CHECK(a("p_alice") != b("p_alice"));
  CHECK(HashSecret::fixed(1)("p_alice") == HashSecret::fixed(1)("p_alice"));
  CHECK(HashSecret::fixed(1)("p_alice") != HashSecret::fixed(2)("p_alice"));
}

TEST_CASE("the stable hash has not changed") {
  CHECK(stable_hash("p_alice") == 3320868373626841403U);
}

}  // namespace laurel
