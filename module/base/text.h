// text.h - showing bytes that came from strangers, and guessing what a misspelt word meant.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace laurel {

// The text with control bytes (0 to 31, 127) and backslashes shown as \n, \t, \\ or \x1b, and cut
// at bytes_max with "..." where it was longer: what a player calls himself cannot move a terminal's
// cursor or forge a line of a log. Bytes above 127 stay, so UTF-8 is readable.
std::string escaped(std::string_view text, std::size_t bytes_max = 255);

// The candidate with the smallest edit distance to the word; empty when none is close enough to
// have been meant (more than half of its letters differ).
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// The last name of a path, without the slashes at its end: "rules" of "/srv/game/rules/".
std::string_view last_name(std::string_view path);

// A number in its shortest form; every NaN is "nan", whatever its sign bit.
std::string shown(double number);

// "a", "b" or "c": the words in quotes, as an error message lists what is allowed.
std::string one_of(std::span<const std::string_view> words);

}  // namespace laurel
