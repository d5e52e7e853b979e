#include "rank/player/id_form.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "rank/simd.h"

namespace laurel {

namespace {

static_assert(std::endian::native == std::endian::little, "the first character is the lowest byte");

using simd::I8x16;
using simd::U16x8;
using simd::U8x16;
using U64x2 [[gnu::vector_size(16)]] = std::uint64_t;

template <typename Number>
Number read_as(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}
template <typename Number>
void write_as(char* to, Number number) {
  std::memcpy(to, &number, sizeof number);
}

// The characters above this one.
inline auto above(I8x16 letters, char letter) {
  return letters > simd::all_lanes<I8x16>(static_cast<std::int8_t>(letter));
}

// ---- numbers

constexpr std::size_t kNumberDigitsMin = kPackedMin;
constexpr std::size_t kNumberDigitsMax = 19;
constexpr std::uint64_t kTen8 = 100'000'000;
constexpr std::uint64_t kEightZeros = 0x3030303030303030;

// How many texts of digits are shorter, from kNumberDigitsMin on. A text's rank among all of them
// is what is stored.
constexpr std::array<std::uint64_t, kNumberDigitsMax - kNumberDigitsMin + 2> kShorter = [] {
  std::array<std::uint64_t, kNumberDigitsMax - kNumberDigitsMin + 2> shorter{};
  std::uint64_t texts = 10'000'000'000'000;
  for (std::size_t i = 1; i < shorter.size(); ++i, texts *= 10) shorter[i] = shorter[i - 1] + texts;
  return shorter;
}();
static_assert(kShorter.back() > kShorter[kShorter.size() - 2], "the ranks fit 64 bits");

inline bool are_digits(std::uint64_t text) {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
  return ((text & kHigh) | ((text + 0x0606060606060606) & kHigh) >> 4) == 0x3333333333333333;
}
// The number of eight digits, the first of which is in the lowest byte.
inline std::uint64_t number_of_digits(std::uint64_t text) {
  text -= kEightZeros;
  text = (text * 10 + (text >> 8)) & 0x00FF00FF00FF00FF;
  text = (text * 100 + (text >> 16)) & 0x0000FFFF0000FFFF;
  return (text * 10'000 + (text >> 32)) & 0xFFFFFFFF;
}
inline std::uint64_t digits_of_number(std::uint64_t number) {
  const std::uint64_t upper = number * 109'951'163 >> 40;  // number / 10,000
  const std::uint64_t fours = upper | (number - upper * 10'000) << 32;
  const std::uint64_t hundreds = (fours * 10'486 >> 20) & 0x0000007F0000007F;
  const std::uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
  const std::uint64_t tens = (pairs * 103 >> 10) & 0x000F000F000F000F;
  return (tens | (pairs - tens * 10) << 8) + kEightZeros;
}

// False if the text has another character than digits. Takes the digits from the last ones on, as
// if there were zeros in front. REQUIRES: kNumberDigitsMin to kNumberDigitsMax characters.
inline bool pack_number(const char* text, std::size_t size, std::uint64_t& packed) {
  const auto last = read_as<std::uint64_t>(text + size - 8);
  std::uint64_t before = 0;
  std::uint64_t first = 0;
  if (size > 16) {
    before = read_as<std::uint64_t>(text + size - 16);
    for (std::size_t i = 0; i < size - 16; ++i) {
      const auto digit = static_cast<unsigned char>(text[i] - '0');
      if (digit > 9) return false;
      first = first * 10 + digit;
    }
  } else {
    const std::size_t missing = 16 - size;
    before = read_as<std::uint64_t>(text);
    if (missing > 0) before = before << 8 * missing | kEightZeros >> (64 - 8 * missing);
  }
  if (!are_digits(last) || !are_digits(before)) return false;
  const std::uint64_t number =
      (first * kTen8 + number_of_digits(before)) * kTen8 + number_of_digits(last);
  packed = kShorter[size - kNumberDigitsMin] + number;
  return true;
}

inline std::size_t unpack_number(std::uint64_t packed, char* room) {
  std::size_t longer = 4;  // SteamID64
  while (packed < kShorter[longer]) --longer;
  while (packed - kShorter[longer] >= kShorter[longer + 1] - kShorter[longer]) ++longer;
  const std::size_t size = kNumberDigitsMin + longer;
  const std::uint64_t number = packed - kShorter[longer];
  const std::uint64_t upper = number / kTen8;
  const auto first = static_cast<std::uint32_t>(upper / kTen8);
  const std::uint64_t last = digits_of_number(number - upper * kTen8);
  const std::uint64_t before = digits_of_number(upper - first * kTen8);
  if (size > 16) {
    room[size - 17] = static_cast<char>('0' + first % 10);
    if (size > 17) {
      room[size - 18] = static_cast<char>('0' + first / 10 % 10);
      room[0] = static_cast<char>('0' + first / (size == 18 ? 10 : 100));
    }
    write_as(room + size - 16, before);
    write_as(room + size - 8, last);
  } else {
    const std::size_t gone = 8 * (16 - size);
    write_as(room, gone == 0 ? before : before >> gone | last << (64 - gone));
    write_as(room + 8, last >> gone);
  }
  return size;
}

// ---- hexadecimal digits

constexpr bool is_large(IdForm form) {
  return form == IdForm::hex16_large || form == IdForm::hex32_large || form == IdForm::uuid_large;
}

// One bit for each of two kinds of letters: whether all 16 characters are digits or such letters.
struct Hex {
  std::uint64_t number;
  bool is_small;
  bool is_large;
};
inline Hex read_hex(I8x16 letters) {
  const auto above_9 = above(letters, '9');
  const auto digit = above(letters, '0' - 1) ^ above_9;
  const auto small = above(letters, 'a' - 1) ^ above(letters, 'f');
  const auto large = above(letters, 'A' - 1) ^ above(letters, 'F');
  const auto values = std::bit_cast<U16x8>((letters & 15) + (above_9 & 9));
  const auto bytes = std::bit_cast<U8x16>(values << 4 | values >> 8);
  const U8x16 number =
      __builtin_shufflevector(bytes, bytes, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
  constexpr unsigned kAll = 0xFFFF;
  return {__builtin_bswap64(std::bit_cast<U64x2>(number)[0]),
          simd::lane_bits(digit | small) == kAll, simd::lane_bits(digit | large) == kAll};
}
inline void write_hex(std::uint64_t number, bool is_large, char* to) {
  const auto bytes = std::bit_cast<U8x16>(U64x2{__builtin_bswap64(number), 0});
  const U8x16 high = bytes >> 4;
  const U8x16 low = bytes & 15;
  const auto values = std::bit_cast<I8x16>(
      __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  const auto letter = static_cast<std::int8_t>((is_large ? 'A' : 'a') - 10 - '0');
  simd::store(to, values + '0' + ((values > 9) & letter));
}

// A UUID has dashes behind 8, 12, 16 and 20 digits.
constexpr std::size_t kUuidChars = 36;

inline bool has_uuid_dashes(const char* text) {
  return text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}
// The digits of a UUID, as they would be without the dashes.
inline std::uint64_t join(const char* four, const char* next_four) {
  return read_as<std::uint32_t>(four) | std::uint64_t{read_as<std::uint32_t>(next_four)} << 32;
}
inline I8x16 first_of_uuid(const char* text) {
  return std::bit_cast<I8x16>(U64x2{read_as<std::uint64_t>(text), join(text + 9, text + 14)});
}
inline I8x16 second_of_uuid(const char* text) {
  return std::bit_cast<I8x16>(U64x2{join(text + 19, text + 24), read_as<std::uint64_t>(text + 28)});
}

inline IdForm pack_32(I8x16 first_16, I8x16 second_16, IdForm small, IdForm large,
                      PackedId& packed) {
  const Hex first = read_hex(first_16);
  const Hex second = read_hex(second_16);
  packed = {first.number, second.number};
  if (first.is_small && second.is_small) return small;
  return first.is_large && second.is_large ? large : IdForm::plain;
}

}  // namespace

IdForm pack_id(std::string_view text, PackedId& packed) {
  const char* const letters = text.data();
  const std::size_t size = text.size();
  if (size >= kNumberDigitsMin && size <= kNumberDigitsMax) {
    if (pack_number(letters, size, packed[0])) return IdForm::number;
    if (size != 16) return IdForm::plain;
    const Hex hex = read_hex(simd::load<I8x16>(letters));
    packed[0] = hex.number;
    return hex.is_small ? IdForm::hex16_small : hex.is_large ? IdForm::hex16_large : IdForm::plain;
  }
  if (size == 32) {
    return pack_32(simd::load<I8x16>(letters), simd::load<I8x16>(letters + 16), IdForm::hex32_small,
                   IdForm::hex32_large, packed);
  }
  if (size != kUuidChars || !has_uuid_dashes(letters)) return IdForm::plain;
  return pack_32(first_of_uuid(letters), second_of_uuid(letters), IdForm::uuid_small,
                 IdForm::uuid_large, packed);
}

bool is_id(IdForm form, const PackedId& packed, std::string_view text) {
  PackedId asked;
  if (pack_id(text, asked) != form || asked[0] != packed[0]) return false;
  return packed_bytes(form) == 8 || asked[1] == packed[1];
}

std::size_t unpack_id(IdForm form, const PackedId& packed, char* room) {
  assert(form != IdForm::plain);
  if (form == IdForm::number) return unpack_number(packed[0], room);
  write_hex(packed[0], is_large(form), room);
  if (packed_bytes(form) == 8) return 16;
  write_hex(packed[1], is_large(form), room + 16);
  if (form == IdForm::hex32_small || form == IdForm::hex32_large) return 32;
  std::memmove(room + 24, room + 20, 12);
  room[23] = '-';
  std::memmove(room + 19, room + 16, 4);
  room[18] = '-';
  std::memmove(room + 14, room + 12, 4);
  room[13] = '-';
  std::memmove(room + 9, room + 8, 4);
  room[8] = '-';
  return kUuidChars;
}

}  // namespace laurel
