// limits.h - the limits of the library, each with its reason. A buffer, queue, name, packet or loop
// that is not bounded by one of these is a bug. The live channel's are in live/limits.h, those of
// remote boards in remote/limits.h, and those of the gateway in web/http/limits.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel {

// Input of scripts and clients.
inline constexpr std::size_t kPlayerBytesMax = 255;  // one length byte; with a board's number it
                                                     // fits into a store key of 511 bytes
inline constexpr std::size_t kBoardNameBytesMax = 255;
inline constexpr std::size_t kDataBytesMax = 1024;       // an entry's data travels with the entry
inline constexpr std::size_t kResultIdBytesMax = 64;     // a match and a player, or a UUID
inline constexpr std::size_t kResultIdsMax = 1'000'000;  // of a board: 11 a second for 24 hours
inline constexpr std::size_t kResultIdsPerCall = 4;      // old ids erased for each new one, so that
                                                         // old ones become fewer
inline constexpr std::size_t kMetaBytesMax = 4096;       // a board's own metadata
inline constexpr std::size_t kRuleNameBytesMax = 64;     // it is a file name
inline constexpr std::size_t kCronBytesMax = 128;        // five fields with long lists
inline constexpr std::size_t kZoneNameBytesMax = 64;     // the longest of the IANA database has 32
inline constexpr std::size_t kZoneChangesMax = 2000;     // of a zone's offset; Morocco has 200
inline constexpr int kDurationDaysMax = 366;             // a cron that is due once a year
inline constexpr int kDecimalsMax = 9;                   // 10^9 and 2^53 leave six whole digits
inline constexpr std::int64_t kScaledMax = (std::int64_t{1} << 53) - 1;  // exact in a Lua number

// Scores of several columns.
inline constexpr std::size_t kColumnsMin = 2;
inline constexpr std::size_t kColumnsMax = 5;
inline constexpr std::size_t kColumnNameBytesMax = 32;
inline constexpr unsigned kColumnBitsMax = 63;  // of all columns: a whole score is one number

inline constexpr std::size_t kEmailBytesMax = 255;  // SMTP's limit is 254
inline constexpr std::size_t kGameBytesMax = 255;   // like a board's name
// Attributes of a player, which come from games: country, clan, platform, ...
inline constexpr std::size_t kAttributesMax = 16;
inline constexpr std::size_t kAttributeNameBytesMax = 64;
inline constexpr std::size_t kAttributeValueBytesMax = 255;  // the name of a clan
inline constexpr std::size_t kAttributeChangesMax = 32;      // at once: all others instead of all
inline constexpr std::size_t kSessionsPerBatch = 1000;       // sessions of a player that one batch
                                                             // erases

// Attributes by whose values a board is divided, and values of all of them that players on it have.
inline constexpr std::size_t kSegmentAttributesMax = 4;
inline constexpr std::size_t kSegmentValuesMax = 1'000'000;  // 200 bytes each: they come from games
// Segments of a board that keep what they have read, such as their tops: the others read again.
inline constexpr std::size_t kSegmentBoardsMax = 1024;
inline constexpr std::size_t kSegmentsOpenMax = 65'536;  // by a host in C, which gets numbers
inline constexpr std::uint32_t kCohortSizeMin = 2;       // players of a cohort
inline constexpr std::uint32_t kCohortSizeMax = 1000;
inline constexpr std::uint32_t kCohortsMax = 1U << 24;  // of a season: 16 bytes each

// Times: Unix seconds within 2^33, which as microseconds are exact in a Lua number too.
inline constexpr double kTimeSecondsMax = 8589934592.0;

// Metrics (metrics/): boards with a label of their own; a time series each, for several metrics.
inline constexpr std::size_t kMetricBoardsMax = 200;
inline constexpr std::int64_t kMetricsSecondsMax = 3600;      // between two writes of the file
inline constexpr std::int64_t kMetricsSeconds = 15;           // Prometheus's own default
inline constexpr std::int64_t kMetricsNanoseconds = 200'000;  // of a tick, to look at boards

// The socket by which the command `laurel` gives orders (control/).
// A line is an order of two names and a score, with each byte escaped.
inline constexpr std::size_t kControlLineBytesMax = 8192;
inline constexpr std::size_t kControlClientsMax = 4;            // moderators, at once
inline constexpr std::int64_t kControlNanoseconds = 1'000'000;  // of a tick, for their orders
// Milliseconds after which the command gives up, and microseconds after which an idle client is
// sent away.
inline constexpr std::int64_t kControlAnswerWithin = 5000;
inline constexpr std::int64_t kControlPatience = 10'000'000;

// Boards of one registry. A handle's slot has 32 bits, but listing a million boards is still cheap.
inline constexpr std::size_t kBoardsMax = 1'000'000;
// Players of one registry: 32-bit handles, the last one means "none".
inline constexpr std::uint32_t kPlayersMax = 0xFFFFFFFEU;

// The store. LMDB's keys have at most 511 bytes; the largest boards have pages of 100 KB.
inline constexpr std::size_t kStoreKeyBytesMax = 511;
inline constexpr std::size_t kStoreValueBytesMax = 102'400;
// The store on a disk.
// Changes that wait for the disk: half a minute of a busy server.
inline constexpr std::size_t kStoreWaitingBytesMax = std::size_t{256} << 20;
// The maximum size of a file: it takes address space, not memory.
inline constexpr std::size_t kStoreMapBytesMax = std::size_t{1} << 40;
// If the process may have less address space, the file is mapped with less and mapped again when it
// grows: at least this much, which holds 200,000 rows.
inline constexpr std::size_t kStoreMapBytesMin = std::size_t{32} << 20;
inline constexpr unsigned kStoreMapGrowthsMax = 20;  // in one flush: from the minimum to the
                                                     // maximum takes 15 doublings
// LMDB's lock file: its reader table, of which each open view takes 64 bytes.
inline constexpr std::size_t kStoreLockBytes = std::size_t{16} << 10;
// A disk with less free space than this is full: LMDB writes up to 256 KB at once.
inline constexpr std::uint64_t kStoreDiskFullBytes = std::uint64_t{1} << 20;
inline constexpr std::size_t kReclaimRowsPerTransaction = 10'000;  // what a busy tick changes
inline constexpr std::int64_t kStoreRetryMin = 100'000;            // microseconds after a failure,
inline constexpr std::int64_t kStoreRetryMax = 2'000'000;          // doubled up to this
// Microseconds between two checks for readers that were killed, so that their slots are free within
// a minute.
inline constexpr std::int64_t kStoreDeadReadersEvery = 30'000'000;
inline constexpr std::size_t kPagedLoggedMax = 200'000;  // logged rows of one paged engine: opening
                                                         // applies them, which takes about a second
// The store in memory.
inline constexpr std::size_t kTreePageBytes = 4096;  // copying an ordered page costs a few cache
                                                     // misses
inline constexpr std::size_t kInlineValueBytesMax = 256;  // a longer value is allocated by itself:
                                                          // at most a tenth of its size
inline constexpr std::size_t kTreeLevelsMax = 20;  // a page splits into halves of at least three
                                                   // cells: 3^20 leaves exceed memory

// A line of an export: 20 times an entry's id and data with each byte escaped.
inline constexpr std::size_t kLineBytesMax = 256 * 1024;

// Memory that a write has for certain once it has begun to change anything (memory_guarantee.h). A
// row of a ranked board of ten million takes at most half a megabyte at once; one of a paged board
// with the longest ids and data, or of a rolling board of seven million, about 10 MB. A block is
// more than an allocator asks the system for at once.
inline constexpr std::size_t kMemoryReserveBlocks = 16;
inline constexpr std::size_t kMemoryReserveBlockBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMemoryReserveBytes = kMemoryReserveBlocks * kMemoryReserveBlockBytes;
// What one board takes of a write to many boards, on average; the reserve covers the largest.
inline constexpr std::size_t kMemoryPerBoardBytes = std::size_t{16} << 10;

// Engines.
inline constexpr std::size_t kCapMax = 100'000;  // shown entries, and also reserve entries: both
                                                 // are in memory
inline constexpr int kDigitsMax = 15;            // 10^15 - 1 is exact in a Lua number
inline constexpr std::size_t kShardsMax = 1024;
inline constexpr std::size_t kGatherPartsMax = kShardsMax;  // a rolling board has fewer
inline constexpr std::size_t kGatherSkipMax = 16;  // rows skipped in each part on the way to a
                                                   // page: this costs one more search step
inline constexpr std::size_t kPageRowsMax = 1000;  // of an entry set and of a manifest
inline constexpr int kBucketsMax = 366;            // a leap year of days
inline constexpr std::int64_t kBucketLengthMin = 1'000;  // microseconds: a server's fastest tick
inline constexpr std::size_t kArchiveMax = 1000;      // seasons: daily ones of almost three years
inline constexpr std::size_t kCopiesWaitingMax = 64;  // past seasons of a board, beyond its
                                                      // archive, that wait for copies: two months
                                                      // of daily ones
// Past seasons of a board, beyond its archive, whose ends were not told to all names: three months
// of daily ones.
inline constexpr std::size_t kSeasonEndsWaitingMax = 100;
inline constexpr std::size_t kSeasonEndNamesMax = 64;  // names of handlers: each end lists them
inline constexpr std::size_t kSeasonEndNameBytesMax = 255;  // like a board's name
inline constexpr std::size_t kSeasonIdBytesMax = 64;  // ours have 26; those of imports are as long
                                                      // as the id of a result may be
inline constexpr std::int64_t kSeasonEndRetryMin = 1'000'000;   // microseconds after a failure,
inline constexpr std::int64_t kSeasonEndRetryMax = 60'000'000;  // doubled up to this
// On remote boards: how often a server looks for ends to tell, and how long its turn to tell one
// lasts. A server that dies loses the turn; the next one looks at most that much later.
inline constexpr std::int64_t kSeasonEndLookEvery = 5'000'000;
inline constexpr std::int64_t kSeasonEndTurn = 30'000'000;
// Processor time that handlers of season ends take in one tick, if more than one is called.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::int64_t kSeasonEndsNanoseconds = 50'000'000;
#else
inline constexpr std::int64_t kSeasonEndsNanoseconds = 5'000'000;
#endif
// Processor time that one tick spends on watches, live channels and freed rows: with the longest
// step that is not interrupted, the tick stays below two milliseconds. Code with sanitizers takes
// many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::int64_t kTickNanoseconds = 50'000'000;
#else
inline constexpr std::int64_t kTickNanoseconds = 1'000'000;
#endif
// Rows of erased boards and seasons that one tick frees at most: about a millisecond. They are
// freed in steps, as long as the tick has time.
inline constexpr std::size_t kReclaimRowsPerTick = 2000;
inline constexpr std::size_t kReclaimRowsPerStep = 32;
// Expired rows and players of a rolling board that each call frees: about 10 us, and more than one
// activity adds.
inline constexpr std::size_t kReclaimStepsPerCall = 64;
// Entry sets and manifests that one paged engine caches. A million entries with short ids fit, and
// then an update reads and writes no object.
inline constexpr std::size_t kPagedCacheBytesMax = std::size_t{64} << 20;
// Nodes that each change encodes during a write-back to a durable store: about 60 us. A random
// change dirties two nodes, so before n nodes are encoded, n/2 are dirty again.
inline constexpr std::size_t kPagedNodesPerCall = 4;

// Ranks at the last mark that a board keeps of players whose entries were read: 32 KB of memory.
inline constexpr std::size_t kKnownRanksMax = 1024;

// Loops over all entries of one board or season that are not finished: each change of a row is
// reported to each. One more ends the loop that was not used for the longest time, because scripts
// may break out of loops.
inline constexpr std::size_t kCursorsMax = 256;
// Ids that one such loop keeps of a board in the store: of players who moved across its place. They
// take about 60 MB.
inline constexpr std::size_t kCursorIdsMax = 1'000'000;

// Boards over boards. A write of a source asks all sources of the boards that are made from it, so
// their number bounds what a write costs; and each such board takes a row's memory of the reserve.
inline constexpr std::size_t kSourcesMax = 1000;       // of one combined board
inline constexpr std::size_t kDerivedBoardsMax = 256;  // of one registry: each new board's name is
                                                       // compared with the patterns of all
inline constexpr std::size_t kDerivedPerSourceMax = 16;
inline constexpr std::size_t kGroupBestMax = 100;  // members that count, read with each change
// With it, a weighted sum of kSourcesMax scores, at the most decimals, is below 2^127.
inline constexpr int kWeightDigitsMax = 9;

// Text.
inline constexpr std::size_t kRefusalBytesMax = 240;   // one line of a log
inline constexpr std::size_t kLogLineBytesMax = 1024;  // the longest line of a traceback fits

// Changes of a board that wait for its rule's changed() at the next tick. Without a limit a board
// that is never ticked would grow. Later changes are dropped and counted, so that the changes which
// a rule receives at a tick are in order and without a gap.
inline constexpr std::size_t kPendingChangesMax = 65'536;
// Watches of one registry: a few for each of the boards of a game with a board per map. Each keeps
// the top that it was told of.
inline constexpr std::size_t kWatchesMax = 100'000;
inline constexpr std::size_t kWatchTopMax = 1000;  // a watch compares its whole list at each tick

// Results of one player that a board keeps: more than a person plays in a day.
inline constexpr std::size_t kHistoryMax = 100;
// The log of a board's results has at most twice the records of those that are kept, and these.
inline constexpr std::size_t kHistoryPastResults = 4096;
// When a chunk of that log is full: how many old ones one result cleans away, and after how many
// moved results it stops. With the last player's these are at most 600 KB with the longest data.
inline constexpr std::size_t kHistoryCleanedChunks = 4;
inline constexpr std::size_t kHistoryMovedResults = 128;
// Submissions that a board keeps to rehearse rules on: a busy hour, in about 25 MB.
inline constexpr std::size_t kJournalMax = 100'000;
inline constexpr std::size_t kRehearsalExamplesMax = 100;  // what a person reads
// Rehearsals of one registry that are not finished: each has a rule's state.
inline constexpr std::size_t kRehearsalsMax = 16;
// Processor time that one tick spends on all of them. With the longest judgement it is not above
// kRuleCallNsMax by much.
inline constexpr std::int64_t kRehearsalTickNs = 500'000;

// Entries at a board's top that are cached as they were read: overlays and watches ask for them.
inline constexpr std::size_t kTopPageMax = 100;

// Windows of a board, as the live channel shows them, and those that a remote board keeps.
inline constexpr std::size_t kLiveTopMax = 100;    // entries that a client may ask for: one screen
inline constexpr std::size_t kLiveAroundMax = 10;  // entries above a followed player, and below

// Boards whose scores a read adds to its entries: a table of results has no more columns.
inline constexpr std::size_t kWithBoardsMax = 16;
// Names that are kept of recently read players: those around 4,000 followed players.
inline constexpr std::size_t kNamesKept = 65'536;
inline constexpr std::size_t kPlayerNameBytesMax = 255;  // as in save_player
inline constexpr std::size_t kRemoteNameBytesMax = 64;   // of a remote: specs name it

// Scripts.
// A list buffer of a registry keeps its memory between calls up to this length, and frees that of
// longer lists.
inline constexpr std::size_t kListItemsKept = 4096;
inline constexpr std::size_t kListBytesKept = 256 * 1024;
// Lines of another thread that wait for the game thread.
inline constexpr std::size_t kThreadLogLinesMax = 256;
// Lines that wait for a script's log function until the call ends; further ones go to standard
// error.
inline constexpr std::size_t kLogLinesMax = 4096;

// Tasks of a Lua state.
inline constexpr std::size_t kTasksMax = 10'000;  // waiting tasks: each has a stack of about 1 KB
inline constexpr std::size_t kTasksPooled = 128;  // coroutines kept for reuse
inline constexpr unsigned kTasksWithin = 100;     // nested tasks: each takes some of the C stack

// Board rules: scripts that run for every submission. The limits make a mistake in one cheap.
inline constexpr int kRuleInstructionsMax = 100'000;  // of one call: about a millisecond
inline constexpr std::size_t kRuleCallBytesMax = std::size_t{1} << 20;  // allocated by one call
// One rule with all that it stores, garbage included.
inline constexpr std::size_t kRuleStateBytesMax = std::size_t{16} << 20;
// A rule's source; it is compiled into that memory.
inline constexpr std::size_t kRuleFileBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kRuleVersionBytesMax = 128;  // a label in `info`, not a document
inline constexpr std::size_t kRulesMax = 1024;    // of one registry: each has a state of 30 KB
inline constexpr unsigned kRuleLinesPerTick = 5;  // log lines of one rule; the others are counted
inline constexpr std::uint64_t kRuleFailuresMax = 100;  // consecutive ones: then the rule is
                                                        // switched off
// The CPU time that one call may take: it ends calls that are slow with few instructions.
inline constexpr std::int64_t kRuleCallNsMax = 1'000'000;

// Hosted scripts.
inline constexpr std::size_t kScriptsMax = 256;  // of one directory: each is checked every tick
// A longer file is not source code.
inline constexpr std::size_t kScriptFileBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kScriptHandlersMax = 1024;  // of one script, all events together
inline constexpr std::size_t kScriptTimersMax = 1024;    // of one script: all are checked at each
                                                         // tick
// The range of instructions per call that a host may set: less runs no program, more limits none.
inline constexpr std::uint64_t kScriptInstructionsMin = 10'000;
inline constexpr std::uint64_t kScriptInstructionsMax = 1'000'000'000;
inline constexpr std::size_t kEventNameBytesMax = 255;
inline constexpr std::size_t kEventValuesMax = 16;  // they are passed on the C stack
inline constexpr unsigned kEventDepthMax = 16;  // nested events of scripts and host in one call:
                                                // LuaJIT's own limit is 200 C calls
inline constexpr unsigned kSameErrorLinesPerSecond = 3;  // log lines about one line of a script;
                                                         // the others are counted
inline constexpr std::size_t kErrorPlacesMax = 256;  // lines of scripts that are counted at a time

// The order of a board.
inline constexpr std::size_t kPackedRowsMax = 512;    // more rows are a tree, which takes almost
                                                      // three times the memory for the same rows
inline constexpr std::size_t kCappedPackedMax = 128;  // of a capped board: all of its rows may be
                                                      // new, and packed rows that widen allocate
// References to one player: an entry, a join and a ban on every board fit.
inline constexpr std::uint32_t kPlayerHoldsMax = (1U << 24) - 1;

}  // namespace laurel
