// limits.h - every limit of the library, each with its reason. A buffer, queue, name, packet or
// loop that is not bounded by one of these is a bug.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel {

// What scripts and clients hand in.
inline constexpr std::size_t kPlayerBytesMax = 255;  // one length byte; with a board's number it
                                                     // fits a store key of 511 bytes
inline constexpr std::size_t kBoardNameBytesMax = 255;
inline constexpr std::size_t kDataBytesMax = 1024;    // an entry's data travels with the entry
inline constexpr std::size_t kMetaBytesMax = 4096;    // a board's own words
inline constexpr std::size_t kRuleNameBytesMax = 64;  // it names a file
inline constexpr std::size_t kCronBytesMax = 128;     // five fields with long lists
inline constexpr int kDecimalsMax = 9;                // 10^9 and 2^53 leave six whole digits
inline constexpr std::int64_t kScaledMax = (std::int64_t{1} << 53) - 1;  // exact in a Lua number

inline constexpr std::size_t kEmailBytesMax = 255;      // SMTP's end is at 254
inline constexpr std::size_t kGameBytesMax = 255;       // as a board's name
inline constexpr std::size_t kSessionsPerBatch = 1000;  // of a player who is forgotten

// Times: Unix seconds within 2^33, which as microseconds are exact in a Lua number too.
inline constexpr double kTimeSecondsMax = 8589934592.0;

// Boards of one registry. A handle's slot has 32 bits; a million keeps listing them affordable.
inline constexpr std::size_t kBoardsMax = 1'000'000;
// Players of one registry: 32-bit handles, the last one means "none".
inline constexpr std::uint32_t kPlayersMax = 0xFFFFFFFEU;

// The store. LMDB's keys end at 511 bytes; an object of 100 KB is a page of the biggest boards.
inline constexpr std::size_t kStoreKeyBytesMax = 511;
inline constexpr std::size_t kStoreValueBytesMax = 102'400;
// The store on a disk.
inline constexpr std::size_t kStoreWaitingBytesMax = std::size_t{256} << 20;  // half a minute of a
                                                                              // busy server
// Address space, not memory: what a file may grow to.
inline constexpr std::size_t kStoreMapBytesMax = std::size_t{1} << 40;
inline constexpr std::size_t kStoreMapBytesMin = std::size_t{1} << 30;  // where less is allowed
inline constexpr std::size_t kReclaimRowsPerTransaction = 10'000;       // as much as a busy tick's
inline constexpr std::int64_t kStoreRetryMin = 100'000;    // microseconds after a failure, and
inline constexpr std::int64_t kStoreRetryMax = 2'000'000;  // doubled up to here
inline constexpr std::size_t kPagedLoggedMax = 200'000;    // rows of one paged engine that opening
                                                           // puts where they belong: about a second
// The store in memory.
inline constexpr std::size_t kTreePageBytes = 4096;       // an ordered page's copy costs what a few
                                                          // cache misses do
inline constexpr std::size_t kInlineValueBytesMax = 256;  // longer ones cost an allocation each, a
                                                          // tenth of their size or less
inline constexpr std::size_t kTreeLevelsMax = 20;  // pages divide into halves of three cells or
                                                   // more: 3^20 leaves are more than memory

// A line of an export: an entry's id and data, each byte of them escaped, fits 20 times.
inline constexpr std::size_t kLineBytesMax = 256 * 1024;

// Engines.
inline constexpr std::size_t kCapMax = 100'000;  // shown, and as many in reserve: held in memory
inline constexpr int kDigitsMax = 15;            // 10^15 - 1 is exact in a Lua number
inline constexpr std::size_t kShardsMax = 1024;
inline constexpr std::size_t kGatherPartsMax = kShardsMax;  // a rolling board's are fewer
inline constexpr std::size_t kGatherSkipMax = 16;  // rows a part passed over on the way to a page:
                                                   // they cost what looking for it once more would
inline constexpr std::size_t kPageRowsMax = 1000;  // of an entry set, and of a manifest
inline constexpr int kBucketsMax = 366;            // a leap year of days
inline constexpr std::int64_t kBucketLengthMin = 1'000;  // microseconds: a server's fastest tick
inline constexpr std::size_t kArchiveMax = 1000;      // seasons: daily ones of nearly three years
inline constexpr std::size_t kCopiesWaitingMax = 64;  // past seasons beyond those, of a board, that
                                                      // wait for copies: two months of daily ones
// Rows that a tick frees of boards and seasons that are gone: about a millisecond.
inline constexpr std::size_t kReclaimRowsPerTick = 2000;
// Rows and players of a rolling board that have ended, freed by each call: some 10 us, and more
// than an activity leaves behind.
inline constexpr std::size_t kReclaimStepsPerCall = 64;
// Entry sets and manifests that one paged engine keeps in memory: a million entries with short ids
// stay whole, so that an update of one reads and writes no object.
inline constexpr std::size_t kPagedCacheBytesMax = std::size_t{64} << 20;
// Of them, those that a change encodes while they are written back to a durable store: some 60 us.
// Random changes dirty two each, so that half as many are changed anew before all are encoded.
inline constexpr std::size_t kPagedNodesPerCall = 4;

// Text.
inline constexpr std::size_t kRefusalBytesMax = 240;   // one line of a log
inline constexpr std::size_t kLogLineBytesMax = 1024;  // a traceback's longest line and some

// Changes of a board that wait for its rule's changed() at the next tick, so that a board without
// ticks does not grow. Later ones are dropped and counted: what a rule hears at a tick is in order
// and without a gap.
inline constexpr std::size_t kPendingChangesMax = 65'536;
inline constexpr std::size_t kWatchesMax = 1024;  // of one registry
inline constexpr std::size_t kWatchTopMax =
    1000;  // a watcher's list is compared whole at each tick

// Entries at a board's top that are kept as they were read: what overlays and watchers ask for.
inline constexpr std::size_t kTopPageMax = 100;

// The live channel. Times are microseconds.
inline constexpr std::size_t kLiveTopMax = 100;    // entries a client may ask for: one screen
inline constexpr std::size_t kLiveAroundMax = 10;  // above a followed player, and below
inline constexpr double kLiveAroundRate = 5;       // updates a second of such a view
inline constexpr std::size_t kLiveAroundKept = 4;  // windows of one: 0.8 s, each player has one
inline constexpr std::size_t kLiveAroundsPerTick = 256;  // looked up: half a millisecond at most
inline constexpr std::size_t kLiveWindowsKept = 32;      // 1.6 s of a board at 20 updates a second:
                                                         // longer than acknowledgements take
inline constexpr std::size_t kLiveBoardsMax = 4096;      // published at once: each keeps a ring
inline constexpr std::size_t kLiveClientsMax = 4000;     // ENet ends at 4,095 peers
inline constexpr double kLiveRateMax = 1000;             // a tick of a millisecond
inline constexpr std::size_t kLiveDatagramBytesMax = 1200;  // with ENet's headers within 1,232,
                                                            // which crosses IPv6's least MTU whole
inline constexpr std::size_t kLiveMtu = 1232;  // 1,280 less the headers of IPv6 and UDP
inline constexpr std::size_t kLiveMessageBytesMax = 32 * 1024;  // 100 entries of the longest ids
inline constexpr std::size_t kLiveWaitingBytesMax = 64 * 1024;  // such a message and the next
inline constexpr std::uint64_t kLiveNumberMax = (std::uint64_t{1} << 53) - 1;  // exact in Lua
inline constexpr std::size_t kPlayerNameBytesMax = 255;  // as save_player has it
inline constexpr std::size_t kLiveSecretBytes = 16;      // of a token: not to be guessed
inline constexpr std::size_t kLiveTokensMax = 65'536;    // not used up yet: 16 for each client
inline constexpr std::size_t kLivePassesMax = 16'384;  // of clients that were let in: connected or
                                                       // lost
inline constexpr unsigned kLiveTokenUsesMax = 1'000'000;   // a stream's whole audience
inline constexpr std::int64_t kLivePassFor = 600'000'000;  // after a connection was lost
inline constexpr unsigned kLiveKnocksMax = 4;  // connections begun with one word and not let in yet
inline constexpr double kLiveDenialsPerSecond = 100;  // answers to those who may not connect: for
                                                      // people, not for floods
// What one client may do: it only reads, so this is plenty.
inline constexpr std::size_t kLiveSubscriptionsMax = 16;        // one ack speaks for all of them
inline constexpr std::size_t kLiveClientMessageBytesMax = 512;  // a subscribe with the longest name
inline constexpr double kLiveUsualRate = 20;  // updates a second; with more, more acknowledgements
inline constexpr double kLiveClientBytesPerSecond = 4096;  // 16 streams acknowledged at 20 Hz
inline constexpr double kLiveClientBytesBurst = 8192;      // two seconds that arrive together
inline constexpr double kLiveControlPerSecond = 5;         // a person who pages through boards
inline constexpr double kLiveControlBurst = 20;  // hello and 16 subscriptions after a reconnect
inline constexpr int kLiveOffencesMax = 10;      // more than any accident brings
inline constexpr std::int64_t kLiveHelloWithin = 3'000'000;  // an empty connection holds a slot
// All that a client may have under way reliably, acks of large states while one is sent again
// included.
inline constexpr std::uint16_t kLiveReliableAheadMax = 64;
// Connections that begin: ENet looks at all of its peers for each. 4,000 clients that come back
// together take two seconds, and a flood of strangers a twelfth of a core.
inline constexpr double kLiveConnectsPerSecond = 2'000;
// What the socket holds until it is read; the system may allow less (net.core.rmem_max): as it
// comes, Debian's holds some 500 acknowledgements.
inline constexpr int kLiveSocketBytes = 4 << 20;
inline constexpr std::size_t kLiveNamesKept = 65'536;  // of players shown lately: 4,000 followed
                                                       // ones' surroundings
// When to send again, and when to give up.
inline constexpr int kLiveEagerSends = 3;                    // each tick, before the spacing starts
inline constexpr std::int64_t kLiveSparseAfter = 2'000'000;  // longer than a burst of loss
inline constexpr std::int64_t kLiveSparseInterval = 1'000'000;
inline constexpr std::int64_t kLiveSlowAfter = 10'000'000;  // nobody looks at a board that old
inline constexpr std::int64_t kLivePaceWindow = 2'000'000;  // over which delivery is judged
// The client's timers.
inline constexpr std::int64_t kLivePingEvery = 2'000'000;
inline constexpr std::int64_t kLiveDoubtAfter = 3'000'000;  // at least one ping went unanswered
inline constexpr std::int64_t kLiveDoubtPingEvery = 250'000;
inline constexpr std::int64_t kLiveLostAfter = 10'000'000;  // some 30 pings: not by chance
inline constexpr std::int64_t kLiveConnectWithin = 5'000'000;
inline constexpr std::int64_t kLiveBackoffMin = 250'000;
inline constexpr std::int64_t kLiveBackoffMax = 10'000'000;
inline constexpr std::int64_t kLiveResyncEvery = 1'000'000;
// Loops and queues of the live thread.
inline constexpr int kLiveServiceErrorsMax = 64;     // oversized datagrams survived in one go
inline constexpr int kLiveServiceRoundsMax = 64;     // of 256 datagrams; then the tick has its turn
inline constexpr std::size_t kLiveEventsMax = 8192;  // handled between two ticks
inline constexpr std::size_t kLiveLogLinesMax = 256;       // waiting for the game thread
inline constexpr std::int64_t kLiveCloseWithin = 300'000;  // saying bye to everybody

// Boards that live elsewhere. Times are microseconds.
inline constexpr std::size_t kRemotesMax = 16;          // of one registry: each has a thread
inline constexpr std::size_t kRemoteNameBytesMax = 64;  // of a remote: it is named in specs
inline constexpr std::size_t kRemoteBoardsMax = 4096;  // of one registry: each is asked for by name
inline constexpr std::size_t kRemoteAsksMax = 65'536;  // under way: a second of a busy cluster
inline constexpr std::size_t kPostsMax = 1'000'000;    // kept until they are acknowledged: a minute
                                                       // of a busy server, some 100 MB
inline constexpr std::size_t kPostsAheadMax = 1024;    // of one lane, sent and not acknowledged
inline constexpr std::int64_t kRemoteTimeout = 2'000'000;      // to wait for an answer, unless told
inline constexpr std::int64_t kRemoteTimeoutMax = 60'000'000;  // longer, nobody waits
inline constexpr std::int64_t kRemoteRetryMin = 50'000;  // after a failure, and doubled up to here:
inline constexpr std::int64_t kRemoteRetryMax = 2'000'000;
inline constexpr std::size_t kRemoteChangesMax = 64;  // of one spec, that wait for the remote
inline constexpr std::int64_t kRemoteLookEvery = 5'000'000;  // at the spec of a board in use, which
                                                             // others change: each is a question
inline constexpr unsigned kPostLinesPerSecond = 5;  // of refused posts logged; the rest is counted
inline constexpr std::size_t kCopyRows = 200;  // of a past season, copied at a time: reading them
                                               // takes a tick some 20 us
inline constexpr std::size_t kCopyTurnRows = 49;  // in a turn: each is two items of a transaction,
                                                  // which takes 100
inline constexpr std::int64_t kCopyTurn = 30'000'000;  // until another may take it
inline constexpr std::int64_t kCarryLookEvery =
    10'000'000;                                          // for seasons of a shared board to copy
inline constexpr std::size_t kCarriedAtOnce = 4;         // of those, by one registry
inline constexpr std::int64_t kCopyWithin = 20'000'000;  // they are: nobody waits for it
inline constexpr std::size_t kCopiesOpenMax = 1024;      // that scripts read, of one registry
inline constexpr int kJudgementsMax = 8;  // of one submission, when others keep changing the score
// Of those in DynamoDB.
inline constexpr std::size_t kDynamoConnections = 64;  // at 10 ms a call 6,400 calls a second
inline constexpr std::size_t kDynamoAnswerBytesMax = std::size_t{20} << 20;  // BatchGetItem's 16 MB
                                                                             // in base64
inline constexpr std::size_t kDynamoGetMax = 100;    // keys of one BatchGetItem: its own end
inline constexpr std::size_t kDynamoWriteMax = 25;   // of one BatchWriteItem: likewise
inline constexpr std::size_t kDynamoRowsMax = 1000;  // of one Query: a tenth of its 1 MB
inline constexpr std::int64_t kDynamoCallTimeout = 1'000'000;  // then the call is sent again
inline constexpr std::int64_t kDynamoRetryMin = 20'000;        // after a failure, and doubled up to
inline constexpr std::int64_t kDynamoRetryMax = 1'000'000;     // here
inline constexpr int kDynamoJudgementsMax = 64;  // of one write, when others keep changing what it
                                                 // was decided on
// Items that share the conflicts of a board's writes; a season's end takes them all, 100 at most.
inline constexpr unsigned kDynamoFences = 32;
inline constexpr std::int64_t kDynamoFollowEvery = 100'000;  // a look at a followed board: 5 read
                                                             // units a second
inline constexpr std::size_t kDynamoFollowsAtOnce = 32;      // 320 looks a second at most
inline constexpr std::int64_t kDynamoServerKeptFor = 30 * 86'400;  // seconds: longer than any
                                                                   // server's posts wait
inline constexpr std::int64_t kDynamoSweepWithin = 60'000'000;     // of one step of sweeping

// Redis. Times are microseconds.
inline constexpr std::size_t kRedisHostsMax = 64;    // in a URL: who is asked for all the others
inline constexpr std::size_t kRedisNodesMax = 1000;  // what a cluster is meant to grow to
// Bytes of commands that the socket does not take; more wait.
inline constexpr std::size_t kRedisBufferMax = std::size_t{16} << 20;
inline constexpr std::int64_t kRedisSilenceMax = 3'000'000;  // then a connection counts as lost: a
                                                             // cluster elects a new master in less
inline constexpr std::int64_t kRedisRefreshEvery = 100'000;  // asking for slots, at most
inline constexpr std::int64_t kRedisLookEvery = 20'000;      // for calls whose time is over
inline constexpr std::int64_t kRedisAgainMin = 1'000;        // after "not now", and doubled up to
                                                             // kRemoteRetryMin
inline constexpr unsigned kRedisCopiesMax = 16;              // of a post, on as many replicas
inline constexpr std::int64_t kRedisCopiedWithin = 500'000;  // a post, or it is asked again: longer
                                                             // than a replica's own pauses
inline constexpr int kRedisRedirectsMax = 16;  // of one call, before it waits a little each time
inline constexpr std::int64_t kRedisFactsAgeMax = 1'000'000;  // of what is known of a board
inline constexpr std::int64_t kRedisFollowEvery = 1'000'000;  // a look at each followed board
inline constexpr int kRedisSeasonTriesMax = 8;  // of one request, when seasons keep ending under it
inline constexpr int kRedisAroundTriesMax = 4;  // when a player keeps moving out of the list
inline constexpr std::size_t kRedisListMax = 100'000;  // entries of one answer: a server that lists
                                                       // them answers nobody else for 0.1 s
inline constexpr std::size_t kRedisPrefixMax = 2000;  // entries read from an end of a sharded board
                                                      // rather than looking for a place in it
inline constexpr int kRedisSelectionMax = 64;  // steps of that search: each halves what is left
inline constexpr std::size_t kRedisAtOnceMax = 256;  // submissions of one script: a millisecond or
                                                     // two
inline constexpr std::size_t kRedisRunsMax = 2;      // of such scripts of one shard under way: one
                                                     // runs, and the next is there when it ends

// Scripts.
// A list buffer of a registry keeps memory for lists of this length between calls; longer ones give
// theirs back.
inline constexpr std::size_t kListItemsKept = 4096;
inline constexpr std::size_t kListBytesKept = 256 * 1024;
// Lines that wait for a script's log function while a call is at work; more go to standard error.
inline constexpr std::size_t kLogLinesMax = 4096;

// Tasks of a Lua state.
inline constexpr std::size_t kTasksMax = 10'000;  // waiting: each has a stack of some 1 KB
inline constexpr std::size_t kTasksPooled = 128;  // coroutines kept to be used again
inline constexpr unsigned kTasksWithin = 100;     // each other: each takes some of the C stack

// Board rules: scripts that judge every submission, so a mistake in one costs little.
inline constexpr int kRuleInstructionsMax = 100'000;  // of one call: about a millisecond
inline constexpr std::size_t kRuleCallBytesMax = std::size_t{1} << 20;    // allocated by one call
inline constexpr std::size_t kRuleStateBytesMax = std::size_t{16} << 20;  // one rule with what it
                                                                          // remembers, garbage too
inline constexpr std::size_t kRuleFileBytesMax = std::size_t{1} << 20;    // compiles into the above
inline constexpr std::size_t kRuleVersionBytesMax = 128;  // a label in `info`, not a document
inline constexpr std::size_t kRulesMax = 1024;    // of one registry: each has a state of 30 KB
inline constexpr unsigned kRuleLinesPerTick = 5;  // logged of one rule; the rest is counted
inline constexpr std::uint64_t kRuleFailuresMax = 100;  // in a row: then it is switched off
// The thread's own time that one call may take: for what is slow in few instructions.
inline constexpr std::int64_t kRuleCallNsMax = 1'000'000;

// Hosted scripts.
inline constexpr std::size_t kScriptsMax = 256;  // of one directory: each is looked at every tick
inline constexpr std::size_t kScriptFileBytesMax = std::size_t{4} << 20;  // longer is no source
inline constexpr std::size_t kScriptHandlersMax = 1024;  // of one script, all events together
inline constexpr std::size_t kScriptTimersMax = 1024;  // of one script: all are looked at per tick
// What a host may set as the instructions of one call: less is no program, more no budget.
inline constexpr std::uint64_t kScriptInstructionsMin = 10'000;
inline constexpr std::uint64_t kScriptInstructionsMax = 1'000'000'000;
inline constexpr std::size_t kEventNameBytesMax = 255;
inline constexpr std::size_t kEventValuesMax = 16;  // they are handed over on the C stack
inline constexpr unsigned kEventDepthMax = 16;      // scripts and host answering each other within
                                                    // one call: LuaJIT's own end is at 200 C calls
inline constexpr unsigned kSameErrorLinesPerSecond =
    3;                                               // of one line of a script; the rest counted
inline constexpr std::size_t kErrorPlacesMax = 256;  // lines of scripts counted at a time

// The order of a board.
inline constexpr std::size_t kPackedRowsMax = 512;  // more are a tree, which takes almost three
                                                    // times the memory of as many
inline constexpr std::size_t kCappedPackedMax =
    128;  // of a capped board, where all are new now and
          // then: packed rows that widen allocate
inline constexpr std::uint32_t kPlayerHoldsMax = (1U << 24) - 1;  // of one player: an entry, a join
                                                                  // and a ban on every board fit

}  // namespace laurel
