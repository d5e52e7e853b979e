// remote/limits.h - the limits of remote boards, each with its reason. Times are microseconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel {

inline constexpr std::size_t kRemotesMax = 16;         // of one registry: each has a thread
inline constexpr std::size_t kRemoteBoardsMax = 4096;  // of one registry: each is requested by name
inline constexpr std::size_t kRemoteRequestsMax = 65'536;  // pending requests: a second of a busy
                                                           // cluster
inline constexpr std::size_t kPostsMax = 1'000'000;  // kept until they are acknowledged: a minute
                                                     // of a busy server, about 100 MB
inline constexpr std::size_t kPostsAheadMax = 1024;  // of one lane: sent and not yet acknowledged
inline constexpr std::int64_t kRemoteTimeout = 2'000'000;  // for an answer, unless the caller sets
                                                           // another
inline constexpr std::int64_t kRemoteTimeoutMax = 60'000'000;  // a longer wait is useless
inline constexpr std::int64_t kRemoteRetryMin = 50'000;        // after a failure,
inline constexpr std::int64_t kRemoteRetryMax = 2'000'000;     // doubled up to this
inline constexpr std::size_t kRemoteChangesMax = 64;  // changes of one spec that wait for the
                                                      // remote
inline constexpr std::int64_t kRemoteLookEvery = 5'000'000;  // checks the spec of a board in use,
                                                             // which other servers may change: each
                                                             // check is a request
// The last known tops that a directory holds (registry/known_tops.h): entries of each, and bytes of
// each, which are 60 entries with the longest data; and of how many boards. Those that are open are
// never more.
inline constexpr std::size_t kKnownTopEntriesMax = 100;
inline constexpr std::size_t kKnownTopBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kKnownTopsMax = kRemoteBoardsMax;
// Between two writes of the top of a board that changes, and of one that does not, for the moment.
inline constexpr std::int64_t kKnownTopEvery = 10'000'000;
inline constexpr std::int64_t kKnownTopConfirmEvery = 600'000'000;
// A list of fewer entries, which a script has read, does not replace a longer one for this long.
inline constexpr std::int64_t kKnownTopLonger = 60'000'000;
inline constexpr std::size_t kKnownTopsPerTick = 8;  // written: about 10 us each
// Names of players in a remote, for lists: those of one request, which is one call of DynamoDB, or
// a page of a board; and when a name is read again.
inline constexpr std::size_t kRemoteNamesAtOnce = 100;
inline constexpr std::int64_t kRemoteNameFresh = 30'000'000;
inline constexpr std::int64_t kRemoteNameFreshMax = 600'000'000;  // in lists that do not change
// Between requests of known names: they take 100 read units a second at most.
inline constexpr std::int64_t kRemoteNamesEvery = 1'000'000;
// How many of its first entries a list that a task reads waits for, and how long: two round trips.
inline constexpr std::size_t kRemoteNamesAwaited = 1000;
inline constexpr std::int64_t kRemoteNamesWithin = 250'000;
inline constexpr unsigned kPostLinesPerSecond = 5;  // log lines about refused posts; the others are
                                                    // counted
// Log lines about whether a remote is up, and why not: one in six seconds. The state has the newest
// reason.
inline constexpr unsigned kRemoteDownLinesPerMinute = 10;
inline constexpr std::size_t kCopyRows = 200;  // rows of a past season that are copied at a time:
                                               // reading them takes about 20 us of a tick
inline constexpr std::size_t kCopyTurnRows = 49;       // rows in a turn: each takes two items of a
                                                       // transaction, which takes 100
inline constexpr std::int64_t kCopyTurn = 30'000'000;  // then another server may take the turn
inline constexpr std::int64_t kCarryLookEvery = 10'000'000;  // between searches for seasons of a
                                                             // shared board to copy
inline constexpr std::size_t kCarriedAtOnce = 4;  // such seasons that one registry copies at a time
inline constexpr std::int64_t kCopyWithin = 20'000'000;  // a request of a copy; no caller waits for
                                                         // it
inline constexpr std::size_t kCopiesOpenMax = 1024;      // copies that scripts of one registry read
inline constexpr int kJudgementsMax = 8;  // evaluations of one submission, if other writers keep
                                          // changing the score
// Boards in DynamoDB.
inline constexpr std::size_t kDynamoConnections = 64;  // at 10 ms a call 6,400 calls a second
// Calls that are in flight or wait for a connection: those of kRemoteRequestsMax requests. Most of
// these make one at a time.
inline constexpr std::size_t kDynamoCallsMax = 65'536;
// The 16 MB of BatchGetItem in base64.
inline constexpr std::size_t kDynamoAnswerBytesMax = std::size_t{20} << 20;
inline constexpr std::size_t kDynamoGetMax = 100;    // keys of one BatchGetItem: DynamoDB's limit
inline constexpr std::size_t kDynamoWriteMax = 25;   // of one BatchWriteItem: DynamoDB's limit
inline constexpr std::size_t kDynamoRowsMax = 1000;  // of one Query: a tenth of its 1 MB
inline constexpr std::int64_t kDynamoCallTimeout = 1'000'000;  // then the call is sent again
inline constexpr std::int64_t kDynamoRetryMin = 20'000;        // after a failure,
inline constexpr std::int64_t kDynamoRetryMax = 1'000'000;     // doubled up to this
inline constexpr int kDynamoJudgementsMax = 64;  // evaluations of one write, if other writers keep
                                                 // changing what it was decided on
// Items over which a board's writes spread their conflicts. The end of a season writes all of them
// in one transaction, which takes at most 100 items.
inline constexpr unsigned kDynamoFences = 32;
inline constexpr std::int64_t kDynamoFollowEvery = 100'000;  // polls a followed board: 5 read units
                                                             // a second
inline constexpr std::size_t kDynamoFollowsAtOnce = 32;      // 320 polls a second at most
// Seconds that the record of a server is kept: no post waits that long.
inline constexpr std::int64_t kDynamoServerKeptFor = 30 * 86'400;
// Seconds that the id of a result is kept at least; longer than 24 hours, since the clocks of
// servers differ.
inline constexpr std::int64_t kDynamoResultKeptFor = 25 * 3600;
inline constexpr std::int64_t kDynamoSweepWithin = 60'000'000;  // of one sweep step

// Redis. Times are microseconds.
inline constexpr unsigned kRedisColumnBitsMax = 53;  // its scores are doubles
inline constexpr std::size_t kRedisHostsMax = 64;    // in a URL: each can name all the other nodes
inline constexpr std::size_t kRedisNodesMax = 1000;  // the largest cluster that Redis is designed
                                                     // for
// Bytes of commands that the socket does not accept yet; further commands wait.
inline constexpr std::size_t kRedisBufferMax = std::size_t{16} << 20;
// What a server may send. One answer, with what is nested in it: kRedisListMax entries are three
// elements each, and 135 MB with the longest ids and data.
inline constexpr std::size_t kRedisAnswerElementsMax = 2'000'000;
inline constexpr std::size_t kRedisAnswerBytesMax = std::size_t{256} << 20;
inline constexpr std::size_t kRedisTextBytesMax = std::size_t{1} << 20;   // a spec takes a few KB
inline constexpr std::size_t kRedisLineBytesMax = std::size_t{64} << 10;  // an error of a script
inline constexpr std::size_t kRedisErrorBytesMax = 512;  // of an error's text: a redirection to the
                                                         // longest host name fits
inline constexpr int kRedisReadsMax = 16;  // from one server before the next: each takes 64 KB, or
                                           // a record of TLS
inline constexpr std::int64_t kRedisSilenceMax = 3'000'000;  // then a connection counts as lost: a
                                                             // cluster elects a new master in less
                                                             // time
inline constexpr std::int64_t kRedisRefreshEvery = 100'000;  // at most one request for the slots in
                                                             // this time
inline constexpr std::int64_t kRedisLookEvery = 20'000;      // checks for expired calls
inline constexpr std::int64_t kRedisAgainMin = 1'000;        // after "not now", doubled up to
                                                             // kRemoteRetryMin
inline constexpr unsigned kRedisCopiesMax = 16;              // replicas that must have a post
inline constexpr std::int64_t kRedisCopiedWithin = 500'000;  // for the copies of a post, else it is
                                                             // requested again: longer than a
                                                             // replica's own pauses
inline constexpr std::int64_t kRedisAloneAfter = 20'000'000;  // a master without a replica takes
                                                              // posts alone: longer than Redis's
                                                              // cluster-node-timeout of 15 s
inline constexpr int kRedisRedirectsMax = 16;  // of one call; then it waits a little before each
inline constexpr std::int64_t kRedisFactsAgeMax = 1'000'000;  // of a board's cached metadata
inline constexpr std::int64_t kRedisFollowEvery = 1'000'000;  // polls each followed board
inline constexpr int kRedisSeasonTriesMax = 8;  // of one request, if seasons keep ending meanwhile
inline constexpr int kRedisAroundTriesMax = 4;  // if a player keeps moving out of the list
inline constexpr std::size_t kRedisListMax = 100'000;  // entries of one answer: a server that lists
                                                       // them serves no other client for 0.1 s
inline constexpr std::size_t kRedisPrefixMax = 2000;   // entries that are read from an end of a
                                                       // sharded board, instead of searching for
                                                       // their position
inline constexpr std::size_t kRedisDistinctAtOnce =
    1000;                                            // distinct scores that a script reads for
                                                     // dense ranks: about a millisecond
inline constexpr int kRedisSelectionMax = 64;        // steps of that search: each halves the rest
inline constexpr std::size_t kRedisAtOnceMax = 256;  // submissions of one script: one or two
                                                     // milliseconds
inline constexpr std::size_t kRedisRunsMax = 2;  // such scripts of one shard in flight: one runs,
                                                 // and the next has arrived when it ends

// TLS to Redis. A handshake takes kRedisSilenceMax at most, with the greeting after it.
inline constexpr std::size_t kTlsFileBytesMax = std::size_t{1} << 20;  // of certificates or a key:
                                                                       // all that Debian trusts are
                                                                       // 220 KB
inline constexpr std::size_t kTlsPathBytesMax = 4096;  // of such a file: Linux's own
inline constexpr std::size_t kTlsNameBytesMax = 253;   // of a host: DNS's own
inline constexpr std::size_t kTlsNamesShown = 3;  // of a certificate with another name than ours
inline constexpr long kTlsChainBytesMax = 100 << 10;  // of a server's certificates: usually 3 KB
inline constexpr std::size_t kTlsRecordBytesMax = 16 << 10;  // of the protocol: a read takes one
inline constexpr std::int64_t kTlsEndWithin = 1'000'000;  // that the end of the process waits for
                                                          // a call of OpenSSL

}  // namespace laurel
