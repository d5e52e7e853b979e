// parameter_use.h - bytecode analysis of how a function uses a parameter. If it only reads fields
// of a table, the table can be reused; if it never reads a value, the value need not be looked up.
//
//   only reads   the parameter is used in `parameter.name` only: it is not kept, passed, returned,
//                compared, written, iterated or captured by a nested function.
//   doubt        counts as any use: functions that take `...`, contain functions, are long, or are
//                C functions; and all functions if Lua does not show its bytecode.
//   how          LuaJIT's jit.util decodes each instruction and its operands. It is loaded once per
//                process in a separate state, since a state that opens jit runs compiled code. The
//                analysis is tested there on known functions; if one result is wrong, it is not
//                used.
//   cost         about 0.1 us per instruction, and 0.3 ms once per process.
//   threads      any.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

struct lua_State;

namespace laurel {

// The longest function that is analysed: a longer one counts as any use.
inline constexpr int kReadInstructionsMax = 2000;

struct ParameterUse {
  bool reads = true;         // reads a field of the parameter
  bool does_more = true;     // uses it in another way, or this is unknown
  std::uint32_t fields = 0;  // bit i: it reads names[i]; valid unless does_more

  bool only_reads() const { return !does_more; }
  bool none() const { return !reads && !does_more; }
};

// Analyses a parameter, counted from 0, of the function at `index`. A parameter that the function
// does not declare is not used. May raise, as when memory runs out. REQUIRES: `index` is counted
// from the bottom; at most 32 names.
ParameterUse use_of_parameter(lua_State* L, int index, int parameter,
                              std::span<const std::string_view> names);

}  // namespace laurel
