#include "board/spec/shared_specs.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "board/spec/spec_change.h"

namespace laurel {

namespace {

using GivenFields = std::vector<std::pair<const char*, FieldValue>>;

Spec made(const GivenFields& fields) {
  SpecChange change;
  for (const auto& [field, value] : fields) {
    CAPTURE(field);
    REQUIRE(change.set(field, value));
  }
  Result<Spec> spec = change.create();
  REQUIRE(spec);
  return *spec;
}

}  // namespace

TEST_CASE("equal specs are one object as long as one of them is held") {
  SharedSpecs specs(HashSecret::fixed(1));
  const SharedSpec one = specs.get(made({{"keep", "sum"}, {"meta", "a map"}}));
  CHECK(one->keep == Keep::sum);
  {
    const SharedSpec other = specs.get(made({{"meta", "a map"}, {"keep", "sum"}}));
    CHECK(other == one);
    const SharedSpec third = specs.get(made({{"keep", "sum"}}));
    CHECK(third != one);
    CHECK(specs.size() == 2);
  }
  CHECK(specs.size() == 1);
  CHECK(specs.bytes() > sizeof(Spec));
}

TEST_CASE("specs that differ in one field are two objects") {
  const std::vector<GivenFields> all = {
      {},
      {{"order", "asc"}},
      {{"ties", "latest"}},
      {{"decimals", 2.0}},
      {{"decimals", 3.0}},
      {{"keep", "latest"}},
      {{"ranking", "dense"}},
      {{"reset", "0 0 * * *"}},
      {{"reset", "0 0 * * 1"}},
      {{"reset", "0 0 * * *"}, {"zone", "Europe/Berlin"}},
      {{"reset", "0 0 * * *"}, {"duration", 60.0}},
      {{"archive", 2.0}},
      {{"opens", 1e9}},
      {{"closes", 2e9}},
      {{"join", "required"}},
      {{"attempts", 3.0}},
      {{"capacity", 3.0}},
      {{"rule", "season"}},
      {{"rule", "season"}, {"rule_failure", "keep"}},
      {{"meta", ""}},
      {{"meta", "a"}},
      {{"history", 3.0}},
      {{"journal", 3.0}},
      {{"segments", "country"}},
      {{"segments", "clan"}},
      {{"marks", "0 0 * * *"}},
      {{"marks", "0 0 * * 1"}},
      {{"columns", "kills desc, deaths asc"}},
      {{"engine", "capped"}},
      {{"engine", "capped"}, {"cap", 20.0}},
      {{"engine", "padded"}},
      {{"engine", "padded"}, {"digits", 12.0}},
      {{"engine", "paged"}},
      {{"engine", "rolling"}, {"days", 7.0}},
      {{"engine", "rolling"}, {"days", 8.0}},
      {{"engine", "sharded"}, {"shards", 4.0}},
      {{"engine", "sharded"}, {"shards", 5.0}},
      {{"engine", "sharded"}, {"shards", 4.0}, {"of", "padded"}},
      {{"engine", "combined"}, {"sources", "a,b"}},
      {{"engine", "combined"}, {"sources", "a,c"}},
      {{"engine", "combined"}, {"sources", "a,b"}, {"weights", "1,2"}},
      {{"engine", "combined"}, {"sources", "a,b"}, {"take", "ratio"}},
      {{"engine", "combined"}, {"sources", "a,b"}, {"take", "ratio"}, {"least", 10.0}},
      {{"engine", "groups"}, {"source", "a"}, {"group", "clan"}},
      {{"engine", "groups"}, {"source", "b"}, {"group", "clan"}},
      {{"engine", "groups"}, {"source", "a"}, {"group", "country"}},
      {{"engine", "groups"}, {"source", "a"}, {"group", "clan"}, {"best", 5.0}}};
  SharedSpecs specs(HashSecret::fixed(1));
  std::vector<SharedSpec> shared;
  for (const GivenFields& fields : all) {
    CAPTURE(shared.size());
    shared.push_back(specs.get(made(fields)));
    CHECK(specs.size() == shared.size());
  }
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(specs.get(made(all[i])) == shared[i]);
}

}  // namespace laurel
