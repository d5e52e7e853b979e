// gateway.h - laurel-web as an object: listens, and serves until it is told to end.
//
//   threads   run() does all work in its caller's thread; only end() may be called from another.
//   signals   SIGTERM and SIGINT end it from open() on, if asked for.
//   descriptors   one for each viewer and other connection: open() raises the soft limit.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/log.h"
#include "base/result.h"
#include "web/connection.h"
#include "web/feed/feed.h"
#include "web/feed/pacer.h"
#include "web/http/address.h"
#include "web/site.h"
#include "web/stream.h"

namespace laurel::web {

struct GatewayOptions {
  Feed::Options feed;
  Site::Options site;
  HostPort listen{"127.0.0.1", 8080};
  std::optional<HostPort> metrics = {};  // a listener of its own
  double rate = 10;
  std::size_t viewers = 10'000;
  bool handles_signals = false;
};

class Gateway final : private Connection::Host, private Stream::Host {
 public:
  // Listens. Fails with  invalid      the system does not allow that many descriptors
  //                      unavailable  it cannot listen; the sentence says where and why
  static Result<std::unique_ptr<Gateway>> open(GatewayOptions options, Log log);
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  // Where it listens: the port is the one that the system chose, if it was 0.
  const HostPort& place() const { return site_listener_.place; }
  std::optional<HostPort> metrics_place() const;

  // Serves until end() or a signal.
  void run();
  // Tells viewers to come again, and leaves the server. Any thread, also before run().
  void end();

 private:
  using Acceptor = boost::asio::ip::tcp::acceptor;
  struct Listener {
    Acceptor acceptor;
    boost::asio::steady_timer again;  // after the system refused to accept
    Connection::Port port;
    HostPort place;
  };

  Gateway(GatewayOptions options, Log log);
  static Status listen(Listener& listener);

  // Connection::Host and Stream::Host
  Metrics& metrics() override { return metrics_; }
  Deadlines& deadlines() override { return deadlines_; }
  Pacer& pacer() override { return pacer_; }
  void handle(const Request& request, const boost::asio::ip::address& peer, Connection::Port port,
              OnReply on_reply) override;
  void open_stream(Socket socket, Stream::Plan plan, std::string_view early) override;
  void answered(Connection& connection) override;
  void ended(Connection& connection) override;
  void ended(Stream& stream) override;

  void accept(Listener& listener);
  void take(Listener& listener, Socket socket);
  void tick();
  void pass();
  void finish();

  boost::asio::io_context context_{1};
  GatewayOptions options_;
  Log log_;
  Metrics metrics_;
  Deadlines deadlines_;
  Pacer pacer_;
  Places places_;
  Feed feed_;
  Site site_;
  Listener site_listener_;
  std::optional<Listener> metrics_listener_;
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
  using Connections = std::list<std::shared_ptr<Connection>>;
  Connections connections_;  // the one that was answered longest ago first
  std::unordered_map<Connection*, Connections::iterator> connection_at_;
  std::unordered_map<Stream*, std::shared_ptr<Stream>> streams_;
  bool passing_ = false;
  bool finished_ = false;
};

}  // namespace laurel::web
