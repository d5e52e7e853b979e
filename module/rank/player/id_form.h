// id_form.h - short forms for the ids that games use: numbers, hexadecimal digits and UUIDs.
//
//   number      13 to 19 digits, with or without zeros in front, in 8 bytes. SteamID64, Xbox and
//               Discord ids are such numbers.
//   hexadecimal 16 digits in 8 bytes, 32 digits or a UUID (8-4-4-4-12) in 16 bytes. All letters are
//               small or all are large, and a form of its own says which.
//   plain       any other text, as it is.
//
//   exact       each text has one form, and no two texts have the same form and the same bytes.
//               unpack_id gives back what pack_id was given.
//   order       of two texts of one form, the one with the smaller packed numbers is shorter or, if
//               they are as long, earlier in the order of bytes.
//   cost        about 50 instructions each way.
//   threads     any: all functions are pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laurel {

enum class IdForm : std::uint8_t {
  number,
  hex16_small,
  hex16_large,
  hex32_small,
  hex32_large,
  uuid_small,
  uuid_large,
  plain
};
inline constexpr std::size_t kIdForms = 7;  // without `plain`

// The bytes that an id takes in a form other than `plain`.
constexpr std::size_t packed_bytes(IdForm form) { return form < IdForm::hex32_small ? 8 : 16; }

using PackedId = std::array<std::uint64_t, 2>;  // of 8 bytes only the first is used

// Packs a text in its form. `plain`: it has no short form, and `packed` is undefined.
IdForm pack_id(std::string_view text, PackedId& packed);
// True if this is the text that has the form and these bytes.
bool is_id(IdForm form, const PackedId& packed, std::string_view text);

// A short form has texts of up to kUnpackedMax characters. unpack_id writes one to `room`, which
// has kUnpackRoom bytes, and returns its size; what follows the text in the room is undefined.
inline constexpr std::size_t kPackedMin = 13;  // shorter ones are plain
inline constexpr std::size_t kUnpackedMax = 36;
inline constexpr std::size_t kUnpackRoom = 48;
std::size_t unpack_id(IdForm form, const PackedId& packed, char* room);

}  // namespace laurel
