// Scripts that only read a shard.
#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

// place(): the number of rows before a row.
constexpr std::string_view kPlaces = R"lua(
local function less(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = a:byte(i), b:byte(i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local function place(member, low, high)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local there = slice(middle, middle)[1]
    local before
    if order == 'd' then before = less(member, there) else before = less(there, member) end
    if before then low = middle + 1 else high = middle end
  end
  return low
end
)lua";

// ARGV ... 5 end to count from ('b'est or 'w'orst), 6 the kind of start: 'at' a position, 'from' a
// score, 'around' a player, 'after' a row; 7 that start, of a row its score; 8 number of rows,
// above and below for 'around'; 9 the player's part, of a row its member. Answers {'ok', size,
// position of the first, better than the best of them, not worse than the worst of them, {member,
// score, value, ...} from that end}.
constexpr std::string_view kRows = R"lua(
local size = call('ZCARD', scores)
local n, first = tonumber(ARGV[8]), 0
if ARGV[6] == 'at' then
  first = tonumber(ARGV[7])
elseif ARGV[6] == 'from' then
  first = better(ARGV[7])
elseif ARGV[6] == 'after' then
  first = place(ARGV[9], better(ARGV[7]), not_worse(ARGV[7]))
  if slice(first, first)[1] == ARGV[9] then first = first + 1 end
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

// ARGV ... from 5 pairs of a score and a member ('' for none). Answers {'ok', size, then for each
// better, not worse, position (the number of rows before it)}.
constexpr std::string_view kCounts = R"lua(
local answer = {'ok', call('ZCARD', scores)}
for i = 5, #ARGV, 2 do
  local member = ARGV[i + 1]
  local low, high = better(ARGV[i]), not_worse(ARGV[i])
  answer[#answer + 1] = low
  answer[#answer + 1] = high
  if member ~= '' then low = place(member, low, high) end
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

}  // namespace

std::string rows_script() { return with_prelude({kPlaces, kRows}); }
std::string counts_script() { return with_prelude({kPlaces, kCounts}); }
std::string find_script() { return with_prelude({kFind}); }

}  // namespace laurel::redis
