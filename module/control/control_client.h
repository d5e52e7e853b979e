// control_client.h - gives an order to the server that has a directory open.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "control/moderation_line.h"

namespace laurel {

// What the server has done; nothing if no server listens there: then the directory may be opened.
// Waits up to `patience` for the answer.
// Fails as the order does (moderation.h), and with
//   unavailable   the server does not answer in time, or ended before it did: it may still happen,
//                 or the socket cannot be used, for example by another user
std::optional<Result<std::string>> ask_server(const std::string& directory, const Moderation& order,
                                              std::chrono::milliseconds patience);

}  // namespace laurel
