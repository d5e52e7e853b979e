// client_limits.h - how much one client may ask for. A server enforces it, and a client keeps it.
//
//   version   of the protocol that both speak. A server of version 1 has the limits of version 1,
//             whatever the client speaks.
//   gateway   a client with a gateway's token: it serves others, so that it has many boards.
//   threads   none; all functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/limits.h"
#include "live/wire/wire.h"

namespace laurel {

struct ClientLimits {
  std::size_t subscriptions = 0;
  double bytes_per_second = 0;  // in, if the server sends kLiveUsualRate updates a second
  double bytes_burst = 0;
  double control_per_second = 0;  // messages except acks and pings
  double control_burst = 0;
};

// Bytes grow with the streams that are acknowledged, and bursts with what is asked for after a
// reconnect.
constexpr ClientLimits client_limits(std::uint8_t version, Role role) {
  if (version < 2) {
    return {kLiveSubscriptionsMax, kLiveClientBytesPerSecond, kLiveClientBytesBurst,
            kLiveControlPerSecond, kLiveControlBurst};
  }
  const bool gateway = role == Role::gateway;
  const std::size_t subscriptions =
      gateway ? kLiveGatewaySubscriptionsMax : kLiveMoreSubscriptionsMax;
  const auto times = static_cast<double>(subscriptions / kLiveSubscriptionsMax);
  return {subscriptions, times * kLiveClientBytesPerSecond, times * kLiveClientBytesBurst,
          gateway ? 2000.0 : 20.0, static_cast<double>(subscriptions) + kLiveControlBurst};
}

}  // namespace laurel
