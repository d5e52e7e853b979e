#include "rank/player/id_form.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"

namespace laurel {

namespace {

struct Formed {
  IdForm form = IdForm::plain;
  PackedId packed{};
  std::string back;  // what unpacking gives; empty if the form is `plain`
};

// Copies the text, so that AddressSanitizer sees a read behind its end.
Formed formed(std::string_view text) {
  const std::vector<char> copy(text.begin(), text.end());
  Formed made;
  made.form = pack_id({copy.data(), copy.size()}, made.packed);
  if (made.form == IdForm::plain) return made;
  if (packed_bytes(made.form) == 8) made.packed[1] = 0;
  std::vector<char> room(kUnpackRoom, '#');
  made.back.assign(room.data(), unpack_id(made.form, made.packed, room.data()));
  return made;
}

void check_form(std::string_view text, IdForm expected) {
  CAPTURE(text);
  const Formed made = formed(text);
  CHECK(made.form == expected);
  if (made.form == IdForm::plain) return;
  CHECK(made.back == text);
  CHECK(is_id(made.form, made.packed, text));
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

constexpr std::string_view kUuid = "0a1b2c3d-4e5f-6789-abcd-ef0123456789";

std::string random_of(std::mt19937_64& random, std::string_view alphabet, std::size_t size) {
  std::string text;
  while (text.size() < size) text += alphabet[random() % alphabet.size()];
  return text;
}

std::string random_uuid(std::mt19937_64& random, std::string_view alphabet) {
  std::string text = random_of(random, alphabet, 36);
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) text[dash] = '-';
  return text;
}

}  // namespace

TEST_CASE("numbers of 13 to 19 digits take eight bytes, with all their zeros") {
  check_form("76561197960265728", IdForm::number);  // SteamID64
  check_form("80351110224678912", IdForm::number);
  check_form("1234567890123456", IdForm::number);
  for (std::size_t size = 13; size <= 19; ++size) {
    check_form(std::string(size, '0'), IdForm::number);
    check_form(std::string(size, '9'), IdForm::number);
    check_form(std::string(size - 1, '0') + "1", IdForm::number);
    check_form("1" + std::string(size - 1, '0'), IdForm::number);
  }
  check_form("18446744073709551616", IdForm::plain);
  check_form("123456789012", IdForm::plain);
  check_form("-123456789012345", IdForm::plain);
  check_form("+123456789012345", IdForm::plain);
  check_form("1234567890123.0", IdForm::plain);
}

TEST_CASE("hexadecimal digits and UUIDs take half of their digits, if all letters are alike") {
  check_form("0a1b2c3d4e5f6789", IdForm::hex16_small);
  check_form("0A1B2C3D4E5F6789", IdForm::hex16_large);
  check_form("0A1B2C3D4E5F678a", IdForm::plain);
  check_form("0a1b2c3d4e5f67890a1b2c3d4e5f6789", IdForm::hex32_small);
  check_form("0A1B2C3D4E5F67890A1B2C3D4E5F6789", IdForm::hex32_large);
  check_form("01234567890123456789012345678901", IdForm::hex32_small);
  check_form("0A1B2C3D4E5F67890a1b2c3d4e5f6789", IdForm::plain);
  check_form(kUuid, IdForm::uuid_small);
  check_form(upper(std::string(kUuid)), IdForm::uuid_large);
  check_form("00000000-0000-0000-0000-000000000000", IdForm::uuid_small);
  check_form("ffffffff-ffff-ffff-ffff-ffffffffffff", IdForm::uuid_small);
}

TEST_CASE("a text that differs from a short form in one byte is plain, or another text's form") {
  const std::vector<std::string> whole = {"76561197960265728",   "1234567890123",
                                          "9999999999999999999", "0a1b2c3d4e5f6789",
                                          "0A1B2C3D4E5F6789",    "0a1b2c3d4e5f67890a1b2c3d4e5f6789",
                                          std::string(kUuid),    upper(std::string(kUuid))};
  int wrong = 0;
  int plain = 0;
  for (const std::string& text : whole) {
    const Formed form = formed(text);
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string near = text;
        near[at] = static_cast<char>(byte);
        const Formed made = formed(near);
        wrong += made.form != IdForm::plain && made.back != near ? 1 : 0;
        wrong += is_id(form.form, form.packed, near) != (near == text) ? 1 : 0;
        plain += made.form == IdForm::plain ? 1 : 0;
      }
    }
    for (const std::string& near : {text + "0", "0" + text, text.substr(1),
                                    text.substr(0, text.size() - 1), text + '\0', text + text}) {
      const Formed made = formed(near);
      wrong += made.form != IdForm::plain && made.back != near ? 1 : 0;
      wrong += is_id(form.form, form.packed, near) ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(plain > 40'000);
}

TEST_CASE("no two texts have the same form and the same bytes") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::set<std::string> texts;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t size = 1 + random() % 40;
    texts.insert(random_of(random, "0123456789", size));
    texts.insert(random_of(random, "01", 13 + random() % 7));
    texts.insert(random_of(random, "0123456789abcdef", random() % 2 == 0 ? 16 : 32));
    texts.insert(random_of(random, "0123456789ABCDEF", random() % 2 == 0 ? 16 : 32));
    texts.insert(random_of(random, "0123456789abcdefABCDEF-", random() % 2 == 0 ? 32 : 36));
    texts.insert(random_uuid(random, "0123456789abcdef"));
    texts.insert(random_uuid(random, "0123456789ABCDEF"));
    texts.insert(random_uuid(random, "01"));
    texts.insert(random_uuid(random, "09afAFgG/:@`"));
  }
  std::set<std::tuple<IdForm, std::uint64_t, std::uint64_t>> seen;
  std::size_t packed = 0;
  int wrong = 0;
  for (const std::string& text : texts) {
    const Formed made = formed(text);
    if (made.form == IdForm::plain) continue;
    ++packed;
    wrong += made.back != text ? 1 : 0;
    seen.emplace(made.form, made.packed[0], made.packed[1]);
  }
  CHECK(wrong == 0);
  CHECK(packed > 10'000);
  CHECK(seen.size() == packed);
}

}  // namespace laurel
