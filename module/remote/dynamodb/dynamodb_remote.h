// dynamodb_remote.h - boards in a DynamoDB table: padded ones, and sharded over padded shards,
// under the keys of the single-table design (TABLE.md).
//
//   table      if it is missing, it is created on an endpoint of this machine. On other endpoints
//              its owner creates it, and the remote is down until it exists.
//   players    and their sessions are in the same table (players.h).
//   exact      every read after an answer sees the write: all reads are consistent, except those
//              that follow a board. A list or rank that takes several calls combines several
//              moments (score_scan.h).
//   cost       a submission is two calls, about 6 read and 16 write units of the service. A rank
//              reads every key above it, a page every key before its end. A size is one call.
//   follow     one small read every kDynamoFollowEvery. If more than kDynamoFollowsAtOnce boards
//              are followed, the interval grows in proportion. A change is seen when the service's
//              eventually consistent reads show it: on Amazon's own mostly within a second.
//   thread     one, with libcurl's multi interface. No caller waits for it.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "remote/remote.h"

namespace laurel {

// Fails with invalid: the URL is wrong, or credentials are missing.
Result<std::unique_ptr<Remote>> open_dynamodb(std::string_view url);

}  // namespace laurel
