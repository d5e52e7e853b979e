// routes.h - what a request asks for, by its method, path and query.
//
//   threads   none; all functions are pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "web/http/request.h"

namespace laurel::web {

struct PageRoute {  // a file of pages.h
  std::string file;
  bool may_be_framed = true;
};
struct ListRoute {};  // /v1/boards
struct TopRoute {     // /v1/boards/NAME
  std::string board;
  unsigned top = 0;
};
struct LiveRoute {                  // /v1/boards/NAME/live and /v1/live
  std::vector<std::string> boards;  // each once, 1 to kBoardsOfStreamMax
  unsigned top = 0;
};
struct MeRoute {  // /v1/me
  std::string board;
  unsigned n = 0;
};
struct MetricsRoute {};
struct HealthRoute {};

using Route =
    std::variant<PageRoute, ListRoute, TopRoute, LiveRoute, MeRoute, MetricsRoute, HealthRoute>;

// Fails with 400 or 404.
std::variant<Route, Failure> route_of(const Request& request);

// Whether the path is below /v1/ and any page may read it.
bool is_public_data(const Request& request);
bool is_me(const Request& request);

}  // namespace laurel::web
