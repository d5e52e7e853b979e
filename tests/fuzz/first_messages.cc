// What a server's end of encrypted connections gets: first messages, and packets. For any input,
// only the one authentic first message is answered, nothing of a client is passed on before a
// packet of it was opened, and nothing that was not sealed is passed on at all.
//
// Directions: bit 0 the channel, bit 1 the connection whose word a ticket in clear has too, bit 2
// the frame is a message that the client with the keys seals.
#include <random>

#include "fuzz/handshake_ends.h"
#include "fuzz/target.h"
#include "live/secure/sealed_server.h"

namespace laurel::fuzz {
namespace {

constexpr std::size_t kFramesMax = 64;

Ticket ticket_of_word(TicketId id, std::uint32_t word, bool sealed) {
  Ticket ticket;
  ticket.id = id;
  ticket.sealed = sealed;
  ticket.secret = fuzz_secret();
  ticket.player = "ada";
  ticket.word = word;
  ticket.uses = 1;
  return ticket;
}

// One connection, from the client's side.
struct Side {
  Side(PeerId id, std::uint32_t of) : peer(id), word(of) { first = *client.first(); }

  PeerId peer;
  std::uint32_t word;
  ClientHandshake client = fuzz_client(word);
  std::string first;
  std::optional<SealedSession> session;
  bool proven = false;    // a packet on the reliable channel was opened
  bool in_clear = false;  // it began in clear
  bool over = false;
};

}  // namespace
}  // namespace laurel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel;
  using namespace laurel::fuzz;
  Admission admission(Auth::token, std::mt19937_64(1));
  admission.add(ticket_of_word(1, kSealedWord, true));
  admission.add(ticket_of_word(2, kWordOfBoth, true));
  admission.add(ticket_of_word(3, kWordOfBoth, false));
  FuzzNetwork network;
  SealedServer server(network, admission);
  server.set_key(fuzz_server());
  Side sides[] = {{1, kSealedWord}, {2, kWordOfBoth}};
  for (const Side& side : sides) {
    network.arrive({TransportEvent::Kind::connected, side.peer, {}, {}, 0, side.word});
    must(server.next().has_value(), "a connection is reported");
  }

  std::string_view input(reinterpret_cast<const char*>(data), size);
  for (std::size_t i = 0; i < kFramesMax; ++i) {
    std::optional<Frame> frame = next_frame(input);
    if (!frame) break;
    Side& side = sides[frame->directions & kFrameOther ? 1 : 0];
    if (side.over) continue;
    const Channel channel =
        frame->directions & kFrameUnsequenced ? Channel::unsequenced : Channel::reliable;
    const bool seals = (frame->directions & kFrameSealed) != 0 && side.session;
    const std::string message = frame->bytes;
    if (seals) side.session->seal(channel, message, frame->bytes);
    network.arrive({TransportEvent::Kind::received, side.peer, channel, frame->bytes, 0, 0});
    const bool answerable = !side.session && !side.in_clear && channel == Channel::reliable &&
                            frame->bytes == side.first;
    while (const std::optional<TransportEvent> event = server.next()) {
      must(event->peer == side.peer, "an event is of the connection that it came from");
      if (event->kind == TransportEvent::Kind::disconnected) {
        must(network.is_closed(side.peer), "a connection that has ended is closed");
        side.over = true;
        continue;
      }
      if (!side.session && !side.in_clear) {
        must(side.word == kWordOfBoth && channel == Channel::reliable &&
                 !is_first_message(frame->bytes),
             "only a connection with a ticket in clear begins in clear");
        side.in_clear = true;
      }
      side.proven = side.proven || channel == Channel::reliable;
      must(side.proven, "the first message that goes on is reliable");
      must(side.in_clear ? event->bytes == frame->bytes : seals && event->bytes == message,
           "what goes on was sealed by the client, or is of a connection in clear");
    }
    for (const FuzzNetwork::Sent& sent : network.take_sent()) {
      must(answerable && sent.bytes.size() == kSecondBytes, "only a first message is answered");
      const auto keys = side.client.finish(sent.bytes);
      must(keys.has_value(), "the answer is authentic");
      side.session.emplace(*keys);
    }
    must(!answerable || side.session, "the authentic first message is answered");
    must(!side.over || !server.is_sealed(side.peer), "an ended connection is forgotten");
  }
  return 0;
}
