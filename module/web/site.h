// site.h - answers requests: pages, boards as JSON, streams, metrics.
//
//   methods    GET and HEAD; OPTIONS of /v1/me from an allowed origin.
//   origins    pages of any origin may read boards. /v1/me and WebSockets are for pages of the
//              allowed origins, and for clients that send no Origin.
//   errors     {"error": "word: sentence"} with a status.
//   viewers    a stream needs a place of its client's address. Behind a proxy the address is the
//              one that the proxy names.
//   threads    one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/log.h"
#include "web/connection.h"
#include "web/feed/feed.h"
#include "web/me.h"
#include "web/places.h"
#include "web/routes.h"

namespace laurel::web {

class Site {
 public:
  struct Options {
    std::vector<std::string> origins;  // allowed; empty: the gateway's own pages
    bool behind_proxy = false;
    bool has_metrics_port = false;  // then /metrics is only there
    std::size_t viewers_per_address = 0;
  };
  Site(Options options, Feed& feed, Places& places, Metrics& metrics, Log log);

  // Calls back once, now or in a later tick().
  void handle(const Request& request, const boost::asio::ip::address& peer, Connection::Port port,
              OnReply on_reply);
  void tick(Time now) { me_.tick(now); }

 private:
  struct Asked;  // a request, and the client that asks

  std::optional<Failure> refused(const Request& request) const;
  bool is_allowed_origin(const Request& request) const;
  std::optional<Failure> take_place(const Asked& asked, Places::Place& place);
  void open_stream(const Asked& asked, Me::Found found, unsigned n);
  void answer(const Asked& asked, Answer answer);
  void answer(const Asked& asked, const Failure& failure);

  void serve(const Asked& asked, const PageRoute& route);
  void serve(const Asked& asked, const ListRoute&);
  void serve(const Asked& asked, const TopRoute& route);
  void serve(const Asked& asked, const LiveRoute& route);
  void serve(const Asked& asked, const MeRoute& route);
  void serve(const Asked& asked, const MetricsRoute&);
  void serve(const Asked& asked, const HealthRoute&);

  Options options_;
  Feed& feed_;
  Places& places_;
  Metrics& metrics_;
  Log log_;
  Me me_;
  bool hinted_ = false;  // at --behind-proxy
};

}  // namespace laurel::web
