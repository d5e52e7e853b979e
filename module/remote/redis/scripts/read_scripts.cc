// Scripts that only read a shard.
#include "remote/redis/scripts/script_texts.h"

namespace laurel::redis {

namespace {

constexpr std::string_view kDistinctKey = "local distinct = KEYS[4]\n";

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

// KEYS ... distinct, if `dense` says so, as in the next two. Answers {'ok', size, position of the
// first, better than the best of them, not worse than the worst of them, {member, score, value,
// ...} from that side, distinct scores better than the best of them (-1: not known)}.
constexpr std::string_view kRows = R"lua(
local size = call('ZCARD', scores)
local n, first = tonumber(rows), 0
if kind == 'at' then
  first = tonumber(start)
elseif kind == 'from' then
  first = better(start)
elseif kind == 'after' then
  first = place(part, better(start), not_worse(start))
  if slice(first, first)[1] == part then first = first + 1 end
else
  local value = call('HGET', players, start)
  if not value then return {'ok', size, 0, 0, 0, {}, -1} end
  local place = rank(member_of(part, time_of(value)))
  local whole = math.min(size, 2 * n + 1)
  first = math.min(math.max(place - n, 0), size - whole)
  n = whole
end
local last = math.min(first + n, size) - 1
if last < first then return {'ok', size, first, 0, 0, {}, -1} end
local forward = (order == 'a') == (side == 'b')
local found = call(forward and 'ZRANGE' or 'ZREVRANGE', scores, first, last, 'WITHSCORES')
local listed, skip = {}, at_mode == 'n' and 1 or 9
local ids = {}
for i = 1, #found, 2 do
  local id = found[i]:sub(skip)
  if inverted == '1' then
    id = id:sub(1, -2):gsub('.', function(byte) return string.char(255 - byte:byte()) end)
  end
  ids[#ids + 1] = id
end
for from = 1, #ids, 1000 do
  local till = math.min(from + 999, #ids)
  local values = call('HMGET', players, unpack(ids, from, till))
  for i = from, till do
    listed[3 * i - 2], listed[3 * i - 1] = found[2 * i - 1], found[2 * i]
    listed[3 * i] = values[i - from + 1] or ''
  end
end
local best, worst = found[2], found[#found]
if side == 'w' then best, worst = worst, best end
return {'ok', size, first, better(best), not_worse(worst), listed, distinct_better(best)}
)lua";

// Answers {'ok', size, then for each probe better, not worse, position (the number of rows before
// it), distinct better (-1: not known)}.
constexpr std::string_view kCounts = R"lua(
local answer = {'ok', call('ZCARD', scores)}
for i = FIRST, #ARGV, SIZE do
  local score, member = ARGV[i + SCORE], ARGV[i + MEMBER]
  local low, high = better(score), not_worse(score)
  answer[#answer + 1] = low
  answer[#answer + 1] = high
  if member ~= '' then low = place(member, low, high) end
  answer[#answer + 1] = low
  answer[#answer + 1] = distinct_better(score)
end
return answer
)lua";

// Answers {'ok', size, then for each player {score, value, position, better, not worse, distinct
// better (-1: not known)}, or {}}.
constexpr std::string_view kFind = R"lua(
local answer = {'ok', call('ZCARD', scores)}
for i = FIRST, #ARGV, SIZE do
  local value = call('HGET', players, ARGV[i + PLAYER])
  local found = {}
  if value then
    local member = member_of(ARGV[i + PART], time_of(value))
    local score = call('ZSCORE', scores, member)
    found = {score, value, rank(member), better(score), not_worse(score), distinct_better(score)}
  end
  answer[#answer + 1] = found
end
return answer
)lua";

}  // namespace

std::string rows_script() {
  return with_prelude({kDistinctKey, distinct_counting(),
                       lua_values(kOfRows.names, kOfShard.size()), kPlaces, kRows});
}
std::string counts_script() {
  return with_prelude({kDistinctKey, distinct_counting(),
                       lua_offsets(kOfProbe.names, kOfShard.size()), kPlaces, kCounts});
}
std::string find_script() {
  return with_prelude(
      {kDistinctKey, distinct_counting(), lua_offsets(kOfFound.names, kOfShard.size()), kFind});
}

}  // namespace laurel::redis
