// What a client's end of an encrypted connection gets: second messages, packets, and the end. For
// any input, only the server's authentic answer makes a connection, nothing is passed on that the
// server did not seal, and only its own reason is believed.
//
// Directions: bit 0 the channel, bit 1 the frame's first four bytes are the reason of an end, bit 2
// the frame is a message that the server seals, bit 3 the frame is the server's answer.
#include "base/bytes.h"
#include "fuzz/handshake_ends.h"
#include "fuzz/target.h"
#include "live/secure/sealed_client.h"

namespace laurel::fuzz {
namespace {

constexpr std::size_t kFramesMax = 64;
constexpr std::uint8_t kFrameEnds = 2;
constexpr std::uint8_t kFrameAnswers = 8;

}  // namespace
}  // namespace laurel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel;
  using namespace laurel::fuzz;
  FuzzNetwork network;
  SealedClient client(network);
  Token token{kSealedWord, fuzz_secret()};
  token.server = fuzz_server().public_key;
  const PeerId peer = *client.connect(kSealedWord, token);
  network.arrive({TransportEvent::Kind::connected, peer, {}, {}, 0, 0});
  must(!client.next(), "there is no connection before the handshake");
  const std::vector<FuzzNetwork::Sent> sent = network.take_sent();
  must(sent.size() == 1 && sent[0].bytes.size() == kFirstBytes, "a client begins the handshake");
  const auto answer =
      answer_to(sent[0].bytes, kSealedWord, fuzz_secret(), fuzz_server(), fuzz_pair(3));
  must(answer.has_value(), "the client's first message is answered");
  SealedSession server(answer->keys);
  bool connected = false;

  std::string_view input(reinterpret_cast<const char*>(data), size);
  for (std::size_t i = 0; i < kFramesMax; ++i) {
    std::optional<Frame> frame = next_frame(input);
    if (!frame) break;
    const Channel channel =
        frame->directions & kFrameUnsequenced ? Channel::unsequenced : Channel::reliable;
    if (frame->directions & kFrameEnds) {
      const std::uint32_t why = ByteReader(frame->bytes).u32();
      network.arrive({TransportEvent::Kind::disconnected, peer, {}, {}, why, 0});
      const auto event = client.next();
      must(event && event->kind == TransportEvent::Kind::disconnected, "an end is reported");
      const bool genuine = connected && why != 0 && why == server.seal_reason(why & 0xFF);
      const bool refused = !connected && why == static_cast<std::uint32_t>(Reason::refused);
      must(event->why == (genuine || refused ? why & 0xFF : 0),
           "only a genuine reason is believed");
      return 0;
    }
    const std::string message = frame->bytes;
    const bool seals = connected && (frame->directions & kFrameSealed) != 0;
    if (seals) server.seal(channel, message, frame->bytes);
    if (frame->directions & kFrameAnswers) frame->bytes = answer->second;
    const bool answers =
        !connected && channel == Channel::reliable && frame->bytes == answer->second;
    network.arrive({TransportEvent::Kind::received, peer, channel, frame->bytes, 0, 0});
    const auto event = client.next();
    must(network.take_sent().empty(), "a client's end sends nothing by itself after that");
    if (answers) {
      must(event && event->kind == TransportEvent::Kind::connected, "the answer connects");
      connected = true;
      continue;
    }
    if (!event) continue;
    if (event->kind == TransportEvent::Kind::disconnected) {
      must(network.is_closed(peer) && event->why == 0, "a broken connection is closed");
      return 0;
    }
    must(event->kind == TransportEvent::Kind::received && seals && event->bytes == message,
         "what goes on was sealed by the server");
  }
  return 0;
}
