// token.h - the credential that lets a client connect, and its text form.
//
//   word     is sent as ENet's connect data. The server ignores connects with an unknown word, so
//            that they cost it nothing.
//   secret   kLiveSecretBytes of system randomness; is sent in hello.
//   server   the public key of the server's registry. A token that has it makes an encrypted
//            connection, and no other: its secret crosses the network only inside of it. One that
//            does not (`clear`) makes one that is not encrypted.
//   text     40 hexadecimal digits: 8 of the word, 32 of the secret; then 64 of the server's key,
//            if the token has it. Before those of a gateway's token is "gateway-".
//   gateway  a program that serves others: its token is good for any number of connections.
//   threads  none; all functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "live/limits.h"

namespace laurel {

using Secret = std::array<char, kLiveSecretBytes>;
using PublicKey = std::array<char, kLivePublicKeyBytes>;  // of X25519

struct Token {
  std::uint32_t word = 0;  // never 0 in a token that a server drew
  Secret secret{};
  bool gateway = false;
  std::optional<PublicKey> server = std::nullopt;

  friend bool operator==(const Token&, const Token&) = default;
};

std::string to_text(const Token& token);

// Returns nullopt if the text is not a token. Accepts capital letters.
std::optional<Token> token_of(std::string_view text);

// Compares in constant time, so that timing does not reveal where the secrets differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace laurel
