// enet_bytes.h - numbers as ENet writes them, for datagrams that tests make by hand.
#pragma once

#include <cstdint>
#include <string>

namespace laurel::test {

inline void put16(std::string& out, std::uint32_t number) {
  out += static_cast<char>(number >> 8);
  out += static_cast<char>(number);
}
inline void put32(std::string& out, std::uint32_t number) {
  put16(out, number >> 16);
  put16(out, number & 0xFFFF);
}

}  // namespace laurel::test
