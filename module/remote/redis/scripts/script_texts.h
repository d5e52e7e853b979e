// script_texts.h - the scripts' texts, for scripts.cc. Their arguments and answers are described
// above each text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace laurel::redis {

// write_scripts.cc
std::string write_script();
std::string player_script();
std::string clear_script();

// read_scripts.cc
std::string rows_script();
std::string counts_script();
std::string find_script();

// season_scripts.cc
std::string roll_script();
std::string settle_script();

// The parts, after the prelude that all shard scripts except roll share.
std::string with_prelude(std::initializer_list<std::string_view> parts);

}  // namespace laurel::redis
