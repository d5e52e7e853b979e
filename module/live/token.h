// token.h - what a client shows to be let in, as people and programs pass it on.
//
//   word     goes into ENet's connect data: without one that the server expects, a connection costs
//            it nothing.
//   secret   kLiveSecretBytes drawn by the system; goes into hello.
//   text     40 hexadecimal digits: the word in 8, the secret in 32.
//   threads  none; everything here is pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"

namespace laurel {

using Secret = std::array<char, kLiveSecretBytes>;

struct Token {
  std::uint32_t word = 0;  // never 0 in a token that a server drew
  Secret secret{};

  friend bool operator==(const Token&, const Token&) = default;
};

std::string to_text(const Token& token);

// Nothing when the text is not one. Letters may be capital.
std::optional<Token> token_of(std::string_view text);

// In a time that says nothing of where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace laurel
