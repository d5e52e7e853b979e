// program.h - the command laurel-web, from its words to its exit status.
//
//   status  0: ended by SIGTERM or SIGINT. 1: it cannot listen, or has no memory. 2: an option is
//           wrong.
//   output  one line on standard output when it listens; one line on standard error for each other
//           thing to say.
#pragma once

namespace laurel::web {

// Serves until a signal ends it. Throws nothing. Returns the status.
int run_program(int count, const char* const* words);

}  // namespace laurel::web
