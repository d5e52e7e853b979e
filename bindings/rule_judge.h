// rule_judge.h - the function that stands between us and a rule's functions: it makes the
// submission that they see, and asks them.
//
//   shown    of a case only what a version's functions can look at (rule_reads.h): the rest is not
//            handed over, and what nobody is shown of what is held nobody has to look up.
//   shared   where they only read fields of the submission, one table is all submissions of the
//            version: every field that they read is set anew at each call. Otherwise it is a new
//            table each time, whole, since a rule may keep what it is given. `held` is always new.
//   promise  a rule cannot tell which of the two it has, but for a budget that lasts longer.
//   cost     of a shared one some 10 ns, of a new one 60, of `held` 50 more.
//   threads  none.
#pragma once

struct lua_State;

namespace laurel {

// What the judge is called with, in this order: the new score, always; what follows of the
// submission; and where something is held, its score, its moment and its data.
struct Shown {
  bool player = true;
  bool score = true;  // in the submission
  bool data = true;
  bool at = true;
  bool board = true;
  bool old = true;      // the held score; always where `held` is
  bool held = true;     // all that is held
  bool shared = false;  // one table is all submissions
};

// What to show to these functions; either may be nil. May raise, as where memory runs out.
// REQUIRES: stack indices from the bottom.
Shown shown_to(lua_State* L, int accept, int score);

// Pushes the judge. Called, it answers with nothing where there is no `score`; with true and what
// `score` returned; or with false and what `accept` returned second. Likewise.
// REQUIRES: not both are nil.
void push_judge(lua_State* L, const Shown& shown, int accept, int score);

}  // namespace laurel
