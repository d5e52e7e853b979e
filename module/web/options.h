// options.h - the options of the command laurel-web, as in laurel-web(1).
//
//   threads   none.
#pragma once

#include <string>
#include <variant>

#include "web/gateway.h"

namespace laurel::web {

// What the program does in place of serving.
struct Ends {
  int status = 0;
  std::string out;        // for standard output
  std::string complaint;  // for standard error: one line, without the program's name
};

// Reads the words of a command line. An option that is wrong is named, with what is allowed.
std::variant<GatewayOptions, Ends> options_of(int count, const char* const* words);

}  // namespace laurel::web
