#include "remote/redis/scripts.h"

#include <array>
#include <string>

namespace laurel::redis {

namespace {

// KEYS state, scores, players, ...; ARGV season, roll, order, at mode, ...
// Strings are compared byte by byte: Lua's own < follows the server's locale.
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

// Tells followers, where somebody may see the change.
constexpr std::string_view kTelling = R"lua(
local function tell(channel) call('SPUBLISH', channel, call('HINCRBY', state, 'top', 1)) end
)lua";

// Remembers posts: 'again' was applied before, 'gap' one before it was not.
constexpr std::string_view kPosts = R"lua(
local clock
local function now()
  clock = clock or call('TIME')
  return tonumber(clock[1]) * 1000000 + tonumber(clock[2])
end
local function post_is(servers, server, number, before)
  if server == '' then return nil end
  local last = call('HGET', servers, server)
  last = last and tonumber(last:match('^%d+')) or 0
  if tonumber(number) <= last then return 'again' end
  if before ~= '0' and last < tonumber(before) then return 'gap' end
  return nil
end
local function remember_post(servers, server, number)
  if server == '' then return end
  local seconds = string.format('%.0f', math.floor(now() / 1000000))
  if call('HSET', servers, server, number .. ' ' .. seconds) == 1 then
    local all = call('HGETALL', servers)
    for i = 1, #all, 2 do
      local seen = tonumber(all[i + 1]:match(' (%d+)$') or '0')
      if seen < tonumber(seconds) - 2592000 then call('HDEL', servers, all[i]) end
    end
  end
end
)lua";

// KEYS ... hidden, banned, joined, servers.
// ARGV ... 5 largest stored number or '', 6 whether joining is required, 7 channel, 8 places that
// are watched, then for each submission 15:
//   player, its part of a member, keep ('b'est, 'l'atest, 'f'irst, 's'um, as 'l' for a moderator),
//   score, 'd' .. data or '', at or '', refused already ('1' before anything, '2' after admission),
//   judged score ('' not judged, '-' nothing held), judged at, judged data, server, number, before,
//   '1' joins, '1' reports.
// Answers for each {word, ...}, or {'done', score, changed, at, previous score or '', previous at
// or '', joined, and for reports: size before, size after, position before, better and not worse
// than the score before, and the same three after}.
constexpr std::string_view kWrite = R"lua(
local hidden, banned, joined, servers = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local limit, required, channel, watched = tonumber(ARGV[5]), ARGV[6], ARGV[7], tonumber(ARGV[8])
local known = call('HMGET', state, 'at', 'written')
local last_at, written = tonumber(known[1] or '-1e18'), known[2]
local begun, any, told = last_at, false, false

local function write(i, post)
  local player, part, keep, offered = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3])
  local data, given, refused = ARGV[i + 4], ARGV[i + 5], ARGV[i + 6]
  local joins, reports = ARGV[i + 13] == '1', ARGV[i + 14] == '1'
  local value = call('HGET', players, player)
  local held, held_at, held_data, held_member
  if value then
    held_at, held_data = time_of(value), value:sub(9)
    held_member = member_of(part, held_at)
    held = tonumber(call('ZSCORE', scores, held_member))
  end
  local judged = ARGV[i + 7]
  if judged ~= '' then
    local stale
    if judged == '-' then
      stale = held ~= nil
    else
      stale = held ~= tonumber(judged) or held_at ~= tonumber(ARGV[i + 8]) or
        held_data ~= ARGV[i + 9]
    end
    if stale then return {'stale'} end
  end
  if post then return {post} end
  if joins then
    if call('SISMEMBER', banned, player) == 1 then return {'banned'} end
    if call('SISMEMBER', joined, player) == 1 then
      return {'joined', held and text(held) or ''}
    end
  end
  if refused == '1' then return {'refused'} end
  if not joins then
    if call('SISMEMBER', banned, player) == 1 then return {'banned'} end
    if required == '1' and call('SISMEMBER', joined, player) == 0 then return {'not_joined'} end
  end
  if refused == '2' then return {'refused'} end

  local score = offered
  if held then
    if keep == 's' then
      score = held + offered + 0
      local size = math.abs(score)
      if size == math.huge or (limit and size > limit) then
        return {'sum', text(held), text(offered)}
      end
    elseif keep == 'f' or (keep == 'b' and ((order == 'd' and offered < held) or
                                            (order == 'a' and offered > held))) then
      score, data = held, ''
    end
  end
  local at
  if given ~= '' then
    at = tonumber(given)
  else
    at = math.max(now(), last_at + 1)
    last_at = at
  end
  local changed
  if held and held == score then
    changed = data ~= '' and data ~= held_data
    at = held_at
    if data == '' then data = held_data end
  else
    changed = true
  end

  local report = {'done', text(score), changed and 1 or 0, string.format('%.0f', at),
                  held and text(held) or '', held and string.format('%.0f', held_at) or '',
                  joins and 1 or 0}
  local place
  if held and (changed or reports) then place = rank(held_member) end
  if reports then
    report[8] = call('ZCARD', scores)
    report[10], report[11], report[12] = place or -1, 0, 0
    if held then report[11], report[12] = better(text(held)), not_worse(text(held)) end
  end
  local member = member_of(part, at)
  if changed then
    if held and member ~= held_member then call('ZREM', scores, held_member) end
    call('ZADD', scores, text(score), member)
    call('HSET', players, player, at8(at) .. data)
    any = true
    if not told then
      told = not held or place < watched or rank(member) < watched
    end
  end
  if reports then
    report[9] = call('ZCARD', scores)
    report[13], report[14], report[15] = rank(member), better(text(score)), not_worse(text(score))
  end
  if joins then call('SADD', joined, player) end
  return report
end

local answers = {}
for i = 9, #ARGV, 15 do
  local server, number = ARGV[i + 10], ARGV[i + 11]
  local post = post_is(servers, server, number, ARGV[i + 12])
  local answer = post == 'again' and {post} or write(i, post)
  local word = answer[1]
  if word ~= 'again' and word ~= 'stale' and word ~= 'gap' then
    remember_post(servers, server, number)
  end
  answers[#answers + 1] = answer
end
if last_at ~= begun then call('HSET', state, 'at', string.format('%.0f', last_at)) end
if any and written ~= ARGV[1] then call('HSET', state, 'written', ARGV[1]) end
if told then tell(channel) end
return {'ok', answers}
)lua";

// KEYS ... hidden, banned, joined, servers, then scores and players of past seasons.
// ARGV ... 5 what, 6 player, 7 its part of a member, 8 channel, 9 server, 10 number, 11 before.
// Answers {'ok', count}, or 'again', 'gap', 'banned' in place of the count; 'join' the score, too.
constexpr std::string_view kPlayer = R"lua(
local hidden, banned, joined, servers = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local what, player, part, channel = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local post = post_is(servers, ARGV[9], ARGV[10], ARGV[11])
if post then return {'ok', post} end
remember_post(servers, ARGV[9], ARGV[10])

local function erase(scores, players)
  local value = call('HGET', players, player)
  if not value then return 0 end
  call('ZREM', scores, member_of(part, time_of(value)))
  call('HDEL', players, player)
  return 1
end
local function erase_listed()
  local erased = erase(scores, players)
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
    call('HSET', players, player, value)
    call('HDEL', hidden, player)
    tell(channel)
  end
  return {'ok', 1}
end
local erased = call('HDEL', hidden, player) + erase_listed()
for i = 8, #KEYS, 2 do erased = erased + erase(KEYS[i], KEYS[i + 1]) end
call('SREM', joined, player)
call('SREM', banned, player)
return {'ok', erased}
)lua";

// KEYS ... hidden. ARGV ... 5 channel. Answers {'ok', how many were listed}.
constexpr std::string_view kClear = R"lua(
local listed = call('ZCARD', scores)
call('UNLINK', scores, players, KEYS[4])
tell(ARGV[5])
return {'ok', listed}
)lua";

// KEYS state, then what is to be dropped. ARGV season, channel. Answers the season known then.
constexpr std::string_view kRoll = R"lua(
local known = tonumber(redis.call('HGET', KEYS[1], 'season') or '0')
for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
if known < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'season', ARGV[1])
  redis.call('SPUBLISH', ARGV[2], redis.call('HINCRBY', KEYS[1], 'top', 1))
  known = tonumber(ARGV[1])
end
return known
)lua";

// ARGV ... 5 end to count from ('b'est or 'w'orst), 6 how it starts: 'at' a position, 'from' a
// score, 'around' a player; 7 that; 8 how many, above and below for 'around'; 9 the player's part.
// Answers {'ok', size, position of the first, better than the best of them, not worse than the
// worst of them, {member, score, value, ...} from that end on}.
constexpr std::string_view kRows = R"lua(
local size = call('ZCARD', scores)
local n, first = tonumber(ARGV[8]), 0
if ARGV[6] == 'at' then
  first = tonumber(ARGV[7])
elseif ARGV[6] == 'from' then
  first = better(ARGV[7])
else
  local value = call('HGET', players, ARGV[7])
  if not value then return {'ok', size, 0, 0, 0, {}} end
  local place = rank(member_of(ARGV[9], time_of(value)))
  local whole = math.min(size, 2 * n + 1)
  first = math.min(math.max(place - n, 0), size - whole)
  n = whole
end
local last = math.min(first + n, size) - 1
if last < first then return {'ok', size, first, 0, 0, {}} end
local forward = (order == 'a') == (ARGV[5] == 'b')
local found = call(forward and 'ZRANGE' or 'ZREVRANGE', scores, first, last, 'WITHSCORES')
local rows, skip = {}, at_mode == 'n' and 1 or 9
local inverted = ARGV[10] == '1'
local ids = {}
for i = 1, #found, 2 do
  local id = found[i]:sub(skip)
  if inverted then
    id = id:sub(1, -2):gsub('.', function(byte) return string.char(255 - byte:byte()) end)
  end
  ids[#ids + 1] = id
end
for from = 1, #ids, 1000 do
  local till = math.min(from + 999, #ids)
  local values = call('HMGET', players, unpack(ids, from, till))
  for i = from, till do
    rows[3 * i - 2], rows[3 * i - 1] = found[2 * i - 1], found[2 * i]
    rows[3 * i] = values[i - from + 1] or ''
  end
end
local best, worst = found[2], found[#found]
if ARGV[5] == 'w' then best, worst = worst, best end
return {'ok', size, first, better(best), not_worse(worst), rows}
)lua";

// ARGV ... from 5 pairs of a score and a member, '' for none. Answers {'ok', size, then for each
// better, not worse, and position: how many rows stand before such a row}.
constexpr std::string_view kCounts = R"lua(
local function less(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = a:byte(i), b:byte(i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local answer = {'ok', call('ZCARD', scores)}
for i = 5, #ARGV, 2 do
  local member = ARGV[i + 1]
  local low, high = better(ARGV[i]), not_worse(ARGV[i])
  answer[#answer + 1] = low
  answer[#answer + 1] = high
  if member ~= '' then
    while low < high do
      local middle = math.floor((low + high) / 2)
      local there = slice(middle, middle)[1]
      local before
      if order == 'd' then before = less(member, there) else before = less(there, member) end
      if before then low = middle + 1 else high = middle end
    end
  end
  answer[#answer + 1] = low
end
return answer
)lua";

// ARGV ... from 5 pairs of a player and its part of a member. Answers {'ok', size, then for each
// {score, value, position, better, not worse}, or {}}.
constexpr std::string_view kFind = R"lua(
local answer = {'ok', call('ZCARD', scores)}
for i = 5, #ARGV, 2 do
  local value = call('HGET', players, ARGV[i])
  local found = {}
  if value then
    local member = member_of(ARGV[i + 1], time_of(value))
    local score = call('ZSCORE', scores, member)
    found = {score, value, rank(member), better(score), not_worse(score)}
  end
  answer[#answer + 1] = found
end
return answer
)lua";

// KEYS board. ARGV how many pairs are expected, how many fields go, then those pairs of field and
// value ('' where there is none), those fields, and pairs to set. Answers whether it was so.
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

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

}  // namespace

std::string_view source(Script script) {
  static const std::array<std::string, kScripts> kSources = {
      joined({kPrelude, kTelling, kPosts, kWrite}),
      joined({kPrelude, kTelling, kPosts, kPlayer}),
      joined({kPrelude, kTelling, kClear}),
      std::string(kRoll),
      joined({kPrelude, kRows}),
      joined({kPrelude, kCounts}),
      joined({kPrelude, kFind}),
      std::string(kSettle),
  };
  return kSources[static_cast<std::size_t>(script)];
}

}  // namespace laurel::redis
