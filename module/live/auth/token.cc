#include "live/auth/token.h"

#include <charconv>
#include <span>
#include <system_error>

#include <fmt/core.h>

#include "live/limits.h"

namespace laurel {

namespace {

constexpr std::string_view kGatewayPrefix = "gateway-";
constexpr std::size_t kWordDigits = 8;
constexpr std::size_t kTokenDigits = kWordDigits + 2 * kLiveSecretBytes;
constexpr std::size_t kKeyDigits = 2 * kLivePublicKeyBytes;

template <typename Number>
bool read_hex(std::string_view digits, Number& number) {
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, number, 16);
  return error == std::errc() && stopped == end;
}

void write_digits(std::span<const char> bytes, std::string& text) {
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
}

// Takes the digits of the bytes from the text. Returns false if it has others.
bool take_bytes(std::string_view& text, std::span<char> bytes) {
  for (char& byte : bytes) {
    std::uint8_t value = 0;
    if (!read_hex(text.substr(0, 2), value)) return false;
    byte = static_cast<char>(value);
    text.remove_prefix(2);
  }
  return true;
}

}  // namespace

std::string to_text(const Token& token) {
  std::string text = fmt::format("{}{:08x}", token.gateway ? kGatewayPrefix : "", token.word);
  write_digits(token.secret, text);
  if (token.server) write_digits(*token.server, text);
  return text;
}

std::optional<Token> token_of(std::string_view text) {
  Token token;
  token.gateway = text.starts_with(kGatewayPrefix);
  if (token.gateway) text.remove_prefix(kGatewayPrefix.size());
  if (text.size() == kTokenDigits + kKeyDigits) token.server.emplace();
  if (text.size() != kTokenDigits + (token.server ? kKeyDigits : 0) ||
      !read_hex(text.substr(0, kWordDigits), token.word)) {
    return std::nullopt;
  }
  text.remove_prefix(kWordDigits);
  if (!take_bytes(text, token.secret)) return std::nullopt;
  if (token.server && !take_bytes(text, *token.server)) return std::nullopt;
  return token;
}

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

}  // namespace laurel
