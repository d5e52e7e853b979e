// bytes.h - bounds-checked reading and writing of byte strings.
//
// Integers are little-endian. Variable-length integers are LEB128 in its shortest form; a reader
// refuses every other form. After an error all later reads return zero or nothing, so a decoder may
// read to its end and check ok() once. A full writer behaves in the same way.
//
//   source   LEB128: DWARF 5, section 7.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace laurel {

// Encodes a number for keys: 8 bytes, most significant first, so that keys sort as numbers do.
inline constexpr std::size_t kSortableBytes = 8;
std::string sortable(std::uint64_t number);
// The number of an encoded key. REQUIRES: kSortableBytes bytes.
std::uint64_t number_of_sortable(std::string_view bytes);

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  double f64();
  // A LEB128 number of at most `max`. A larger, not shortest or unfinished number is an error.
  std::uint64_t leb(std::uint64_t max = UINT64_MAX);
  // The next `size` bytes; valid as long as the bytes that the reader was made with.
  std::string_view bytes(std::size_t size);

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t remaining() const { return rest_.size(); }
  // Reports an error that the caller detected.
  void fail();

 private:
  std::uint64_t fixed(std::size_t size);

  std::string_view rest_;
  bool ok_ = true;
};

class ByteWriter {
 public:
  static constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();

  // Appends to `out` up to a size of `size_max` bytes. `out` must outlive the writer.
  ByteWriter(std::string& out, std::size_t size_max) : out_(out), size_max_(size_max) {}

  void u8(std::uint8_t value) { fixed(value, 1); }
  void u16(std::uint16_t value) { fixed(value, 2); }
  void u32(std::uint32_t value) { fixed(value, 4); }
  void u64(std::uint64_t value) { fixed(value, 8); }
  void f64(double value);
  void leb(std::uint64_t value);
  void bytes(std::string_view value);

  // False after a value did not fit. `out` then has all values before it.
  bool ok() const { return ok_; }

 private:
  void fixed(std::uint64_t value, std::size_t size);

  std::string& out_;
  std::size_t size_max_;
  bool ok_ = true;
};

}  // namespace laurel
