#include "live/client/client.h"

#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "live/net/enet_transport.h"
#include "live/net/resolver.h"

namespace laurel {

// ENet, with a new lookup of the host for each connection, because its address may change.
class Client::Dialer final : public ClientTransport {
 public:
  Dialer(std::unique_ptr<EnetTransport> enet, std::string host, std::uint16_t port)
      : enet_(std::move(enet)), host_(std::move(host)), port_(port) {}

  void set_connect_filter(ConnectFilter*) override {}

  Result<PeerId> connect(std::uint32_t word) override {
    if (!resolver_) resolver_.emplace(host_);
    const Resolver::Found found = resolver_->poll();
    if (found == Resolver::Found::not_yet) return PeerId{0};
    const std::optional<Resolver> done = std::exchange(resolver_, std::nullopt);
    if (found == Resolver::Found::nothing) {
      return Refusal(Code::unavailable, "there is no host \"{}\"", escaped(host_, 64));
    }
    enet_->direct(done->address(), port_);
    return enet_->connect(word);
  }

  std::optional<TransportEvent> next() override { return enet_->next(); }
  bool send(PeerId peer, Channel channel, const MessagePtr& message) override {
    return enet_->send(peer, channel, message);
  }
  void flush() override { enet_->flush(); }
  void close(PeerId peer, std::uint32_t why) override { enet_->close(peer, why); }
  Time round_trip(PeerId peer) const override { return enet_->round_trip(peer); }

 private:
  std::unique_ptr<EnetTransport> enet_;
  std::string host_;
  std::uint16_t port_;
  std::optional<Resolver> resolver_;
};

Result<std::unique_ptr<Client>> Client::connect(const ClientOptions& options) {
  if (options.host.empty()) return Refusal(Code::invalid, "host is empty: an address or a name");
  if (options.port == 0) return Refusal(Code::invalid, "port = 0 is not 1 to 65535");
  Result<std::unique_ptr<EnetTransport>> enet = EnetTransport::client(options.checksum);
  if (!enet) return enet.refusal();
  auto dialer = std::make_unique<Dialer>(std::move(*enet), options.host, options.port);
  TokenSource source = options.fetch;
  if (!source) source = [token = options.token] { return Result<std::string>(token); };
  return std::unique_ptr<Client>(
      new Client(std::move(dialer), Credentials(std::move(source), options.fetch != nullptr)));
}

Client::Client(std::unique_ptr<Dialer> dialer, Credentials credentials)
    : dialer_(std::move(dialer)), core_(*dialer_, std::move(credentials), random_u64()) {}

Client::~Client() { core_.close(); }

Status Client::subscribe(std::string_view board, std::size_t n, OnTop on_top) {
  return core_.subscribe(board, View::top, n, std::move(on_top));
}
Status Client::follow(std::string_view board, std::size_t n, OnTop on_entries) {
  return core_.subscribe(board, View::around, n, std::move(on_entries));
}
void Client::unsubscribe(std::string_view board) { core_.unsubscribe(board); }
void Client::tick() { core_.tick(steady_now()); }
std::string Client::state() const { return core_.state(); }
void Client::close() { core_.close(); }

}  // namespace laurel
