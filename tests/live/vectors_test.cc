// The vectors that all decoders share, checked with the encoder and the native decoder.
#include "live/vectors.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "base/bytes.h"

namespace laurel {
namespace {

using test::HeldWindows;
using test::line_of;

constexpr std::size_t kFileBytesMax = 150'000;  // it is part of every clone

std::string of_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

TEST_CASE("vectors: the encoder writes the file's messages, byte for byte") {
  const std::string text = test::written_vectors();
  CHECK(text.size() <= kFileBytesMax);
  if (const char* const path = std::getenv("LAUREL_WRITE_VECTORS")) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(LAUREL_VECTORS, std::ios::binary);
  REQUIRE(file);
  std::stringstream content;
  content << file.rdbuf();
  const bool same = content.str() == text;  // not inside CHECK, which would print 100 KB
  CHECK(same);
}

TEST_CASE("vectors: each message of the file leads to its window, or is rejected") {
  std::ifstream file(LAUREL_VECTORS);
  REQUIRE(file);
  HeldWindows held;
  std::optional<Window> window;
  std::string title;
  std::size_t at = 0, windows = 0, rejections = 0, entries = 0;
  for (std::string line; std::getline(file, line);) {
    ++at;
    CAPTURE(at);
    CAPTURE(title);
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "sequence") {
      held = {};
      title = rest;
    } else if (word == "epoch") {
      const std::string bytes = of_hex(rest);
      held.epoch = ByteReader(bytes).u64();
    } else if (word == "state") {
      window = held.take(of_hex(rest));
    } else if (word == "rejected") {
      CHECK(!window);
      ++rejections;
    } else if (word == "window") {
      REQUIRE(window);
      CHECK(line_of(*window) == line);
      ++windows;
      entries = 0;
    } else if (word == "entry") {
      REQUIRE(window);
      REQUIRE(entries < window->entries.size());
      CHECK(line_of(window->entries[entries++]) == line);
    }
  }
  CHECK(windows > 50);
  CHECK(rejections > 50);
}

}  // namespace
}  // namespace laurel
