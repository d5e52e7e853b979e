#include "web/site.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <boost/algorithm/string/predicate.hpp>
#include <fmt/core.h>

#include "base/text.h"
#include "web/http/limits.h"
#include "web/http/pages.h"

namespace laurel::web {

struct Site::Asked {
  Request request;
  boost::asio::ip::address client;
  Connection::Port port;
  OnReply on_reply;
};

namespace {

bool accepts_events(const Request& request) {
  return boost::algorithm::icontains(request.accept, "text/event-stream");
}

// "https://host" is the gateway's own page if the request is to that host.
bool is_own_page(const Request& request) {
  const std::size_t scheme = request.origin->find("://");
  if (scheme == std::string::npos) return false;
  return boost::algorithm::iequals(std::string_view(*request.origin).substr(scheme + 3),
                                   request.host);
}

std::string entity_tag(const StateId& id) { return fmt::format("\"{}\"", to_text(id)); }

// The states that the viewer of a stream has, of each of its topics.
std::vector<StateId> held_states(std::string_view ids, std::size_t topics) {
  std::vector<StateId> held;
  while (true) {
    const std::size_t comma = ids.find(',');
    held.push_back(state_id_of(ids.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    if (held.size() == topics) return {};  // of another stream
    ids.remove_prefix(comma + 1);
  }
  if (held.size() != topics) held.clear();
  return held;
}

constexpr std::string_view kReadByAll =
    "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: ETag\r\n";

// Who may read what /v1/me says. REQUIRES: the origin is allowed.
std::string read_by_origin(const Request& request) {
  std::string fields = "Vary: Origin\r\n";
  if (request.origin) fields += field_line("Access-Control-Allow-Origin", *request.origin);
  return fields;
}

}  // namespace

Site::Site(Options options, Feed& feed, Places& places, Metrics& metrics, Log log)
    : options_(std::move(options)),
      feed_(feed),
      places_(places),
      metrics_(metrics),
      log_(std::move(log)),
      me_(feed) {}

bool Site::is_allowed_origin(const Request& request) const {
  if (!request.origin) return true;
  if (options_.origins.empty()) return is_own_page(request);
  return std::any_of(options_.origins.begin(), options_.origins.end(),
                     [&](const std::string& allowed) {
                       return boost::algorithm::iequals(allowed, *request.origin);
                     });
}

// What is refused before anything is looked up.
std::optional<Failure> Site::refused(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    return Failure{405, fmt::format("unsupported: {} is not allowed", escaped(request.method, 32))};
  }
  if (request.has_body) return Failure{413, "out_of_range: a request has no body here"};
  return std::nullopt;
}

void Site::handle(const Request& request, const boost::asio::ip::address& peer,
                  Connection::Port port, OnReply on_reply) {
  const auto forwarded =
      options_.behind_proxy ? forwarded_for(request.forwarded_for) : std::nullopt;
  const Asked asked{request, forwarded.value_or(peer), port, std::move(on_reply)};
  if (request.method == "OPTIONS" && is_me(request) && request.origin &&
      is_allowed_origin(request)) {
    Answer allowed;
    allowed.status = 204;
    allowed.fields = field_line("Access-Control-Allow-Headers", "Authorization");
    allowed.closes = request.has_body;
    return answer(asked, std::move(allowed));
  }
  if (const auto failure = refused(request)) return answer(asked, *failure);
  const auto route = route_of(request);
  if (const auto* failure = std::get_if<Failure>(&route)) return answer(asked, *failure);
  const bool is_metrics = std::holds_alternative<MetricsRoute>(std::get<Route>(route));
  const bool is_health = std::holds_alternative<HealthRoute>(std::get<Route>(route));
  const bool is_here = port == Connection::Port::metrics
                           ? is_metrics || is_health
                           : !is_metrics || !options_.has_metrics_port;
  if (!is_here) {
    return answer(asked, Failure{404, fmt::format("unknown: nothing is at '{}'",
                                                  escaped(request.target, 128))});
  }
  std::visit([&](const auto& each) { serve(asked, each); }, std::get<Route>(route));
}

void Site::answer(const Asked& asked, Answer answer) {
  const Request& request = asked.request;
  if (is_public_data(request)) answer.fields += kReadByAll;
  if (is_me(request)) {
    answer.may_be_stored = false;
    answer.fields += is_allowed_origin(request) ? read_by_origin(request) : "Vary: Origin\r\n";
  }
  shorten_if_known(answer, request.if_none_match);
  asked.on_reply(std::move(answer));
}

void Site::answer(const Asked& asked, const Failure& failure) {
  Answer made = answer_of(failure);
  const Request& request = asked.request;
  made.may_be_stored = is_public_data(request);
  made.closes = request.has_body;
  if (failure.status == 405) {
    made.fields = field_line("Allow", is_me(request) ? "GET, HEAD, OPTIONS" : "GET, HEAD");
  }
  answer(asked, std::move(made));
}

void Site::serve(const Asked& asked, const PageRoute& route) {
  const Page* const file = page(route.file);
  if (file == nullptr) {
    return answer(asked, Failure{404, fmt::format("unknown: nothing is at '{}'",
                                                  escaped(asked.request.target, 128))});
  }
  Answer made;
  made.type = file->type;
  made.body = file->bytes;
  made.etag = file->etag;
  made.may_be_stored = true;
  made.may_be_framed = route.may_be_framed;
  answer(asked, std::move(made));
}

void Site::serve(const Asked& asked, const ListRoute&) {
  const Feed::List* const list = feed_.list();
  if (list == nullptr) {
    return answer(asked, Failure{503, "unavailable: the boards are not known yet"});
  }
  Answer made;
  made.body = list->json;
  made.etag = list->etag;
  made.may_be_stored = true;
  answer(asked, std::move(made));
}

void Site::serve(const Asked& asked, const TopRoute& route) {
  if (const auto failure = not_served(feed_, route.board)) return answer(asked, *failure);
  const State& state = *feed_.board(route.board).state();
  Answer made;
  made.body = joined(state.json(route.top));
  made.etag = entity_tag(state.id());
  made.may_be_stored = true;
  answer(asked, std::move(made));
}

std::optional<Failure> Site::take_place(const Asked& asked, Places::Place& place) {
  switch (places_.take(Places::Kind::stream, client_address(asked.client), place)) {
    case Places::Refused::no: return std::nullopt;
    case Places::Refused::full:
      metrics_.count(Refused::viewers);
      return Failure{429, "full: there may be no more viewers"};
    case Places::Refused::address_full: break;
  }
  metrics_.count(Refused::address);
  if (asked.client.is_loopback() && !options_.behind_proxy && !std::exchange(hinted_, true)) {
    log_.warn(
        "{} has {} streams, the most of an address; if that is a proxy, --behind-proxy counts "
        "its clients instead",
        asked.client.to_string(), options_.viewers_per_address);
  }
  return Failure{429,
                 fmt::format("full: an address may have {} streams", options_.viewers_per_address)};
}

void Site::serve(const Asked& asked, const LiveRoute& route) {
  const Request& request = asked.request;
  Stream::Plan plan;
  plan.n = route.top;
  std::string_view held = request.last_event_id ? *request.last_event_id : std::string_view();
  if (request.wants_websocket) {
    if (!is_allowed_origin(request)) {
      return answer(asked, Failure{403, fmt::format("rejected: pages of {} may not open WebSockets "
                                                    "here: see --origin",
                                                    escaped(*request.origin, 128))});
    }
    const auto accept = websocket_accept(request.websocket_key);
    if (!accept || request.websocket_version != "13") {
      Answer refusal = answer_of({400, "invalid: it takes version 13 of WebSocket, with a key"});
      refusal.fields += field_line("Sec-WebSocket-Version", "13");
      return answer(asked, std::move(refusal));
    }
    plan.form = Stream::Form::frames;
    plan.head = websocket_head(*accept);
    held = request.parameter("last").value_or(held);
  } else {
    plan.head = stream_head(kReadByAll);
  }
  if (request.method == "HEAD") return asked.on_reply(std::move(plan));
  if (const auto failure = take_place(asked, plan.place)) return answer(asked, *failure);
  for (const std::string& board : route.boards) plan.topics.push_back(&feed_.board(board));
  plan.held = held_states(held, plan.topics.size());
  asked.on_reply(std::move(plan));
}

void Site::serve(const Asked& asked, const MeRoute& route) {
  const Request& request = asked.request;
  if (!is_allowed_origin(request)) {
    return answer(asked, Failure{403, fmt::format("rejected: pages of {} may not ask: see --origin",
                                                  escaped(*request.origin, 128))});
  }
  const std::string_view given =
      request.authorization ? *request.authorization : std::string_view();
  const auto token = bearer_token(given);
  if (!token) {
    return answer(asked, Failure{401, "invalid: it takes a header Authorization: Bearer TOKEN"});
  }
  const bool is_stream = accepts_events(request);
  const auto later = std::make_shared<const Asked>(asked);
  me_.find(*token, route.board, is_stream,
           [this, later, n = route.n, is_stream](std::variant<Me::Found, Failure> result) {
             if (const auto* failure = std::get_if<Failure>(&result)) {
               return answer(*later, *failure);
             }
             auto& found = std::get<Me::Found>(result);
             if (is_stream) return open_stream(*later, std::move(found), n);
             Answer made;
             made.body = joined(found.topic->state()->json(n));
             answer(*later, std::move(made));
           });
}

void Site::open_stream(const Asked& asked, Me::Found found, unsigned n) {
  const Request& request = asked.request;
  Stream::Plan plan;
  plan.head = stream_head(read_by_origin(request));
  if (request.method == "HEAD") return asked.on_reply(std::move(plan));
  if (const auto failure = take_place(asked, plan.place)) return answer(asked, *failure);
  plan.n = n;
  plan.topics = {found.topic};
  plan.held = held_states(request.last_event_id.value_or(""), 1);
  plan.grant = std::move(found.grant);
  asked.on_reply(std::move(plan));
}

void Site::serve(const Asked& asked, const MetricsRoute&) {
  const Channel& channel = feed_.channel();
  Answer made;
  made.type = "text/plain; version=0.0.4; charset=utf-8";
  made.body = metrics_.text(places_.streams(), channel.is_up(),
                            seconds_from_time(channel.round_trip().value_or(0)));
  answer(asked, std::move(made));
}

void Site::serve(const Asked& asked, const HealthRoute&) {
  const Channel& channel = feed_.channel();
  Answer made;
  made.type = kPlainText;
  made.status = channel.is_up() ? 200 : 503;
  made.body = channel.is_up() ? "ok" : channel.obstacle();
  answer(asked, std::move(made));
}

}  // namespace laurel::web
