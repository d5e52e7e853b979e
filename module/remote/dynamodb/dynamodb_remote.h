// dynamodb_remote.h - boards in a DynamoDB table: padded ones, and sharded of padded, under the
// keys of the single-table design (TABLE.md).
//
//   table      made when it is missing on an endpoint of this machine; elsewhere its owner makes
//              it, and the remote is down until it is there.
//   players    and their sessions lie in the same table (players.h).
//   exact      what was written before an answer is in every later one: all reads but those that
//              follow a board are consistent. A list or rank that takes several calls is made of
//              several moments (order.h).
//   cost       a submission is two calls, some 6 read and 16 write units of the service; a rank
//              reads every key above it, a page every key before its end. Sizes are one call.
//   follow     kDynamoFollowEvery, one small read each; when more than kDynamoFollowsAtOnce boards
//              are followed, each as much less often. A change is seen when the service's
//              eventually consistent reads show it: on Amazon's own mostly within a second.
//   thread     one, with libcurl's multi interface; nobody waits for it.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "remote/remote.h"

namespace laurel {

// Fails with invalid: what is wrong with the URL, or that credentials are missing.
Result<std::unique_ptr<Remote>> open_dynamodb(std::string_view url);

}  // namespace laurel
