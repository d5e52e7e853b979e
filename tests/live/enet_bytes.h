// enet_bytes.h - datagrams of an ENet client, made by hand, as in ENet's protocol.h. Their numbers
// are big-endian.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/time.h>

namespace laurel::test {

inline void put16(std::string& out, std::uint32_t number) {
  out += static_cast<char>(number >> 8);
  out += static_cast<char>(number);
}
inline void put32(std::string& out, std::uint32_t number) {
  put16(out, number >> 16);
  put16(out, number & 0xFFFF);
}

inline std::uint32_t at16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes.at(at)) << 8 |
                                    static_cast<unsigned char>(bytes.at(at + 1)));
}

// The time of ENet's clock, which is that of the machine.
inline std::uint32_t enet_time() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  return static_cast<std::uint32_t>(now.tv_sec * 1000 + now.tv_usec / 1000);
}

// The server's peer and session that a datagram belongs to, as its head says.
inline std::string head(std::uint32_t peer, std::uint32_t session = 0) {
  std::string out;
  put16(out, 0x8000 | session << 12 | peer);  // with a time
  put16(out, enet_time() & 0xFFFF);
  return out;
}

// word: what the connect carries for the server
inline std::string connect_datagram(std::uint32_t connect_id, std::uint32_t word = 0) {
  std::string out = head(0xFFF) + "\x82\xFF";  // to no peer; to be acknowledged
  put16(out, 1);
  put16(out, 0);  // the sender's peer
  out += "\xFF\xFF";
  constexpr std::uint32_t kMtu = 1392, kWindow = 65'536, kChannels = 2, kThrottle = 5000;
  for (const std::uint32_t field :
       {kMtu, kWindow, kChannels, 0U, 0U, kThrottle, 2U, 2U, connect_id, word}) {
    put32(out, field);
  }
  return out;
}

// The peer and the session that the answer to a connect names.
inline std::uint32_t peer_of(std::string_view answer) { return at16(answer, 8); }
inline std::uint32_t session_of(std::string_view answer) {
  return static_cast<std::uint32_t>(answer.at(11) & 3);
}
inline std::string head_to(std::string_view answer) {
  return head(peer_of(answer), session_of(answer));
}
// The number that the answer's sender expects to be acknowledged.
inline std::uint32_t number_of(std::string_view answer) { return at16(answer, 6); }

// An acknowledgement of the server's command of that number and channel, which was sent at `time`.
inline std::string acknowledgement(std::uint32_t number, char channel, std::uint32_t time) {
  std::string out{'\x01', channel};
  put16(out, number);
  put16(out, number);
  put16(out, time & 0xFFFF);
  return out;
}
// Acknowledges a command that belongs to no channel.
inline std::string acknowledgement(std::uint32_t number) {
  return acknowledgement(number, '\xFF', enet_time() - 1);
}

// A message on channel 0.
inline std::string reliable(std::uint32_t number, std::string_view message) {
  std::string out("\x86\0", 2);
  put16(out, number);
  put16(out, static_cast<std::uint32_t>(message.size()));
  return out.append(message);
}

}  // namespace laurel::test
