#include "web/gateway.h"

#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>

#include "base/steady_clock.h"
#include "web/http/limits.h"

namespace laurel::web {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Raises the soft limit of descriptors as far as it is needed.
Status get_descriptors(std::size_t viewers) {
  const rlim_t needed = viewers + kOtherConnectionsMax + kSpareDescriptors;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= needed) return Done{};
  if (limit.rlim_max < needed) {
    return Refusal(
        Code::invalid,
        "--viewers {}: that takes {} descriptors, and the system allows this process {}: "
        "raise the limit (LimitNOFILE={}, ulimit -Hn)",
        viewers, needed, limit.rlim_max, needed);
  }
  limit.rlim_cur = needed;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return Done{};
  return Refusal(Code::invalid, "--viewers {}: {} descriptors are not allowed", viewers, needed);
}

Places::Limits limits_of(const GatewayOptions& options) {
  Places::Limits limits;
  limits.streams = options.viewers;
  limits.streams_of_address = options.site.viewers_per_address;
  // Behind a proxy all connections are the proxy's.
  limits.others_of_address = options.site.behind_proxy
                                 ? kOtherConnectionsMax + 1
                                 : kOthersPerStream * options.site.viewers_per_address;
  return limits;
}

tcp::endpoint endpoint_of(asio::io_context& context, const HostPort& place,
                          boost::system::error_code& failed) {
  const auto address = asio::ip::make_address(place.host, failed);
  if (!failed) return {address, place.port};
  const auto found = tcp::resolver(context).resolve(place.host, std::to_string(place.port), failed);
  return failed ? tcp::endpoint() : found.begin()->endpoint();
}

}  // namespace

Result<std::unique_ptr<Gateway>> Gateway::open(GatewayOptions options, Log log) {
  if (const Status got = get_descriptors(options.viewers); !got) return got.refusal();
  std::unique_ptr<Gateway> gateway(new Gateway(std::move(options), std::move(log)));
  if (const Status heard = listen(gateway->site_listener_); !heard) return heard.refusal();
  if (gateway->metrics_listener_) {
    if (const Status heard = listen(*gateway->metrics_listener_); !heard) return heard.refusal();
  }
  return gateway;
}

Gateway::Gateway(GatewayOptions options, Log log)
    : options_(std::move(options)),
      log_(log),
      pacer_(options_.rate),
      places_(limits_of(options_)),
      feed_(options_.feed, log, pacer_),
      site_(options_.site, feed_, places_, metrics_, std::move(log)),
      site_listener_{Acceptor(context_), asio::steady_timer(context_), Connection::Port::site,
                     options_.listen},
      timer_(context_),
      signals_(context_) {
  if (options_.metrics) {
    metrics_listener_.emplace(Listener{Acceptor(context_), asio::steady_timer(context_),
                                       Connection::Port::metrics, *options_.metrics});
  }
  if (!options_.handles_signals) return;
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.async_wait([this](auto failed, int) {
    if (!failed) finish();
  });
}

Gateway::~Gateway() { finish(); }

Status Gateway::listen(Listener& listener) {
  boost::system::error_code failed;
  auto& acceptor = listener.acceptor;
  auto& context = static_cast<asio::io_context&>(acceptor.get_executor().context());
  const tcp::endpoint endpoint = endpoint_of(context, listener.place, failed);
  if (!failed) acceptor.open(endpoint.protocol(), failed);
  if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
  if (!failed && endpoint.address().is_v6()) {
    acceptor.set_option(asio::ip::v6_only(false), failed);  // [::] is for IPv4, too
  }
  if (!failed) acceptor.bind(endpoint, failed);
  if (!failed) acceptor.listen(tcp::acceptor::max_listen_connections, failed);
  if (failed) {
    return Refusal(Code::unavailable, "cannot listen on {}: {}", to_text(listener.place),
                   failed.message());
  }
  acceptor.non_blocking(true);
  listener.place.port = acceptor.local_endpoint().port();
  return Done{};
}

std::optional<HostPort> Gateway::metrics_place() const {
  if (!metrics_listener_) return std::nullopt;
  return metrics_listener_->place;
}

void Gateway::run() {
  accept(site_listener_);
  if (metrics_listener_) accept(*metrics_listener_);
  tick();
  context_.run();
}

void Gateway::end() {
  asio::post(context_, [this] { finish(); });
}

void Gateway::accept(Listener& listener) {
  listener.acceptor.async_accept(
      [this, &listener](boost::system::error_code failed, Socket socket) {
        if (finished_) return;
        if (!failed) {
          take(listener, std::move(socket));
          return accept(listener);
        }
        if (failed == asio::error::connection_aborted) return accept(listener);
        // The system has no descriptor or no memory: it would say so again at once.
        listener.again.expires_after(std::chrono::microseconds(kAcceptsAgain));
        listener.again.async_wait([this, &listener](auto cancelled) {
          if (!cancelled && !finished_) accept(listener);
        });
      });
}

void Gateway::take(Listener& listener, Socket socket) {
  boost::system::error_code failed;
  const auto peer = socket.remote_endpoint(failed);
  if (failed) return;  // it has left
  socket.non_blocking(true, failed);
  socket.set_option(tcp::no_delay(true), failed);
  Places::Place place;
  const ClientAddress address = client_address(peer.address());
  if (places_.take(Places::Kind::other, address, place) != Places::Refused::no) {
    metrics_.count(Refused::address);
    const std::string text =
        text_of(answer_of({429, "full: this address may have no more connections"}), true, false);
    (void)::send(socket.native_handle(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  if (connections_.size() >= kOtherConnectionsMax) {
    metrics_.count(Refused::idle);
    connections_.front()->close();
  }
  Connection::Host& host = *this;
  const auto added = std::make_shared<Connection>(std::move(socket), peer.address(), listener.port,
                                                  std::move(place), host);
  connection_at_[added.get()] = connections_.insert(connections_.end(), added);
  added->begin();
}

void Gateway::handle(const Request& request, const boost::asio::ip::address& peer,
                     Connection::Port port, OnReply on_reply) {
  site_.handle(request, peer, port, std::move(on_reply));
}

void Gateway::open_stream(Socket socket, Stream::Plan plan, std::string_view early) {
  boost::system::error_code ignored;
  socket.set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), ignored);
  const auto within = static_cast<unsigned>(kTakesWithin / kMillisecond);
  (void)::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &within, sizeof within);
  Stream::Host& host = *this;
  const auto stream = std::make_shared<Stream>(std::move(socket), std::move(plan), host);
  streams_.emplace(stream.get(), stream);
  stream->begin(early);
}

void Gateway::answered(Connection& connection) {
  connections_.splice(connections_.end(), connections_, connection_at_.at(&connection));
}

void Gateway::ended(Connection& connection) {
  const auto found = connection_at_.find(&connection);
  connections_.erase(found->second);
  connection_at_.erase(found);
}

void Gateway::ended(Stream& stream) { streams_.erase(&stream); }

void Gateway::tick() {
  if (finished_) return;
  const Time now = steady_now();
  feed_.tick(now);
  site_.tick(now);
  deadlines_.run(now);
  if (!passing_) pass();
  const Time next = std::min(now + kTick, pacer_.next().value_or(now + kTick));
  timer_.expires_after(std::chrono::microseconds(std::max<Time>(next - steady_now(), 0)));
  timer_.async_wait([this](auto failed) {
    if (!failed) tick();
  });
}

// A round of the pacer; the next one comes after what others have to do.
void Gateway::pass() {
  if (finished_) return;
  passing_ = pacer_.run(steady_now(), kSendsPerRound);
  if (passing_) asio::post(context_, [this] { pass(); });
}

void Gateway::finish() {
  if (std::exchange(finished_, true)) return;
  boost::system::error_code ignored;
  site_listener_.acceptor.close(ignored);
  if (metrics_listener_) metrics_listener_->acceptor.close(ignored);
  while (!connections_.empty()) connections_.front()->close();
  while (!streams_.empty()) {
    const auto stream = streams_.begin()->second;
    stream->send_away();
  }
  feed_.close();
  context_.stop();
}

}  // namespace laurel::web
