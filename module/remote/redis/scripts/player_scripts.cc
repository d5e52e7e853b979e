// Scripts that change the entries of one player, or take all of a shard.
#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

// KEYS ... hidden, banned, joined, servers, attempts, distinct, then of past seasons scores,
// players and distinct, which is scores again if the season has no dense ranks. Answers {'ok',
// count}, with 'again', 'gap' or 'banned' instead of the count; 'join' adds the score.
constexpr std::string_view kPlayer = R"lua(
local hidden, banned, joined = KEYS[4], KEYS[5], KEYS[6]
local post = post_is(server, number, before)
if not post then remember_post(server, number) end
keep_posts()
if post then return {'ok', post} end

local function erase(scores, players, distinct)
  local value = call('HGET', players, player)
  if not value then return 0 end
  local member = member_of(part, time_of(value))
  local score = distinct and call('ZSCORE', scores, member)
  call('ZREM', scores, member)
  call('HDEL', players, player)
  if score then keep_distinct(distinct, scores, {tonumber(score)}, {}) end
  return 1
end
local function erase_listed()
  local erased = erase(scores, players, dense == '1' and distinct)
  if erased == 1 then tell(channel) end
  return erased
end
local function remove()
  if call('HDEL', hidden, player) == 1 then return 1 end
  return erase_listed()
end

if what == 'remove' then return {'ok', remove()} end
if what == 'leave' then
  local removed = remove()
  return {'ok', math.max(removed, call('SREM', joined, player))}
end
if what == 'join' then
  if call('SISMEMBER', banned, player) == 1 then return {'ok', 'banned'} end
  local value = call('HGET', players, player)
  local score = value and call('ZSCORE', scores, member_of(part, time_of(value)))
  return {'ok', call('SADD', joined, player), score or ''}
end
if what == 'ban' then
  if call('SADD', banned, player) == 0 then return {'ok', 0} end
  local value = call('HGET', players, player)
  if value then
    local score = call('ZSCORE', scores, member_of(part, time_of(value)))
    call('HSET', hidden, player, score .. ' ' .. value)
    erase_listed()
  end
  return {'ok', 1}
end
if what == 'unban' then
  if call('SREM', banned, player) == 0 then return {'ok', 0} end
  local packed = call('HGET', hidden, player)
  if packed then
    local score, value = packed:match('^(%S+) (.*)$')
    call('ZADD', scores, score, member_of(part, time_of(value)))
    if dense == '1' then keep_distinct(distinct, scores, {}, {tonumber(score)}) end
    call('HSET', players, player, value)
    call('HDEL', hidden, player)
    tell(channel)
  end
  return {'ok', 1}
end
local erased = call('HDEL', hidden, player) + erase_listed()
for i = 10, #KEYS, 3 do
  erased = erased + erase(KEYS[i], KEYS[i + 1], KEYS[i + 2] ~= KEYS[i] and KEYS[i + 2])
end
call('HDEL', KEYS[8], player)
call('SREM', joined, player)
call('SREM', banned, player)
return {'ok', erased}
)lua";

// KEYS ... hidden, distinct. Answers {'ok', number of listed entries}.
constexpr std::string_view kClear = R"lua(
local listed = call('ZCARD', scores)
call('UNLINK', scores, players, KEYS[4], KEYS[5])
if marks[2] then call('HDEL', state, 'distinct') end
tell(channel)
return {'ok', listed}
)lua";

}  // namespace

std::string player_script() {
  return with_prelude({telling_functions(), post_functions(), "local distinct = KEYS[9]\n",
                       distinct_keeping(), lua_values(kOfPlayer.names, kOfShard.size()), kPlayer});
}
std::string clear_script() {
  return with_prelude({telling_functions(), lua_values(kOfClear.names, kOfShard.size()), kClear});
}

}  // namespace laurel::redis
