#include "remote/redis/scripts/scripts.h"

#include <array>
#include <string>

#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

// KEYS state, scores, players, ...; ARGV season, roll, order, at mode, ... Strings are compared
// byte by byte: Lua's own < depends on the server's locale.
constexpr std::string_view kPrelude = R"lua(
local state, scores, players = KEYS[1], KEYS[2], KEYS[3]
local order, at_mode = ARGV[3], ARGV[4]
local call = redis.call
if ARGV[1] ~= '-' then
  local season = tonumber(ARGV[1])
  local known = tonumber(call('HGET', state, 'season') or '0')
  if known ~= season then
    if ARGV[2] ~= '1' or known > season then return {'season', known} end
    call('HSET', state, 'season', ARGV[1])
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

std::string with_prelude(std::initializer_list<std::string_view> parts) {
  std::string text(kPrelude);
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string_view source(Script script) {
  // Never freed: when the process ends, the remote's thread may still be using them.
  static const auto& sources = *new std::array<std::string, kScripts>{
      write_script(), player_script(), clear_script(), roll_script(),
      rows_script(),  counts_script(), find_script(),  settle_script(),
  };
  return sources[static_cast<std::size_t>(script)];
}

}  // namespace laurel::redis
