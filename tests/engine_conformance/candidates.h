// candidates.h - boards of every engine for the same history; all must match the oracle.
#pragma once

#include <string>
#include <vector>

#include "board/fixture.h"
#include "board/oracle.h"

namespace laurel {

// The fields that all boards of one history share.
struct HistorySpec {
  std::string_view order = "desc";
  std::string_view keep = "best";
  std::string_view ties = "earliest";
  std::string_view ranking = "competition";
  std::optional<double> decimals;

  Fields fields(const Fields& of_engine) const {
    Fields all = {{"order", order}, {"keep", keep}, {"ties", ties}, {"ranking", ranking}};
    if (decimals) all.push_back({"decimals", *decimals});
    all.insert(all.end(), of_engine.begin(), of_engine.end());
    return all;
  }
};

struct Candidate {
  std::string name;
  Fields of_engine;
  bool needs_decimals = false;  // padded keys hold exact decimals only
  bool keeps_sums = true;
};

// A capped board that is large enough for all players must answer like the others.
inline std::vector<Candidate> candidates(double players) {
  return {
      {"ranked", {}},
      {"padded", {{"engine", "padded"}}, true},
      {"paged", {{"engine", "paged"}}},
      {"sharded", {{"engine", "sharded"}, {"shards", 5.0}}},
      {"one shard", {{"engine", "sharded"}, {"shards", 1.0}}},
      {"sharded of padded", {{"engine", "sharded"}, {"shards", 3.0}, {"of", "padded"}}, true},
      {"sharded of paged", {{"engine", "sharded"}, {"shards", 3.0}, {"of", "paged"}}},
      {"capped", {{"engine", "capped"}, {"cap", players}}, false, false},
  };
}

}  // namespace laurel
