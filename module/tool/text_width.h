// text_width.h - how many columns of a terminal a text takes.
#pragma once

#include <cstddef>
#include <string_view>

namespace laurel::tool {

// A wide character, such as a Chinese one, takes two columns, and a combining one none. REQUIRES:
// UTF-8 without controls, as escaped() gives it.
std::size_t text_width(std::string_view text);

}  // namespace laurel::tool
