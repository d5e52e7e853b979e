#include "base/bytes.h"

#include <bit>
#include <cassert>

namespace laurel {

std::string sortable(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

std::uint64_t number_of_sortable(std::string_view bytes) {
  assert(bytes.size() == kSortableBytes);
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

void ByteReader::fail() {
  ok_ = false;
  rest_ = {};
}

std::uint64_t ByteReader::fixed(std::size_t size) {
  const std::string_view taken = bytes(size);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(taken[i])) << (8 * i);
  }
  return value;
}

double ByteReader::f64() { return std::bit_cast<double>(u64()); }

std::uint64_t ByteReader::leb(std::uint64_t max) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = u8();
    if (!ok_) return 0;
    const std::uint64_t low = byte & 0x7FU;
    const bool too_long = (shift > 0 && byte == 0) || (shift == 63 && low > 1);
    if (too_long) break;
    value |= low << shift;
    if ((byte & 0x80U) == 0) {
      if (value > max) break;
      return value;
    }
  }
  fail();
  return 0;
}

std::string_view ByteReader::bytes(std::size_t size) {
  if (size > rest_.size()) {
    fail();
    return {};
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

void ByteWriter::bytes(std::string_view value) {
  ok_ = ok_ && value.size() <= size_max_ - out_.size();
  if (ok_) out_.append(value);
}

void ByteWriter::fixed(std::uint64_t value, std::size_t size) {
  char buffer[8];
  for (std::size_t i = 0; i < size; ++i) buffer[i] = static_cast<char>(value >> (8 * i));
  bytes({buffer, size});
}

void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::leb(std::uint64_t value) {
  char buffer[10];
  std::size_t size = 0;
  for (; value >= 0x80; value >>= 7) buffer[size++] = static_cast<char>(value | 0x80);
  buffer[size++] = static_cast<char>(value);
  bytes({buffer, size});
}

}  // namespace laurel
