// handshake.h - the two messages with which a client and a server agree on the keys of a
// connection, and prove to each other who they are. SECURITY.md says why it is so.
//
//   first    of the client: it knows the secret of the word with which it connects, and the
//            server's public key. Anyone may send a recorded one again, so it proves nothing yet.
//   second   of the server: it has the private key, and knows the secret.
//   proof    the first packet that the session opens (sealed_session.h) proves the client.
//   sizes    kFirstBytes is more than four times kSecondBytes, so that a server sends less than a
//            quarter of what it got to a client that has proven nothing.
//   version  of this handshake and of the sessions; apart from that of the protocol inside.
//   threads  none; all is bytes in, bytes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "live/auth/token.h"
#include "live/secure/noise.h"

namespace laurel {

inline constexpr std::uint8_t kSealVersionMin = 1;
inline constexpr std::uint8_t kSealVersionMax = 1;

// The first bytes of the two messages.
inline constexpr char kFirstKind = '\x70';
inline constexpr char kSecondKind = '\xf0';

inline constexpr std::size_t kFirstBytes = 288;
inline constexpr std::size_t kSecondBytes = 1 + NoiseHandshake::kOverhead + 1;

// What both sides have in common of a token's secret: the key "psk" of Noise.
SecretKey shared_key(const Secret& secret);

// The client's side.
class ClientHandshake {
 public:
  // word       that the client connects with
  // ephemeral  a pair that is used for this connection only
  ClientHandshake(std::uint32_t word, const Secret& secret, const PublicKey& server,
                  const KeyPair& ephemeral);

  // Returns the first message; nullopt if the server's key is not one.
  std::optional<std::string> first();
  // Returns the keys of the connection; nullopt if the bytes are not the answer of this server to
  // the first message. Then the connection must end.
  std::optional<SessionKeys> finish(std::string_view second);

 private:
  NoiseHandshake noise_;
};

// Whether the bytes begin as a first message does.
bool is_first_message(std::string_view bytes);

// The server's answer to a first message.
struct ServerAnswer {
  std::string second;  // for the client
  SessionKeys keys;
};

// Returns the answer; nullopt if the bytes are not a first message for this server, word and
// secret, or have no version in common with it.
std::optional<ServerAnswer> answer_to(std::string_view first, std::uint32_t word,
                                      const Secret& secret, const KeyPair& server,
                                      const KeyPair& ephemeral);

}  // namespace laurel
