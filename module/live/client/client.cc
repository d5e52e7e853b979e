#include "live/client/client.h"

#include "base/hash.h"
#include "base/steady_clock.h"
#include "live/net/enet_transport.h"

namespace laurel {

Result<std::unique_ptr<Client>> Client::connect(const ClientOptions& options) {
  if (options.host.empty())
    return Refusal(Code::invalid, "host is empty; it takes an address or a name");
  if (options.port == 0) return Refusal(Code::invalid, "port = 0 is not 1 to 65535");
  Result<std::unique_ptr<EnetTransport>> network =
      EnetTransport::client(options.host, options.port, options.checksum);
  if (!network) return network.refusal();
  TokenSource source = options.fetch;
  if (!source) source = [token = options.token] { return Result<std::string>(token); };
  return std::unique_ptr<Client>(
      new Client(std::move(*network), Credentials(std::move(source), options.fetch != nullptr)));
}

Client::Client(std::unique_ptr<ClientTransport> network, Credentials credentials)
    : ClientCore(*network, std::move(credentials), random_u64()), network_(std::move(network)) {}

void Client::tick() {
  if (!fork_guard_.is_owner_process()) return close();
  ClientCore::tick(steady_now());
}

}  // namespace laurel
