// text.h - escaping of untrusted text, and words for error messages.
//
// All functions are pure. nearest() and last_name() return views of their arguments.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace laurel {

// Escapes controls and backslashes as \n, \t, \r, \\ or bytes such as \x1b. Controls are those of
// ASCII and C1, line separators, marks of direction and characters without width, except the
// joiners. Bytes that are not UTF-8 are escaped, too; all other characters are kept. Longer text is
// cut before the character at bytes_max and ends in "...". A player's name then cannot move the
// terminal's cursor, turn a line's direction or forge a log line.
std::string escaped(std::string_view text, std::size_t bytes_max = 255);

// The candidate with the smallest edit distance to the word. Empty if more than half of the word's
// letters differ in all of them.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
// The same, if it differs in at most `differences` letters.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates,
                         std::size_t differences);

// The last component of a path without trailing slashes: "rules" for "/srv/game/rules/".
std::string_view last_name(std::string_view path);

// Appends the number, which must not have more digits, in decimal or hexadecimal with zeros in
// front. For keys, of which each change of a score writes some: fmt takes several times as long.
void append_digits(std::string& text, std::uint64_t number, int digits);
void append_hex_digits(std::string& text, std::uint64_t number, int digits);

// A number in its shortest form. Every NaN is "nan", also with a sign bit.
std::string shown(double number);

// "a", "b" or "c": the allowed words in quotes, for an error message.
std::string one_of(std::span<const std::string_view> words);

}  // namespace laurel
