// local_engine.h - Amazon's DynamoDB Local on a free port of this machine, started once a process
// and gone with it.
#pragma once

#include <optional>
#include <string>

namespace laurel {

// Its endpoint, "http://127.0.0.1:40123"; nothing where it cannot be had, which was said aloud.
// LAUREL_DYNAMODB_ENDPOINT names one that runs already.
const std::optional<std::string>& local_engine();

// SIGSTOP, say; false where it is not this process's own.
bool signal_local_engine(int signal);

// A table's URL, of a name that no other test has.
std::string fresh_url(const std::string& endpoint);

}  // namespace laurel
