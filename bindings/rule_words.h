// rule_words.h - the words that a rule's code sees, and what each of them costs.
//
//   words    `type next pairs ipairs select tonumber tostring error assert unpack rawequal math`,
//            without math.random and math.randomseed, and `split`.
//   units    of a call's budget, one for each instruction of Lua. A word whose work grows with what
//            it is given, or that takes longer than some instructions do, takes as many as it is
//            worth: about 3 ns each. The others are Lua's own and cost what calling them costs.
//   limits   unpack answers kUnpackMax values at most; tonumber and split look at texts of up to
//            kDataBytesMax bytes, as long as an entry's data can be.
//   unlike   Lua's own: tostring of a table or function is its type without an address, so that a
//            history that is played again gives the same.
//   threads  none.
#pragma once

struct lua_State;

namespace laurel {

// As many as a call has arguments at most in Lua's own code; more are an array.
inline constexpr int kUnpackMax = 250;

// Pushes a new environment with the words above. Of its own, `math` included: what one chunk writes
// there no other sees. May raise. REQUIRES: a state of a RuleState.
void push_rule_words(lua_State* L);

}  // namespace laurel
