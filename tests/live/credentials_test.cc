// What a client shows to be admitted, and in which order it tries what it has.
#include "live/auth/credentials.h"

#include <string>

#include <doctest/doctest.h>

namespace laurel {
namespace {

const std::string kText = "1122334400112233445566778899aabbccddeeff";
const std::string kSecret("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);

Credentials of(const std::string& text) {
  return {[text] { return Result<std::string>(text); }, false};
}

TEST_CASE("a token's text converts to its word and secret, and back") {
  const auto token = token_of(kText);
  REQUIRE(token);
  CHECK(token->word == 0x11223344);
  CHECK(std::string(token->secret.begin(), token->secret.end()) == kSecret);
  CHECK(to_text(*token) == kText);
  CHECK(token_of("11223344" + std::string(32, 'A')) == token_of("11223344" + std::string(32, 'a')));
  for (const char* const none :
       {"", "1122", "1122334400112233445566778899aabbccddeef",
        "1122334400112233445566778899aabbccddeeff0", "112233440011223344556677-899aabbccddeeff",
        "g122334400112233445566778899aabbccddeeff", "0x22334400112233445566778899aabbccddeeff",
        " 122334400112233445566778899aabbccddeeff"}) {
    CAPTURE(none);
    CHECK_FALSE(token_of(none));
  }
}

TEST_CASE("the text of a token for an encrypted connection has the server's key after the secret") {
  std::string key;
  for (int i = 0; i < 32; ++i) key += "7f";
  const auto token = token_of(kText + key);
  REQUIRE(token);
  CHECK(token->word == 0x11223344);
  CHECK(std::string(token->secret.begin(), token->secret.end()) == kSecret);
  REQUIRE(token->server);
  CHECK(std::string(token->server->begin(), token->server->end()) == std::string(32, '\x7f'));
  CHECK(to_text(*token) == kText + key);
  const auto gateway = token_of("gateway-" + kText + key);
  REQUIRE(gateway);
  CHECK(gateway->gateway);
  CHECK(gateway->server == token->server);
  CHECK(to_text(*gateway) == "gateway-" + kText + key);
  for (std::size_t size = 0; size < key.size(); ++size) {
    CHECK((size == 0) == token_of(kText + key.substr(0, size)).has_value());
  }
  CHECK_FALSE(token_of(kText + key + "0"));
  CHECK_FALSE(token_of(kText + "g" + key.substr(1)));
}

TEST_CASE("secrets are equal only if all of their bytes are") {
  CHECK(same_secret(kSecret, kSecret));
  CHECK_FALSE(same_secret(kSecret, std::string_view(kSecret).substr(1)));
  CHECK_FALSE(same_secret("", kSecret));
  for (std::size_t i = 0; i < kSecret.size(); ++i) {
    std::string other = kSecret;
    other[i] = static_cast<char>(other[i] ^ 1);
    CHECK_FALSE(same_secret(kSecret, other));
  }
}

TEST_CASE("without a valid token the word is 0 and the secret empty") {
  for (const char* const text : {"", "no token"}) {
    Credentials credentials = of(text);
    CHECK(*credentials.word() == 0);
    CHECK(credentials.secret().empty());
    credentials.welcomed(0);
    CHECK(*credentials.word() == 0);
    CHECK_FALSE(credentials.refused());
  }
}

TEST_CASE("after a welcome its word is used, and the token at each fourth silent attempt") {
  Credentials credentials = of(kText);
  CHECK(*credentials.word() == 0x11223344);
  CHECK(credentials.secret() == kSecret);
  credentials.failed();
  CHECK(*credentials.word() == 0x11223344);
  credentials.welcomed(77);
  for (int round = 0; round < 3; ++round) {
    for (int silence = 0; silence < 3; ++silence) {
      CHECK(*credentials.word() == 77);
      CHECK(credentials.secret() == kSecret);
      credentials.failed();
    }
    CHECK(*credentials.word() == 0x11223344);
    credentials.failed();
  }
  CHECK(*credentials.word() == 77);
  credentials.welcomed(78);
  CHECK(*credentials.word() == 78);
}

TEST_CASE("after a refused pass the token is tried, and after a refused token nothing") {
  Credentials credentials = of(kText);
  CHECK(credentials.word());
  credentials.welcomed(77);
  CHECK(*credentials.word() == 77);
  CHECK(credentials.refused());
  CHECK(*credentials.word() == 0x11223344);
  CHECK_FALSE(credentials.refused());
}

TEST_CASE("the word of a welcome keeps the server's key") {
  Credentials credentials = of(kText + std::string(64, '7'));
  CHECK(*credentials.word() == 0x11223344);
  CHECK(credentials.is_sealed());
  credentials.welcomed(77);
  CHECK(*credentials.word() == 77);
  CHECK(credentials.is_sealed());
  CHECK(credentials.secret() == kSecret);
}

TEST_CASE(
    "after a refusal by a server without a proof, pass and token are tried in turn, and kept") {
  Credentials credentials = of(kText + std::string(64, '7'));
  CHECK(*credentials.word() == 0x11223344);
  credentials.welcomed(77);
  for (int round = 0; round < 3; ++round) {
    CHECK(*credentials.word() == 77);
    CHECK(credentials.refused_by_stranger());
    CHECK(*credentials.word() == 0x11223344);
    CHECK_FALSE(credentials.refused_by_stranger());
  }
  CHECK(*credentials.word() == 77);
}

TEST_CASE("a token function is called for each attempt that needs a token, even after a refusal") {
  int asked = 0;
  bool ready = false;
  Credentials credentials(
      [&]() -> Result<std::string> {
        ++asked;
        if (!ready) return Refusal(Code::unavailable, "not yet");
        return kText;
      },
      true);
  CHECK(credentials.word().refusal().text() == "unavailable: not yet");
  ready = true;
  CHECK(*credentials.word() == 0x11223344);
  CHECK(credentials.refused());
  CHECK(*credentials.word() == 0x11223344);
  CHECK(asked == 3);
  credentials.welcomed(5);
  CHECK(*credentials.word() == 5);
  CHECK(asked == 3);
}

}  // namespace
}  // namespace laurel
