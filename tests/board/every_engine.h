// every_engine.h - the fields of a board of each engine, and of shards of each kind.
#pragma once

#include <string_view>
#include <vector>

#include "board/fixture.h"

namespace laurel {

struct EngineFields {
  std::string_view name;
  Fields fields;
};

// The capped board shows up to a hundred players.
inline std::vector<EngineFields> every_engine() {
  return {{"ranked", {}},
          {"capped", {{"engine", "capped"}, {"cap", 100.0}}},
          {"padded", {{"engine", "padded"}}},
          {"paged", {{"engine", "paged"}}},
          {"sharded", {{"engine", "sharded"}, {"shards", 3.0}}},
          {"sharded of padded", {{"engine", "sharded"}, {"shards", 3.0}, {"of", "padded"}}},
          {"sharded of paged", {{"engine", "sharded"}, {"shards", 3.0}, {"of", "paged"}}},
          {"rolling", {{"engine", "rolling"}, {"days", 7.0}}}};
}

}  // namespace laurel
