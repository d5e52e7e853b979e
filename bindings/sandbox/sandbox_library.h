// sandbox_library.h - the library functions that a rule can call, and what each of them costs.
//
//   words    `type next pairs ipairs select tonumber tostring error assert unpack rawequal math`,
//            and `split`; the same in each Lua, and no others. Of `math` all that Lua 5.1 has, in
//            5.3 and later with what is about integers, without random and randomseed.
//   units    of a call's budget: one per Lua instruction, about 3 ns. A function whose work grows
//            with its arguments, or that takes longer than a few instructions, charges units for
//            its time. The others are Lua's own and cost only the instructions of the call.
//   limits   unpack returns at most kUnpackMax values; tonumber and split accept texts of at most
//            kDataBytesMax bytes, the limit of an entry's data.
//   unlike   Lua's own: tostring of a table or function is its type without an address, so that a
//            replayed history gives the same results.
//   threads  none.
#pragma once

struct lua_State;

namespace laurel {

// The limit of unpack, which is also the limit of arguments in a call in Lua source.
inline constexpr int kUnpackMax = 250;

// Pushes a new environment with the functions above. `math` is new too, so that chunks cannot see
// each other's changes. May raise. REQUIRES: a state of a RuleState.
void push_sandbox_library(lua_State* L);

}  // namespace laurel
