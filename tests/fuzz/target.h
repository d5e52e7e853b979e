// target.h - a fuzz target: a function that accepts any bytes, and aborts if a property is
// violated.
//
//   use      the same function is linked with libFuzzer, which searches for such bytes, and with
//            replay.cc, which runs the seeds and mutations of them as an ordinary test.
//   input    of the targets that read messages: frames, each with a byte of directions (see the
//            target), a length of two bytes in little endian, and that many bytes of a message. If
//            the length exceeds the input, the message is the rest.
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

// Unlike an assertion, it is checked in every build.
inline void must(bool holds, const char* sentence) {
  if (holds) return;
  std::fprintf(stderr, "what must be: %s\n", sentence);
  std::abort();
}

struct Frame {
  std::uint8_t directions = 0;
  std::string bytes;  // a copy, so that sanitizers see reads past its end
};

// Takes the next frame from the input.
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
