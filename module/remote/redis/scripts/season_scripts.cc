// Scripts that move a board from one season to the next.
#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

// KEYS state, then the keys to drop. Answers the season known afterwards.
constexpr std::string_view kRoll = R"lua(
local known = tonumber(redis.call('HGET', KEYS[1], 'season') or '0')
for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
if known < tonumber(season) then
  redis.call('HSET', KEYS[1], 'season', season)
  redis.call('SPUBLISH', channel, redis.call('HINCRBY', KEYS[1], 'top', 1))
  known = tonumber(season)
end
return known
)lua";

// KEYS board. ARGV number of expected pairs, number of fields to delete, then the expected pairs of
// field and value ('' for none), the fields to delete, and pairs to set. Answers 1 if the hash was
// as expected, otherwise 0.
constexpr std::string_view kSettle = R"lua(
local expected, gone = tonumber(ARGV[1]), tonumber(ARGV[2])
local i = 3
for _ = 1, expected do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
  i = i + 2
end
for _ = 1, gone do
  redis.call('HDEL', KEYS[1], ARGV[i])
  i = i + 1
end
while i < #ARGV do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  i = i + 2
end
return 1
)lua";

}  // namespace

std::string roll_script() { return lua_values(kOfRoll.names, 0).append(kRoll); }
std::string settle_script() { return std::string(kSettle); }

}  // namespace laurel::redis
