// local_engine.h - Amazon's DynamoDB Local on a free port of this machine. It is started once per
// process and ends with it.
#pragma once

#include <optional>
#include <string>

namespace laurel {

// Its endpoint, "http://127.0.0.1:40123". Nothing if it is unavailable; a message has said so.
// LAUREL_DYNAMODB_ENDPOINT names an engine that already runs.
const std::optional<std::string>& local_engine();

// Sends a signal such as SIGSTOP. False if this process did not start the engine.
bool signal_local_engine(int signal);

// The URL of a table that no other test uses.
std::string fresh_url(const std::string& endpoint);

}  // namespace laurel
