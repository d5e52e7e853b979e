// script_texts.h - the scripts' texts, for scripts.cc. Their keys and answers are described above
// each text, their arguments in script_arguments.h.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "remote/redis/scripts/script_arguments.h"

namespace laurel::redis {

// write_scripts.cc
std::string write_script();
// What scripts use to tell followers: tell(channel).
std::string_view telling_functions();
// What scripts use to apply posts once; they know `servers`.
std::string_view post_functions();

// player_scripts.cc
std::string player_script();
std::string clear_script();

// result_scripts.cc
std::string repeats_script();
std::string attempts_script();
// What scripts use for ids of results; they know the key, `ids`.
std::string_view id_functions();
// What scripts use to count attempts; they know the key, `attempts`, and `most_attempts`.
std::string_view attempt_functions();

// distinct_scripts.cc
std::string distinct_script();
std::string extend_script();
// What scripts use that change entries; they know the key, `distinct`.
std::string_view distinct_keeping();
// What scripts use to count distinct scores; they know that key if `dense` says so.
std::string_view distinct_counting();

// read_scripts.cc
std::string rows_script();
std::string counts_script();
std::string find_script();

// season_scripts.cc
std::string roll_script();
std::string settle_script();

// Lua that gives their names to the arguments after the first `before`. With lua_values they are
// local variables. Groups that repeat until the end of ARGV get constants: FIRST, where the first
// group begins, SIZE, and offsets, as in ARGV[FIRST + PLAYER].
std::string lua_values(std::span<const std::string_view> names, std::size_t before);
std::string lua_offsets(std::span<const std::string_view> names, std::size_t before);

// The parts, after the prelude that all shard scripts except roll share.
std::string with_prelude(std::initializer_list<std::string_view> parts);

}  // namespace laurel::redis
