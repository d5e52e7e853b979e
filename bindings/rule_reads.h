// rule_reads.h - what a function does with a parameter, read off its bytecode: a table of which it
// only reads fields need not be new at each call, and what it never looks at need not be found.
//
//   only reads   the parameter is used in `parameter.name` and in nothing else: it is not kept,
//                passed on, returned, compared, written, walked over or seen by a function inside.
//   doubt        counts as any use: functions that take `...`, hold functions, are long, or are no
//                Lua; and all of them where Lua does not show its bytecode.
//   how          LuaJIT's jit.util shows each instruction, and what its operands are. It is found
//                once for the process, in a state of its own: a state of which jit is opened runs
//                compiled code. There it has to be right about functions that we know, first.
//   cost         some 0.1 us an instruction; the first time in a process 0.3 ms more. What is
//                found out holds for good.
//   threads      free.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

struct lua_State;

namespace laurel {

// Of a function that is looked at: a longer one may do anything.
inline constexpr int kReadInstructionsMax = 2000;

struct ParameterUse {
  bool reads = true;         // some field of it
  bool does_more = true;     // anything else, or nobody knows
  std::uint32_t fields = 0;  // of the names that were asked for, bit by bit, those that it reads
                             // where it does no more

  bool only_reads() const { return !does_more; }
  bool none() const { return !reads && !does_more; }
};

// Of the function's parameter, counted from 0; one that it does not declare it cannot use. May
// raise, as where memory runs out. REQUIRES: a function at `index`, counted from the bottom; at
// most 32 names.
ParameterUse use_of_parameter(lua_State* L, int index, int parameter,
                              std::span<const std::string_view> names);

}  // namespace laurel
