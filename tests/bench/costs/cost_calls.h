// cost_calls.h - the operations of a board whose costs are compared, one call each.
#pragma once

#include <span>
#include <string_view>

#include "bench/costs/cost_board.h"

namespace laurel {

struct CostCall {
  const char* name;
  void (*run)(CostBoard&);
  bool (*can)(const Spec&);
};

std::span<const CostCall> cost_calls();

// How the cost grows with the number of players n, or the rank r, as engines.md promises it.
std::string_view growth_order(const Spec& spec, std::string_view call);

// Each step of a loop over the whole board, on average.
double each_step_ns(CostBoard& costs);

}  // namespace laurel
