// target.h - what a fuzz target is: a function that eats any bytes, and dies of what must not be.
//
//   the same function is linked with libFuzzer, which looks for such bytes, and with replay.cc,
//   which runs the seeds and mutations of them as an ordinary test.
//   input    of the targets that take messages: frames, each a byte of directions (a target says
//            which), a length of two bytes, low one first, and as many bytes of a message. A length
//            beyond the end means the rest.
//   threads  none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace laurel::fuzz {

// Unlike an assertion it is there in every build.
inline void must(bool holds, const char* sentence) {
  if (holds) return;
  std::fprintf(stderr, "what must be: %s\n", sentence);
  std::abort();
}

struct Frame {
  std::uint8_t directions = 0;
  std::string bytes;  // of its own: a read past its end is seen
};

// The next frame, cut off the input.
inline std::optional<Frame> next_frame(std::string_view& input) {
  if (input.size() < 3) return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(input[at]); };
  const std::size_t size = byte(1) | static_cast<std::size_t>(byte(2)) << 8;
  Frame frame{byte(0), std::string(input.substr(3, size))};
  input.remove_prefix(std::min(input.size(), 3 + size));
  return frame;
}

inline std::string frame(std::uint8_t directions, std::string_view bytes) {
  std::string out;
  out += static_cast<char>(directions);
  out += static_cast<char>(bytes.size() & 0xFF);
  out += static_cast<char>(bytes.size() >> 8);
  return out.append(bytes);
}

}  // namespace laurel::fuzz
