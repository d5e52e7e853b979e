#include "web/program.h"

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "web/gateway.h"
#include "web/options.h"

namespace laurel::web {

namespace {

// One line, whatever is in it.
void complain(std::string_view what) {
  std::string line(what);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  fmt::print(stderr, "laurel-web: {}\n", line);
}

int serve(int count, const char* const* words) {
  auto read = options_of(count, words);
  if (const auto* ends = std::get_if<Ends>(&read)) {
    std::fputs(ends->out.c_str(), stdout);
    if (!ends->complaint.empty()) complain(ends->complaint);
    return ends->status;
  }
  const Log log([](Level level, std::string_view line) {
    complain(fmt::format("{}: {}", word(level), line));
  });
  const auto gateway = Gateway::open(std::move(std::get<GatewayOptions>(read)), log);
  if (!gateway) {
    complain(gateway.refusal().message());
    return gateway.refusal().code() == Code::invalid ? 2 : 1;
  }
  fmt::print("laurel-web listens on http://{}\n", to_text((*gateway)->place()));
  std::fflush(stdout);
  if (const auto place = (*gateway)->metrics_place()) {
    log.info("metrics are at http://{}/metrics", to_text(*place));
  }
  (*gateway)->run();
  return 0;
}

}  // namespace

int run_program(int count, const char* const* words) {
  try {
    return serve(count, words);
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

}  // namespace laurel::web
