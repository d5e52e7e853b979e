#include "web/routes.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "web/http/limits.h"

namespace laurel::web {

namespace {

using Routed = std::variant<Route, Failure>;

Failure not_found(const Request& request) {
  return {404, fmt::format("unknown: nothing is at '{}'", escaped(request.target, 128))};
}

// A whole number from `least` to `most`, or what is said if it is not.
std::variant<unsigned, Failure> number_of(const Request& request, std::string_view name,
                                          unsigned unless_asked, unsigned least, unsigned most) {
  const std::optional<std::string_view> text = request.parameter(name);
  if (!text) return unless_asked;
  unsigned value = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool whole = failed == std::errc() && end == text->data() + text->size();
  if (whole && value >= least && value <= most) return value;
  return Failure{400, fmt::format("out_of_range: {}={}: it is a whole number from {} to {}", name,
                                  escaped(*text, 64), least, most)};
}

std::variant<unsigned, Failure> top_of(const Request& request) {
  return number_of(request, "top", kTopUnlessAsked, 1, kLiveTopMax);
}

Routed top_route(const Request& request, std::string board) {
  const auto top = top_of(request);
  if (const auto* failure = std::get_if<Failure>(&top)) return *failure;
  return TopRoute{std::move(board), std::get<unsigned>(top)};
}

Routed live_route(const Request& request, std::vector<std::string> boards) {
  const auto top = top_of(request);
  if (const auto* failure = std::get_if<Failure>(&top)) return *failure;
  if (boards.empty()) {
    return Failure{400, "invalid: name a board: /v1/live?board=NAME, which may be repeated"};
  }
  if (boards.size() > kBoardsOfStreamMax) {
    return Failure{400, fmt::format("out_of_range: {} boards; a stream takes {} at most",
                                    boards.size(), kBoardsOfStreamMax)};
  }
  LiveRoute route{{}, std::get<unsigned>(top)};
  for (std::string& board : boards) {
    const bool again =
        std::find(route.boards.begin(), route.boards.end(), board) != route.boards.end();
    if (!again) route.boards.push_back(std::move(board));
  }
  return route;
}

std::vector<std::string> boards_in_query(const Request& request) {
  std::vector<std::string> boards;
  for (const auto& [name, value] : request.query) {
    if (name == "board") boards.push_back(value);
  }
  return boards;
}

Routed me_route(const Request& request) {
  const auto n = number_of(request, "n", kAroundUnlessAsked, 0, kLiveAroundMax);
  if (const auto* failure = std::get_if<Failure>(&n)) return *failure;
  const auto board = request.parameter("board");
  if (!board) return Failure{400, "invalid: name a board: /v1/me?board=NAME"};
  return MeRoute{std::string(*board), std::get<unsigned>(n)};
}

// Below /v1/.
Routed data_route(const Request& request) {
  const std::vector<std::string>& path = request.path;
  if (path.size() == 2 && path[1] == "boards") {
    const auto board = request.parameter("board");
    return board ? top_route(request, std::string(*board)) : Routed(ListRoute{});
  }
  if (path.size() == 3 && path[1] == "boards" && !path[2].empty()) {
    return top_route(request, path[2]);
  }
  if (path.size() == 4 && path[1] == "boards" && !path[2].empty() && path[3] == "live") {
    return live_route(request, {path[2]});
  }
  if (path.size() == 2 && path[1] == "live") return live_route(request, boards_in_query(request));
  if (is_me(request)) return me_route(request);
  return not_found(request);
}

}  // namespace

std::variant<Route, Failure> route_of(const Request& request) {
  const std::vector<std::string>& path = request.path;
  if (path.size() == 1) {
    if (path[0].empty()) return PageRoute{"index.html"};
    if (path[0] == "me") return PageRoute{"me.html", false};
    if (path[0] == "metrics") return MetricsRoute{};
    if (path[0] == "healthz") return HealthRoute{};
  } else if (path[0] == "v1") {
    return data_route(request);
  } else if (path.size() == 2 && path[0] == "overlay" && !path[1].empty()) {
    return PageRoute{"overlay.html"};
  } else if (path.size() == 2 && path[0] == "assets" && !path[1].empty() &&
             !path[1].ends_with(".html")) {
    return PageRoute{path[1]};
  }
  return not_found(request);
}

bool is_public_data(const Request& request) {
  return request.path.size() > 1 && request.path[0] == "v1" && !is_me(request);
}

bool is_me(const Request& request) {
  return request.path.size() == 2 && request.path[0] == "v1" && request.path[1] == "me";
}

}  // namespace laurel::web
