// live/limits.h - the limits of the live channel, each with its reason. Times are microseconds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/limits.h"

namespace laurel {

inline constexpr double kLiveAroundRate = 5;       // updates a second of such a view
inline constexpr std::size_t kLiveAroundKept = 4;  // snapshots of such a view: 0.8 s. Each followed
                                                   // player has its own view
inline constexpr std::size_t kLiveWindowsKept = 32;  // snapshots: 1.6 s of a board at 20 updates a
                                                     // second, longer than acknowledgements take
// Boards that are published at once, as in games with a board per map: each keeps a ring of
// snapshots, of which one that does not change has one.
inline constexpr std::size_t kLiveBoardsMax = 65'536;
inline constexpr std::size_t kLiveClientsMax = 4000;        // ENet's limit is 4,095 peers
inline constexpr double kLiveRateMax = 1000;                // a tick of a millisecond
inline constexpr std::size_t kLiveDatagramBytesMax = 1200;  // with ENet's headers it fits into
                                                            // 1,232, which IPv6's smallest MTU
                                                            // carries unfragmented
// What encryption adds to a message: a number and a tag.
inline constexpr std::size_t kLiveSealBytes = 24;
inline constexpr std::size_t kLiveMtu = 1232;  // 1,280 less the headers of IPv6 and UDP
inline constexpr std::size_t kLiveMessageBytesMax = 32 * 1024;  // 100 entries of the longest ids
inline constexpr std::size_t kLiveWaitingBytesMax = 64 * 1024;  // one such message and the next
inline constexpr std::uint64_t kLiveNumberMax = (std::uint64_t{1} << 53) - 1;  // exact in Lua
inline constexpr std::size_t kLiveSecretBytes = 16;     // of a token: it cannot be guessed
inline constexpr std::size_t kLivePublicKeyBytes = 32;  // of a server, in its tokens
// Sealed tickets that have one word by chance, and are tried for an encrypted connection.
inline constexpr std::size_t kLiveSecretsOfWordMax = 4;
inline constexpr std::size_t kLiveTokensMax = 65'536;  // tokens that are not used up: 16 for each
                                                       // client
inline constexpr std::size_t kLivePassesMax = 16'384;  // of admitted clients, connected or lost
inline constexpr unsigned kLiveTokenUsesMax = 1'000'000;   // the whole audience of a stream
inline constexpr std::int64_t kLivePassFor = 600'000'000;  // how long a pass is valid after its
                                                           // connection was lost
inline constexpr unsigned kLiveAttemptsMax = 4;  // connections that were begun with one connect
                                                 // word and are not admitted yet
inline constexpr double kLiveDenialsPerSecond = 100;  // answers to clients that may not connect:
                                                      // enough for people, not for floods
// Limits of one client of version 1: it only reads, so they are generous. client_limits.h has those
// of the others.
inline constexpr std::size_t kLiveSubscriptionsMax = 16;
inline constexpr std::size_t kLiveAckStreamsMax = 16;           // of one ack
inline constexpr std::size_t kLiveClientMessageBytesMax = 640;  // a follow with the longest names
inline constexpr double kLiveUsualRate = 20;  // updates a second; a faster server receives more
                                              // acknowledgements
inline constexpr double kLiveClientBytesPerSecond = 4096;  // 16 streams acknowledged at 20 Hz
inline constexpr double kLiveClientBytesBurst = 8192;  // two seconds of them that arrive together
inline constexpr double kLiveControlPerSecond = 5;     // a person that pages through boards
inline constexpr double kLiveControlBurst = 20;  // hello and 16 subscriptions after a reconnect
// From version 2 on: a page with many small boards, and a program that serves others.
inline constexpr std::size_t kLiveMoreSubscriptionsMax = 64;
inline constexpr std::size_t kLiveGatewaySubscriptionsMax = 1024;
// Control messages that a client sends at once: fewer than kLiveReliableAheadMax.
inline constexpr double kLiveControlAhead = 48;
inline constexpr unsigned kLiveGatewayAttemptsMax = 64;  // as kLiveAttemptsMax: ten gateways that
                                                         // are started together, and more
inline constexpr std::size_t kLiveTokenTextBytesMax = 255;
inline constexpr std::size_t kLiveQuestionsMax = 1024;  // of a client, not answered yet
inline constexpr std::int64_t kLiveAnswerWithin = 10'000'000;
// The list of published boards. A message is filled with descriptions; the next one is sent when
// the client asks for it.
inline constexpr std::size_t kLiveListBytesMax = 16 * 1024;
inline constexpr std::int64_t kLiveSizesEvery = 1'000'000;   // sizes of boards change all the time
inline constexpr int kLiveOffencesMax = 10;                  // more than accidents cause
inline constexpr std::int64_t kLiveHelloWithin = 3'000'000;  // a connection without a hello holds a
                                                             // slot
// Wrong acknowledgements of the answer to a connect; then the connection is ignored. A sender that
// guesses the number, because it does not see the answer, succeeds once in 16,384 connects.
inline constexpr int kLiveWrongProofsMax = 4;
// Reliable messages that a client may have in flight: enough for the acks of large states while one
// is sent again.
inline constexpr std::uint16_t kLiveReliableAheadMax = 64;
// On a full server a newcomer gets the slot of a client without a subscription for this long. A
// client that changes from one board to another has none for a moment.
inline constexpr std::int64_t kLiveIdleAfter = 10'000'000;
// An address gets one in this many of an open server's slots, if the owner names no number. So an
// attacker needs four addresses to take all, and a school behind one address has 256 of 1,024.
inline constexpr std::size_t kLiveShareOfAddress = 4;
// Connections beyond the slots, which are told that the server is full: each takes about two round
// trips, so that 300 newcomers a second are told. With 4,000 clients they fit into ENet's 4,095
// peers.
inline constexpr std::size_t kLiveRefusalSlots = 64;
inline constexpr std::size_t kLiveRefusalsOfAddress = 8;  // of one address
// New connections: ENet searches all of its peers for each. 4,000 clients that reconnect together
// take two seconds, and a flood of connection attempts takes a twelfth of a core.
inline constexpr double kLiveConnectsPerSecond = 2'000;
// The socket's receive buffer. The system may allow less (net.core.rmem_max): Debian's default
// holds about 500 acknowledgements.
inline constexpr int kLiveSocketBytes = 4 << 20;
// When to send again, and when to drop the client.
inline constexpr int kLiveEagerSends = 3;  // unanswered sends, one each tick, before sends are
                                           // spaced
inline constexpr std::int64_t kLiveSparseAfter = 2'000'000;  // of silence: longer than a burst of
                                                             // loss
inline constexpr std::int64_t kLiveSparseInterval = 1'000'000;
inline constexpr std::int64_t kLiveSlowAfter = 10'000'000;  // of silence: a board that old is
                                                            // useless to a client
inline constexpr std::int64_t kLivePaceWindow = 2'000'000;  // period over which delivery is judged
// The client's timers.
inline constexpr std::int64_t kLivePingEvery = 2'000'000;
inline constexpr std::int64_t kLiveDoubtAfter = 3'000'000;  // at least one ping was not answered
inline constexpr std::int64_t kLiveDoubtPingEvery = 250'000;
inline constexpr std::int64_t kLiveLostAfter = 10'000'000;  // about 30 unanswered pings: not by
                                                            // chance
inline constexpr std::int64_t kLiveConnectWithin = 5'000'000;
inline constexpr std::int64_t kLiveBackoffMin = 250'000;
inline constexpr std::int64_t kLiveBackoffMax = 10'000'000;
inline constexpr std::int64_t kLiveResyncEvery = 1'000'000;
// Loops and queues of the live thread.
inline constexpr int kLiveServiceErrorsMax = 64;  // oversized datagrams skipped in one service call
inline constexpr int kLiveServiceRoundsMax = 64;  // of 256 datagrams; then the tick is run
inline constexpr std::size_t kLiveEventsMax = 8192;        // handled between two ticks
inline constexpr std::int64_t kLiveCloseWithin = 300'000;  // for the goodbyes to all clients

}  // namespace laurel
