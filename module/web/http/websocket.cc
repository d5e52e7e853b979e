#include "web/http/websocket.h"

#include <algorithm>

#include <boost/beast/websocket/detail/hybi13.hpp>

#include "base/encoding.h"

namespace laurel::web {

std::optional<std::string> websocket_accept(std::string_view key) {
  const std::optional<std::string> bytes = from_base64(key);
  if (!bytes || bytes->size() != 16) return std::nullopt;
  namespace websocket = boost::beast::websocket;
  websocket::detail::sec_ws_accept_type accept;
  websocket::detail::make_sec_ws_accept(accept, {key.data(), key.size()});
  return std::string(accept.data(), accept.size());
}

std::string frame_head(Opcode opcode, std::size_t payload) {
  std::string head;
  head += static_cast<char>(0x80 | static_cast<unsigned>(opcode));
  int bytes = 0;
  if (payload < 126) {
    head += static_cast<char>(payload);
  } else if (payload <= 0xffff) {
    head += static_cast<char>(126);
    bytes = 2;
  } else {
    head += static_cast<char>(127);
    bytes = 8;
  }
  while (bytes-- > 0) head += static_cast<char>(payload >> (8 * bytes) & 0xff);
  return head;
}

// As far as the bytes that are there say it.
std::size_t FrameReader::head_bytes() const {
  if (have_ < 2) return 2;
  const unsigned length = head_[1] & 0x7f;
  return length == 127 ? 14 : length == 126 ? 8 : 6;
}

// The head is complete. Returns false if it breaks a rule.
bool FrameReader::begin_frame() {
  const unsigned first = head_[0];
  const bool is_final = (first & 0x80) != 0;
  const bool reserved = (first & 0x70) != 0;
  const bool masked = (head_[1] & 0x80) != 0;
  const unsigned opcode = first & 0x0f;
  const unsigned length = head_[1] & 0x7f;
  if (reserved || !masked) return false;
  left_ = length;
  const std::size_t wide = length == 127 ? 8 : length == 126 ? 2 : 0;
  if (wide > 0) left_ = 0;
  for (std::size_t i = 0; i < wide; ++i) left_ = left_ << 8 | head_[2 + i];
  if (wide == 2 && left_ < 126) return false;
  if (wide == 8 && (left_ <= 0xffff || left_ >> 63 != 0)) return false;
  std::copy_n(head_.begin() + 2 + static_cast<std::ptrdiff_t>(wide), 4, mask_.begin());
  is_control_ = (opcode & 8) != 0;
  if (is_control_) {
    if (opcode > 10 || !is_final || left_ > kControlBytesMax || (left_ == 1 && opcode == 8)) {
      return false;
    }
    control_ = {static_cast<Opcode>(opcode), {}};
    return true;
  }
  if (opcode > 2 || (opcode == 0) != fragmented_) return false;
  fragmented_ = !is_final;
  return true;
}

FrameReader::Read FrameReader::read(std::string_view& bytes) {
  while (true) {
    while (!in_payload_) {
      if (bytes.empty()) return Read::more;
      head_[have_++] = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      if (have_ < head_bytes()) continue;
      if (!begin_frame()) return Read::broken;
      in_payload_ = true;
    }
    const std::size_t here = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    if (is_control_) {
      for (std::size_t i = 0; i < here; ++i) {
        const unsigned char mask = mask_[control_.payload.size() % 4];
        control_.payload += static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ mask);
      }
    }
    bytes.remove_prefix(here);
    left_ -= here;
    if (left_ > 0) return Read::more;
    in_payload_ = false;
    have_ = 0;
    if (is_control_) return Read::control;
  }
}

}  // namespace laurel::web
