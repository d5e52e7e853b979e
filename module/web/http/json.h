// json.h - appends JSON to a text.
//
//   text      UTF-8 in quotes; bytes that are not UTF-8 as {"base64": "..."}.
//   numbers   in their shortest form; they are finite.
//   threads   none; all functions are pure.
#pragma once

#include <string>
#include <string_view>

namespace laurel::web {

void append_text(std::string& json, std::string_view bytes);
void append_number(std::string& json, double number);

}  // namespace laurel::web
