// Frames of WebSocket, in any pieces, valid and not.
#include "web/http/websocket.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "long_form.h"

namespace laurel::web {
namespace {

// A frame as a client sends it.
std::string masked(unsigned first, std::string_view payload, std::size_t length_bytes = 0) {
  std::string frame(1, static_cast<char>(first));
  if (length_bytes == 0) length_bytes = payload.size() < 126 ? 1 : payload.size() <= 0xffff ? 3 : 9;
  if (length_bytes == 1) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(length_bytes == 3 ? 0xfe : 0xff);
    for (std::size_t i = length_bytes - 1; i-- > 0;) {
      frame += static_cast<char>(payload.size() >> (8 * i));
    }
  }
  const std::string mask = "\x11\x22\x33\x44";
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  }
  return frame;
}

// What the frames say, read in pieces of that size: "ping:x|close:|broken".
std::string read(std::string_view bytes, std::size_t piece) {
  FrameReader reader;
  std::string said;
  while (!bytes.empty()) {
    std::string_view some = bytes.substr(0, piece);
    bytes.remove_prefix(some.size());
    while (!some.empty()) {
      const FrameReader::Read result = reader.read(some);
      if (result == FrameReader::Read::broken) return said + "broken";
      if (result == FrameReader::Read::more) break;
      const auto& control = reader.control();
      said += control.opcode == Opcode::ping    ? "ping:"
              : control.opcode == Opcode::close ? "close:"
                                                : "pong:";
      said += control.payload + "|";
    }
  }
  return said;
}

TEST_CASE("the answer to a key is the one in RFC 6455") {
  CHECK(websocket_accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  CHECK_FALSE(websocket_accept(""));
  CHECK_FALSE(websocket_accept("dGhlIHNhbXBsZSBub25jZQ"));
  CHECK_FALSE(websocket_accept("dGhlIHNhbXBsZSBub25j"));
}

TEST_CASE("a frame says how long it is in the shortest form") {
  CHECK(frame_head(Opcode::text, 5) == std::string("\x81\x05", 2));
  CHECK(frame_head(Opcode::text, 125) == std::string("\x81\x7d", 2));
  CHECK(frame_head(Opcode::text, 126) == std::string("\x81\x7e\x00\x7e", 4));
  CHECK(frame_head(Opcode::text, 0x10000) == std::string("\x81\x7f\0\0\0\0\0\1\0\0", 10));
}

TEST_CASE("pings and closes are read in any pieces, and text and binary frames are skipped") {
  std::string bytes = masked(0x89, "are you there") + masked(0x81, "hello") +
                      masked(0x01, std::string(300, 'x')) + masked(0x89, "") +
                      masked(0x80, std::string(70'000, 'y')) + masked(0x8a, "p") +
                      masked(0x82, "") + masked(0x88, "\x03\xe8");
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 100u, 1'000'000u}) {
    CAPTURE(piece);
    CHECK(read(bytes, piece) == "ping:are you there|ping:|pong:p|close:\x03\xe8|");
  }
}

TEST_CASE("a frame that breaks a rule is refused") {
  for (const std::string& frame :
       {std::string("\x81\x05hello and more", 16),   // not masked
        masked(0xc1, "a"), masked(0x91, "a"),        // reserved bits
        masked(0x83, "a"), masked(0x8b, "a"),        // unknown kinds
        masked(0x09, "a"),                           // a ping in several frames
        masked(0x89, std::string(126, 'x')),         // a long ping
        masked(0x81, "a", 3), masked(0x81, "a", 9),  // lengths that are not the shortest
        masked(0x80, "a"),                           // continues from no frame
        masked(0x01, "a") + masked(0x81, "b"),       // does not continue
        masked(0x88, "x"),                           // half a status
        std::string("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff....", 14)}) {
    CHECK(read(frame, 1) == "broken");
    CHECK(read(frame, 1000) == "broken");
  }
}

TEST_CASE("what a piece of bytes means does not depend on how it is cut") {
  const std::uint32_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < short_or_long(5'000, 500'000); ++round) {
    std::string bytes;
    for (auto frames = 1 + random() % 4; frames > 0; --frames) {
      bytes += masked(
          static_cast<unsigned>(random() % 8 == 0 ? random() & 0xff : 0x80 | (random() % 11)),
          std::string(random() % 200, 'x'));
    }
    if (random() % 2 == 0) bytes[random() % bytes.size()] = static_cast<char>(random());
    CHECK(read(bytes, 1 + random() % 9) == read(bytes, bytes.size()));
  }
}

}  // namespace
}  // namespace laurel::web
