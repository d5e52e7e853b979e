// websocket.h - the WebSocket protocol, RFC 6455, as far as a stream of states needs it.
//
//   out       one text frame for each message. A server's frames are not masked, so that the bytes
//             of a message are the same for all viewers.
//   in        viewers have nothing to say: text and binary frames are skipped. A ping is answered,
//             a close ends the stream.
//   Beast     has a WebSocket stream, too. Its buffers take 4 KB a viewer, and it writes a message
//             of its own for each of them.
//   threads   none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace laurel::web {

// The answer to Sec-WebSocket-Key. Absent if that is not the base64 of 16 bytes.
std::optional<std::string> websocket_accept(std::string_view key);

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10
};

// What comes before a payload of that size.
std::string frame_head(Opcode opcode, std::size_t payload);

// Reads the frames of a viewer, in any pieces.
class FrameReader {
 public:
  struct Control {
    Opcode opcode = Opcode::ping;  // close, ping or pong
    std::string payload;           // unmasked; at most 125 bytes
  };
  enum class Read : std::uint8_t {
    more,     // all bytes are used
    control,  // control() is one; there may be more bytes
    broken,   // a rule of the protocol was not kept; stop reading
  };

  // Takes bytes from the front of `bytes` and removes them.
  Read read(std::string_view& bytes);
  // REQUIRES: read() just returned Read::control.
  const Control& control() const { return control_; }

 private:
  static constexpr std::size_t kHeadBytesMax = 14;
  static constexpr std::size_t kControlBytesMax = 125;

  bool begin_frame();
  std::size_t head_bytes() const;

  std::array<unsigned char, kHeadBytesMax> head_{};
  std::uint8_t have_ = 0;  // bytes of head_
  bool in_payload_ = false;
  bool is_control_ = false;  // of the frame in the payload
  bool fragmented_ = false;  // a message of several frames has begun
  std::uint64_t left_ = 0;   // bytes of the payload
  std::array<unsigned char, 4> mask_{};
  Control control_;
};

}  // namespace laurel::web
