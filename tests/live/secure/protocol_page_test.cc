// The handshake in PROTOCOL.md must be right: its dumps are read from the page, made again, and
// opened.
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "live/secure/handshake_fixture.h"
#include "live/secure/sealed_session.h"

namespace laurel {
namespace {

// The fenced blocks "```seal NAME": bytes in hexadecimal, with comments after semicolons.
std::map<std::string, std::string> sealed_dumps() {
  std::ifstream page(LAUREL_PROTOCOL_PAGE);
  REQUIRE(page);
  std::map<std::string, std::string> found;
  std::string* inside = nullptr;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```seal ")) {
      inside = &found[line.substr(8)];
    } else if (line.starts_with("```")) {
      inside = nullptr;
    } else if (inside != nullptr) {
      std::istringstream bytes(line.substr(0, line.find(';')));
      for (std::string byte; bytes >> byte;) *inside += test::bytes_of_hex(byte);
    }
  }
  return found;
}

// The line of the page that has the words.
std::string line_with(std::string_view words) {
  std::ifstream page(LAUREL_PROTOCOL_PAGE);
  for (std::string line; std::getline(page, line);) {
    if (line.find(words) != std::string::npos) return line;
  }
  return {};
}

SecretKey counting_from(unsigned char first) {
  SecretKey key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    key.data()[i] = static_cast<unsigned char>(first + i);
  }
  return key;
}

TEST_CASE("the handshake and the packets in PROTOCOL.md are those of its keys") {
  const std::map<std::string, std::string> dumps = sealed_dumps();
  REQUIRE(dumps.size() == 6);
  const std::optional<Token> token = token_of(
      "1122334400112233445566778899aabbccddeeff"
      "07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c");
  REQUIRE((token && token->server));
  CHECK_FALSE(line_with(to_text(*token).substr(40)).empty());
  const KeyPair server = key_pair_of(counting_from(0x01));
  REQUIRE(server.public_key == *token->server);
  const SecretKey shared = shared_key(token->secret);
  CHECK(std::string(reinterpret_cast<const char*>(shared.data()), shared.size()) ==
        dumps.at("psk"));

  ClientHandshake client(token->word, token->secret, *token->server,
                         key_pair_of(counting_from(0x41)));
  CHECK(client.first() == dumps.at("first"));
  const auto answer = answer_to(dumps.at("first"), token->word, token->secret, server,
                                key_pair_of(counting_from(0x81)));
  REQUIRE(answer);
  CHECK(answer->second == dumps.at("second"));
  const auto keys = client.finish(dumps.at("second"));
  REQUIRE(keys);

  SealedSession at_client(*keys), at_server(answer->keys);
  std::string message;
  REQUIRE(at_server.open(Channel::reliable, dumps.at("hello"), message));
  const auto hello = decode_client(message, Channel::reliable);
  REQUIRE((hello && std::holds_alternative<Hello>(*hello)));
  CHECK(std::get<Hello>(*hello).version_max == 2);
  CHECK(std::get<Hello>(*hello).secret ==
        std::string_view(token->secret.data(), token->secret.size()));
  REQUIRE(at_server.open(Channel::unsequenced, dumps.at("ping"), message));
  CHECK(decode_client(message, Channel::unsequenced) == ClientMessage(Ping{7}));
  REQUIRE(at_client.open(Channel::unsequenced, dumps.at("pong"), message));
  CHECK(decode_server(message, Channel::unsequenced) == ServerMessage(Pong{7}));
  CHECK(at_server.seal_reason(8) == 0x5e107808);
  CHECK_FALSE(line_with("`0x5e107808`").empty());
}

}  // namespace
}  // namespace laurel
