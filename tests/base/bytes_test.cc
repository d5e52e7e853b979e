#include "base/bytes.h"

#include <limits>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("a reader returns what the writer wrote") {
  std::string bytes;
  ByteWriter writer(bytes, 1000);
  writer.u8(7);
  writer.u16(0xBEEF);
  writer.u32(0xDEADBEEF);
  writer.u64(0x0123456789ABCDEF);
  writer.f64(-0.1);
  writer.leb(300);
  writer.bytes("name");
  REQUIRE(writer.ok());

  ByteReader reader(bytes);
  CHECK(reader.u8() == 7);
  CHECK(reader.u16() == 0xBEEF);
  CHECK(reader.u32() == 0xDEADBEEF);
  CHECK(reader.u64() == 0x0123456789ABCDEF);
  CHECK(reader.f64() == -0.1);
  CHECK(reader.leb() == 300);
  CHECK(reader.bytes(4) == "name");
  CHECK(reader.ok());
  CHECK(reader.at_end());
}

TEST_CASE("fixed-size integers are little-endian") {
  std::string bytes;
  ByteWriter(bytes, 4).u32(0x04030201);
  CHECK(bytes == "\x01\x02\x03\x04");
}

TEST_CASE("only the shortest form of a LEB128 number is valid") {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128},
        std::uint64_t{16383}, std::uint64_t{16384}, std::numeric_limits<std::uint64_t>::max()}) {
    CAPTURE(value);
    std::string bytes;
    ByteWriter(bytes, 10).leb(value);
    ByteReader reader(bytes);
    CHECK(reader.leb() == value);
    CHECK(reader.ok());
    CHECK(reader.at_end());

    std::string padded = bytes;
    padded.back() = static_cast<char>(padded.back() | 0x80);
    padded.push_back('\0');
    ByteReader longer(padded);
    longer.leb();
    CHECK_FALSE(longer.ok());
  }
}

TEST_CASE("a LEB128 number of more than 64 bits is an error") {
  ByteReader reader("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02");
  reader.leb();
  CHECK_FALSE(reader.ok());
}

TEST_CASE("a LEB128 number above its limit is an error") {
  ByteReader reader("\x0B");
  CHECK(reader.leb(10) == 0);
  CHECK_FALSE(reader.ok());
}

TEST_CASE("a reader returns nothing after an error") {
  ByteReader reader("abc");
  reader.u32();
  CHECK_FALSE(reader.ok());
  CHECK(reader.u8() == 0);
  CHECK(reader.bytes(1).empty());
}

TEST_CASE("a full writer keeps the values that fitted and reports it") {
  std::string bytes;
  ByteWriter writer(bytes, 3);
  writer.u16(1);
  writer.u16(2);
  writer.u8(3);
  CHECK_FALSE(writer.ok());
  CHECK(bytes.size() == 2);
}

TEST_CASE("numbers in keys sort as numbers do and are decoded to the same numbers") {
  const std::uint64_t numbers[] = {0, 1, 255, 256, 1ULL << 40, UINT64_MAX - 1, UINT64_MAX};
  std::string before;
  for (const std::uint64_t number : numbers) {
    const std::string bytes = sortable(number);
    CHECK(bytes.size() == kSortableBytes);
    CHECK(before < bytes);
    CHECK(number_of_sortable(bytes) == number);
    before = bytes;
  }
}

}  // namespace laurel
