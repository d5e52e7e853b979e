#include "remote/redis/scripts/scripts.h"

#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

// KEYS state, scores, players, ... Strings are compared byte by byte: Lua's own < depends on the
// server's locale.
constexpr std::string_view kPrelude = R"lua(
local state, scores, players = KEYS[1], KEYS[2], KEYS[3]
local call = redis.call
local marks  -- of the shard, as they were
if season ~= '-' then
  marks = call('HMGET', state, 'season', 'distinct', 'at', 'written')
  local known, asked = tonumber(marks[1] or '0'), tonumber(season)
  if known ~= asked then
    if roll ~= '1' or known > asked then return {'season', known} end
    call('HSET', state, 'season', season)
  end
end
local function at8(at)
  local bytes = struct.pack('>i8', at)
  return string.char((bytes:byte(1) + 128) % 256) .. bytes:sub(2)
end
local function time_of(bytes)
  return (struct.unpack('>i8', string.char((bytes:byte(1) + 128) % 256) .. bytes:sub(2, 8)))
end
local function member_of(part, at)
  if at_mode == 'n' then return part end
  return at8(at_mode == 'p' and at or -1 - at) .. part
end
local function text(score) return string.format('%.17g', score) end
local function rank(member)
  return call(order == 'd' and 'ZREVRANK' or 'ZRANK', scores, member)
end
local function slice(first, last)
  return call(order == 'd' and 'ZREVRANGE' or 'ZRANGE', scores, first, last)
end
local function better(score)
  if order == 'd' then return call('ZCOUNT', scores, '(' .. score, '+inf') end
  return call('ZCOUNT', scores, '-inf', '(' .. score)
end
local function not_worse(score)
  if order == 'd' then return call('ZCOUNT', scores, score, '+inf') end
  return call('ZCOUNT', scores, '-inf', score)
end
)lua";

}  // namespace

std::string lua_values(std::span<const std::string_view> names, std::size_t before) {
  return fmt::format("local {} = unpack(ARGV, {}, {})\n", fmt::join(names, ", "), before + 1,
                     before + names.size());
}

std::string lua_offsets(std::span<const std::string_view> names, std::size_t before) {
  std::string text = fmt::format("local FIRST, SIZE = {}, {}\n", before + 1, names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name(names[i]);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += fmt::format("local {} = {}\n", name, i);
  }
  return text;
}

std::string with_prelude(std::initializer_list<std::string_view> parts) {
  std::string text = lua_values(kOfShard.names, 0);
  text += kPrelude;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string_view source(Script script) {
  // Never freed: when the process ends, the remote's thread may still be using them.
  static const auto& sources = *new std::array<std::string, kScripts>{
      write_script(),   player_script(),   clear_script(),    roll_script(),
      rows_script(),    counts_script(),   find_script(),     settle_script(),
      repeats_script(), attempts_script(), distinct_script(), extend_script(),
  };
  return sources[static_cast<std::size_t>(script)];
}

}  // namespace laurel::redis
