// The handshake: published vectors, and what a message that is changed or not meant for the server
// brings about.
#include <array>
#include <string>

#include <doctest/doctest.h>

#include "live/secure/handshake_fixture.h"
#include "live/secure/sealed_session.h"

namespace laurel {
namespace {

using test::bytes_of_hex;
using test::Meeting;

// source: vectors/cacophony.txt of cacophony, J. Galt, the vector of this name; payloads 3 to 6 are
// transport messages.
struct PublishedMessage {
  std::string_view payload, sealed;
};
constexpr std::array<PublishedMessage, 6> kPublished = {
    {{"4c756477696720766f6e204d69736573",
      "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c794432c362f61a0162a93280a9e1c53e"
      "db8ce7487fd12a4d1731495a24051a5afca8"},
     {"4d757272617920526f746862617264",
      "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f1448088430e8d0924ed6525d4045188c3b225"
      "604c254ac2d8d33a8a3b0c7f5eb1975ba4"},
     {"462e20412e20486179656b", "4781e2a7bef65e0ae3da3508cf44a8b7a92880077b8e73afaef494"},
     {"4361726c204d656e676572", "f14b1feb6ff970fc3993f1c2383f33fa48138bfc5aa2ee89e40107"},
     {"4a65616e2d426170746973746520536179",
      "4ab72fba875b34dbc38da46b09fe1ad4d72faeb3514180d39a57b6cf22d646fcfa"},
     {"457567656e2042f6686d20766f6e2042617765726b",
      "1ca4c48531c304d8d1472124d5e082e29332d9527a743ac875b3bea0fb372f1d08168561b1"}}};

TEST_CASE("the handshake is Noise_NKpsk0_25519_ChaChaPoly_BLAKE2b as its test vector has it") {
  const std::string prologue = bytes_of_hex("4a6f686e2047616c74");
  const SecretKey shared =
      test::secret_key_of_hex("54686973206973206d7920417573747269616e20706572737065637469766521");
  const KeyPair server = key_pair_of(
      test::secret_key_of_hex("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893"));
  REQUIRE(
      server.public_key ==
      test::public_key_of_hex("31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62"));
  NoiseHandshake client = NoiseHandshake::initiator(
      prologue, shared, server.public_key,
      key_pair_of(test::secret_key_of_hex(
          "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a")));
  NoiseHandshake answering = NoiseHandshake::responder(
      prologue, shared, server,
      key_pair_of(test::secret_key_of_hex(
          "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b")));

  const auto first = client.write_first(bytes_of_hex(kPublished[0].payload));
  REQUIRE(first == bytes_of_hex(kPublished[0].sealed));
  CHECK(answering.read_first(*first) == bytes_of_hex(kPublished[0].payload));
  const auto second = answering.write_second(bytes_of_hex(kPublished[1].payload));
  REQUIRE(second == bytes_of_hex(kPublished[1].sealed));
  CHECK(client.read_second(*second) == bytes_of_hex(kPublished[1].payload));
  CHECK(client.hash() ==
        bytes_of_hex("a32c665fae82ea979751627b098c45e755574719a147af4bd6bb92a790dc6dc64b33f09424aa7"
                     "d21ae70c46207b5d103c7150cdc6df02dc2aa470c76647da0e0"));
  CHECK(answering.hash() == client.hash());

  SealedSession at_client(client.keys()), at_server(answering.keys());
  for (std::size_t i = 2; i < kPublished.size(); ++i) {
    CAPTURE(i);
    SealedSession& from = i % 2 == 0 ? at_client : at_server;
    SealedSession& to = i % 2 == 0 ? at_server : at_client;
    std::string packet, message;
    from.seal(Channel::reliable, bytes_of_hex(kPublished[i].payload), packet);
    CHECK(packet == bytes_of_hex(kPublished[i].sealed));
    REQUIRE(to.open(Channel::reliable, packet, message));
    CHECK(message == bytes_of_hex(kPublished[i].payload));
  }
}

TEST_CASE("a client and a server that know the secret have the same keys, crosswise") {
  Meeting meeting;
  CHECK(meeting.first.size() == kFirstBytes);
  const auto answer = meeting.answer(meeting.first);
  REQUIRE(answer);
  CHECK(answer->second.size() == kSecondBytes);
  const auto keys = meeting.client.finish(answer->second);
  REQUIRE(keys);
  CHECK(std::memcmp(keys->send.data(), answer->keys.receive.data(), keys->send.size()) == 0);
  CHECK(std::memcmp(keys->receive.data(), answer->keys.send.data(), keys->receive.size()) == 0);
  CHECK(std::memcmp(keys->send.data(), keys->receive.data(), keys->send.size()) != 0);
}

TEST_CASE("the answer is less than a quarter of the first message, with all that ENet adds") {
  // Header and command of a reliable message; the answer comes with an acknowledgement.
  constexpr std::size_t kHead = 4, kCommand = 6, kAcknowledgement = 8;
  CHECK(4 * (kHead + kCommand + kAcknowledgement + kSecondBytes) <= kHead + kCommand + kFirstBytes);
}

TEST_CASE("a first message with any bit flipped gets no answer") {
  const Meeting meeting;
  for (std::size_t bit = 0; bit < 8 * meeting.first.size(); ++bit) {
    std::string changed = meeting.first;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    // X25519 ignores the highest bit of a key, but the handshake's hash has all of it.
    CHECK_MESSAGE(!meeting.answer(changed), "bit ", bit);
  }
}

TEST_CASE("an answer with any bit flipped is not taken") {
  for (std::size_t bit = 0; bit < 8 * kSecondBytes; ++bit) {
    Meeting meeting;
    std::string second = meeting.answer(meeting.first)->second;
    second[bit / 8] = static_cast<char>(second[bit / 8] ^ 1 << bit % 8);
    CHECK_MESSAGE(!meeting.client.finish(second), "bit ", bit);
  }
}

TEST_CASE("messages of any other length are not taken") {
  Meeting meeting;
  const std::string second = meeting.answer(meeting.first)->second;
  for (std::size_t size = 0; size < meeting.first.size(); ++size) {
    CHECK_FALSE(meeting.answer(meeting.first.substr(0, size)));
  }
  CHECK_FALSE(meeting.answer(meeting.first + '\0'));
  for (std::size_t size = 0; size < second.size(); ++size) {
    CHECK_FALSE(meeting.client.finish(second.substr(0, size)));
  }
  CHECK_FALSE(meeting.client.finish(second + '\0'));
  CHECK(meeting.client.finish(second));  // none of these used the handshake up
}

TEST_CASE("a client with the secret gets no answer to a first message of another size") {
  const Meeting meeting;
  test::OtherFirst first;
  CHECK(meeting.answer(first.of(meeting)));
  first.padding.pop_back();
  CHECK_FALSE(meeting.answer(first.of(meeting)));
  first.padding += std::string(2, '\0');
  CHECK_FALSE(meeting.answer(first.of(meeting)));
}

TEST_CASE("a first message whose padding is not zeros gets no answer") {
  const Meeting meeting;
  for (const std::size_t at : {std::size_t{0}, std::size_t{100}}) {
    test::OtherFirst first;
    first.padding[at] = 1;
    CHECK_FALSE(meeting.answer(first.of(meeting)));
  }
}

TEST_CASE("the server answers with a version that both speak, or not at all") {
  const Meeting meeting;
  const auto answers = [&](std::uint8_t min, std::uint8_t max) {
    test::OtherFirst first;
    first.version_min = min;
    first.version_max = max;
    return meeting.answer(first.of(meeting)).has_value();
  };
  CHECK(answers(kSealVersionMin, kSealVersionMax + 7));
  CHECK(answers(0, kSealVersionMax));
  CHECK_FALSE(answers(kSealVersionMax + 1, kSealVersionMax + 2));
  CHECK_FALSE(answers(0, 0));
  CHECK_FALSE(answers(kSealVersionMax + 1, kSealVersionMax));
}

TEST_CASE("a client takes no answer with a version that it did not offer") {
  for (const int offered : {kSealVersionMin - 1, kSealVersionMax + 0, kSealVersionMax + 1}) {
    const auto version = static_cast<std::uint8_t>(offered);
    Meeting meeting;
    CHECK(meeting.client.finish(test::second_of(meeting, version)).has_value() ==
          (version == kSealVersionMax));
  }
}

TEST_CASE("a first message is only for its word, its secret and its server") {
  const Meeting meeting;
  const KeyPair fresh = draw_key_pair();
  CHECK(answer_to(meeting.first, meeting.word, meeting.secret, meeting.server, fresh));
  CHECK_FALSE(answer_to(meeting.first, meeting.word + 1, meeting.secret, meeting.server, fresh));
  CHECK_FALSE(answer_to(meeting.first, meeting.word, test::secret_of('t'), meeting.server, fresh));
  CHECK_FALSE(answer_to(meeting.first, meeting.word, meeting.secret, draw_key_pair(), fresh));
}

TEST_CASE("a server with another key than the token names cannot answer, even with the secret") {
  Meeting meeting;
  // The man in the middle begins a handshake of its own with the client's bytes.
  const KeyPair other = draw_key_pair();
  CHECK_FALSE(answer_to(meeting.first, meeting.word, meeting.secret, other, draw_key_pair()));
  // It answers as the server of a client that trusts its key would be answered.
  ClientHandshake trusting(meeting.word, meeting.secret, other.public_key, draw_key_pair());
  const auto answer =
      answer_to(trusting.first().value(), meeting.word, meeting.secret, other, draw_key_pair());
  REQUIRE(answer);
  CHECK_FALSE(meeting.client.finish(answer->second));
}

TEST_CASE("a replayed first message is answered with other keys each time") {
  Meeting meeting;
  const auto answer = meeting.answer(meeting.first), again = meeting.answer(meeting.first);
  REQUIRE(answer);
  REQUIRE(again);
  CHECK(answer->second != again->second);
  CHECK(std::memcmp(answer->keys.send.data(), again->keys.send.data(), 32) != 0);
  // The client, which has the answer to one of them, cannot be led to the other's keys.
  SealedSession client(meeting.client.finish(answer->second).value());
  SealedSession replayed(again->keys);
  std::string packet, message;
  client.seal(Channel::reliable, "hello", packet);
  CHECK_FALSE(replayed.open(Channel::reliable, packet, message));
}

TEST_CASE("a key that makes every secret known is refused") {
  // source: RFC 7748, section 6: points of small order. The first two of them.
  for (const char first : {'\0', '\1'}) {
    PublicKey known{};
    known[0] = first;
    CHECK_FALSE(ClientHandshake(1, Secret{}, known, draw_key_pair()).first());
    CHECK_FALSE(agreed_secret(draw_key_pair(), known));
  }
}

TEST_CASE("the key of a secret is BLAKE2b of it with a label") {
  // source: hashlib of Python 3.11: blake2b(bytes(range(16)), digest_size=32,
  // person=b"laurel live psk\0").
  Secret secret{};
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<char>(i);
  const SecretKey key = shared_key(secret);
  CHECK(std::string(reinterpret_cast<const char*>(key.data()), key.size()) ==
        bytes_of_hex("5276ae579360f0fbbac1b0b9136a6a223fe489b0b4b1833e767860936bdbfbd7"));
}

}  // namespace
}  // namespace laurel
