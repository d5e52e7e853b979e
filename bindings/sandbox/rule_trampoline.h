// rule_trampoline.h - a generated Lua function, the judge, that builds the submission table and
// calls the functions of a rule.
//
//   shown    only what the rule's functions can read (parameter_use.h) is passed. If the rule never
//            reads `held`, the engine is not queried for it.
//   shared   if the functions only read fields of the submission, all calls reuse one table, and
//            every field that they read is set at each call. If not, each call makes a new,
//            complete table, since a rule may keep it. `held` is always a new table.
//   promise  a rule cannot tell the two apart, except that its budget lasts longer.
//   cost     about 10 ns for a shared table, 60 ns for a new one, and 50 ns more for `held`.
//   threads  none.
#pragma once

struct lua_State;

namespace laurel {

// The arguments of the judge, in this order: the new score, always; the fields of the submission
// below; and if the player holds an entry, its score, time and data.
struct Shown {
  bool player = true;
  bool score = true;  // in the submission
  bool data = true;
  bool at = true;
  bool board = true;
  bool old = true;      // the held score; always true if `held` is
  bool held = true;     // the whole held entry
  bool shared = false;  // all calls reuse one table
};

// Finds what these functions read; either may be nil. May raise, as when memory runs out.
// REQUIRES: stack indices from the bottom.
Shown shown_to(lua_State* L, int accept, int score);

// Pushes the judge. It returns false and the second result of `accept` if `accept` refused; true
// and the results of `score`; or nothing if there is no `score`. May raise.
// REQUIRES: stack indices from the bottom; not both are nil.
void push_judge(lua_State* L, const Shown& shown, int accept, int score);

}  // namespace laurel
